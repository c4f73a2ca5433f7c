#include "julia/infer/iterable.h"

#include "julia/host/array.h"
#include "julia/infer/open_extents.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

constexpr size_t kMostUnrolled = 64;

std::string name_of(const Abstract& v) { return v.type->name->name.text(); }

Abstract integer(Compiler& c, const Abstract& a) { return c.convert(core().int64, a); }

Abstract of_int(IrValue v) { return Abstract::of_scalar(core().int64, v); }

IrValue at_least_zero(Compiler& c, IrValue n) { return op2(c, "stablehlo.maximum", n, int_like(c, n, 0)); }

/// Ranges of integers: start, step and count.
Iterable integer_range(Compiler& c, const Abstract& v) {
  const std::string name = name_of(v);
  const auto* element = static_cast<const DataType*>(v.type->parameters[0]);
  Abstract start, step, count;
  const Abstract one = Abstract::of_constant(number(int64_t{1}));
  if (name == "OneTo") {
    start = c.convert(element, one);
    count = integer(c, c.field(v, 0));
  } else {
    start = c.field(v, 0);
    const Abstract stop = c.field(v, name == "StepRange" ? 2 : 1);
    if (name == "StepRange") {
      step = c.field(v, 1);
      count = integer(c, c.call_base("length", {v}));
    } else {
      const Abstract width = c.call_base("-", {integer(c, stop), integer(c, start)});
      count = c.call_base("+", {width, one});
    }
  }
  Iterable out;
  if (count.is_constant()) {
    const int64_t n = std::max<int64_t>(count.constant.get<int64_t>(), 0);
    out.count = [n](Compiler& k) { return k.int_constant(n); };
  } else {
    const IrValue n = at_least_zero(c, c.scalar(count));
    out.count = [n](Compiler&) { return n; };
  }
  out.at = [start, step, element](Compiler& k, IrValue i) {
    Abstract offset = k.convert(element, of_int(i));
    if (step.is_defined()) offset = k.call_base("*", {offset, step});
    return k.convert(element, k.call_base("+", {start, offset}));
  };
  return out;
}

}  // namespace

bool is_of_program(const std::shared_ptr<const Target>& target) {
  return target && target->body != nullptr && target->body->module != nullptr && !target->body->module->is_library;
}

bool iterates_itself(Compiler& c, const Abstract& v) {
  if (!v.is_defined() || v.is_unknown() || number_kind(v.type)) return false;
  const bool has_elements = v.type->is_tuple || v.type->name == core().named_tuple_name || is_array_object(c, v);
  if (has_elements) return false;
  const Value iterate = c.evaluator().base_function("iterate");
  const std::vector<const Type*> types = {iterate.type(), v.type};
  const auto target = c.evaluator().impl().target_of_types(&iterate, iterate.type(), types, false);
  if (is_of_program(target)) return true;
  const std::function<bool(const Abstract&)> holds_one = [&](const Abstract& f) {
    if (!f.is_defined() || !f.type->is_tuple) return iterates_itself(c, f);
    const Abstract all = c.expanded(f);
    return all.kind == How::kFields && std::ranges::any_of(all.fields, holds_one);
  };
  const Abstract whole = c.expanded(v);
  return target && whole.kind == How::kFields && std::ranges::any_of(whole.fields, holds_one);
}

Iterable iterable_of(Compiler& c, const Abstract& v) {
  if (!v.is_defined()) c.fail(Cause::kWidening, "a loop over a value that would have two types");
  const std::string name = name_of(v);
  Iterable out;
  if (v.type->is_tuple || v.type->name == core().named_tuple_name) {
    if (v.type->field_count() > kMostUnrolled)
      c.fail(Cause::kUnsupported, "a loop over a tuple of " + std::to_string(v.type->field_count()) + " elements");
    out.is_unrolled = true;
    for (size_t i = 0; i < v.type->field_count(); ++i) out.elements.push_back(c.field(v, i));
    return out;
  }
  if (is_list(c, v)) {
    out.is_unrolled = true;
    out.elements = all_elements(c, v);
    return out;
  }
  if (is_bounded(c, v)) {
    out.count = [v](Compiler& k) { return count_of(k, v); };
    out.at = [v](Compiler& k, IrValue i) { return element_at(k, v, i); };
    return out;
  }
  if (number_kind(v.type)) {
    out.count = [](Compiler& k) { return k.int_constant(1); };
    out.at = [v](Compiler&, IrValue) { return v; };
    return out;
  }
  const bool is_range = name == "UnitRange" || name == "OneTo" || name == "StepRange";
  if (is_range && number_kind(v.type->parameters[0]) && is_integer(*number_kind(v.type->parameters[0])))
    return integer_range(c, v);
  if (is_array_object(c, v)) {
    const Abstract array = array_argument(c, v);
    const Abstract n = length_value(c, c.object(array));
    out.count = [n](Compiler& k) { return k.scalar(n); };
    out.at = [array](Compiler& k, IrValue i) { return element_at(k, array, i); };
    return out;
  }
  // Of several dimensions: extents as well.
  const auto inner = [&](size_t field) { return iterable_of(c, c.field(v, field)); };
  const auto only_plain = [&](const Iterable& i) {
    if (i.is_unrolled || i.accepts) c.fail(Cause::kUnsupported, "a loop over a " + type_text(v.type));
  };
  if (name == "Enumerate") {
    Iterable of = inner(0);
    if (of.is_unrolled) {
      out.is_unrolled = true;
      for (size_t i = 0; i < of.elements.size(); ++i)
        out.elements.push_back(c.tuple({Abstract::of_constant(number(static_cast<int64_t>(i + 1))), of.elements[i]}));
      return out;
    }
    only_plain(of);
    out.count = of.count;
    out.at = [of](Compiler& k, IrValue i) {
      return k.tuple({of_int(op2(k, "stablehlo.add", i, int_like(k, i, 1))), of.at(k, i)});
    };
    return out;
  }
  if (name == "Zip") {
    const Abstract parts = c.field(v, 0);
    std::vector<Iterable> each;
    bool unrolled = false;
    for (size_t i = 0; i < parts.type->field_count(); ++i) {
      each.push_back(iterable_of(c, c.field(parts, i)));
      unrolled = unrolled || each.back().is_unrolled;
    }
    if (unrolled) {
      size_t n = SIZE_MAX;
      for (const Iterable& e : each) {
        if (!e.is_unrolled) c.fail(Cause::kUnsupported, "zip of a tuple and something else");
        n = std::min(n, e.elements.size());
      }
      out.is_unrolled = true;
      for (size_t i = 0; i < n; ++i) {
        std::vector<Abstract> row;
        for (const Iterable& e : each) row.push_back(e.elements[i]);
        out.elements.push_back(c.tuple(std::move(row)));
      }
      return out;
    }
    for (const Iterable& e : each) only_plain(e);
    out.count = [each](Compiler& k) {
      IrValue n = each.front().count(k);
      for (size_t i = 1; i < each.size(); ++i) n = op2(k, "stablehlo.minimum", n, each[i].count(k));
      return n;
    };
    out.at = [each](Compiler& k, IrValue i) {
      std::vector<Abstract> row;
      for (const Iterable& e : each) row.push_back(e.at(k, i));
      return k.tuple(std::move(row));
    };
    return out;
  }
  if (name == "Pairs") {
    const Abstract data = c.field(v, 0), keys = c.field(v, 1);
    const auto pair = [](Compiler& k, const Abstract& key, const Abstract& x) {
      return k.constant_or_fields(applied(core().pair, {key.type, x.type}), {key, x});
    };
    const Iterable by_key = inner(1), of = inner(0);
    if (of.is_unrolled) {
      out.is_unrolled = true;
      for (size_t i = 0; i < of.elements.size(); ++i) {
        const Abstract key =
            by_key.is_unrolled ? by_key.elements[i] : Abstract::of_constant(number(static_cast<int64_t>(i + 1)));
        out.elements.push_back(pair(c, key, of.elements[i]));
      }
      return out;
    }
    only_plain(of);
    only_plain(by_key);
    out.count = of.count;
    out.at = [of, by_key, pair](Compiler& k, IrValue i) { return pair(k, by_key.at(k, i), of.at(k, i)); };
    return out;
  }
  if (name == "Repeated") {
    Abstract x = c.field(v, 0);
    out.count = [](Compiler& k) { return k.int_constant(INT64_MAX); };
    out.at = [x](Compiler&, IrValue) { return x; };
    return out;
  }
  if (name == "Take" || name == "Drop") {
    const Iterable of = inner(0);
    const Abstract given = c.convert(core().int64, c.field(v, 1));
    if (of.is_unrolled || of.accepts) c.fail(Cause::kUnsupported, "a loop over a " + type_text(v.type));
    const bool takes = name == "Take";
    const IrValue n = at_least_zero(c, c.scalar(given));
    const auto known_n =
        given.is_constant() ? std::optional(std::max<int64_t>(given.constant.get<int64_t>(), 0)) : std::nullopt;
    out.count = [of, n, takes, known_n](Compiler& k) {
      const IrValue all = of.count(k);
      const auto known_all = known_number(k.b().function(), all);
      if (known_n && known_all)
        return k.int_constant(takes ? std::min(*known_n, *known_all) : std::max<int64_t>(*known_all - *known_n, 0));
      return takes ? op2(k, "stablehlo.minimum", all, n) : at_least_zero(k, op2(k, "stablehlo.subtract", all, n));
    };
    out.at = [of, n, takes](Compiler& k, IrValue i) { return of.at(k, takes ? i : op2(k, "stablehlo.add", i, n)); };
    return out;
  }
  if (name == "Generator") {
    const Abstract f = c.field(v, 0);
    Iterable of = inner(1);
    if (of.is_unrolled) {
      out.is_unrolled = true;
      for (const Abstract& x : of.elements) out.elements.push_back(c.call(f, {x}));
      return out;
    }
    out = of;
    out.at = [of, f](Compiler& k, IrValue i) { return k.call(f, {of.at(k, i)}); };
    return out;
  }
  if (name == "Filter") {
    const Abstract f = c.field(v, 0);
    const Iterable of = inner(1);
    if (of.is_unrolled) c.fail(Cause::kUnsupported, "a filtered tuple");
    out = of;
    out.accepts = [of, f](Compiler& k, IrValue i) {
      const IrValue here = k.scalar(k.call(f, {of.at(k, i)}));
      return of.accepts ? op2(k, "stablehlo.and", of.accepts(k, i), here) : here;
    };
    return out;
  }
  if (name == "Reverse") {
    const Iterable of = inner(0);
    if (of.is_unrolled) {
      out.is_unrolled = true;
      out.elements.assign(of.elements.rbegin(), of.elements.rend());
      return out;
    }
    only_plain(of);
    out.count = of.count;
    out.at = [of](Compiler& k, IrValue i) {
      const IrValue last = op2(k, "stablehlo.subtract", of.count(k), k.int_constant(1));
      return of.at(k, op2(k, "stablehlo.subtract", last, i));
    };
    return out;
  }
  if (name == "ProductIterator" || name == "CartesianIndices") {
    const Abstract parts = c.field(v, 0);
    std::vector<Iterable> each;
    for (size_t i = 0; i < parts.type->field_count(); ++i) {
      each.push_back(iterable_of(c, c.field(parts, i)));
      if (each.back().is_unrolled || each.back().accepts) c.fail(Cause::kUnsupported, "a product of tuples");
    }
    out.count = [each](Compiler& k) {
      IrValue n = k.int_constant(1);
      for (const Iterable& e : each) n = op2(k, "stablehlo.multiply", n, e.count(k));
      return n;
    };
    const bool is_cartesian = name == "CartesianIndices";
    const auto rank = static_cast<int64_t>(each.size());
    out.at = [each, is_cartesian, rank](Compiler& k, IrValue i) {
      std::vector<Abstract> row;
      IrValue left = i;
      for (size_t d = 0; d < each.size(); ++d) {
        const IrValue n = each[d].count(k);
        const bool last = d + 1 == each.size();
        row.push_back(each[d].at(k, last ? left : op2(k, "stablehlo.remainder", left, n)));
        if (!last) left = op2(k, "stablehlo.divide", left, n);
      }
      Abstract t = k.tuple(std::move(row));
      if (!is_cartesian) return t;
      return Abstract::of_fields(applied(builtin_type("CartesianIndex"), {make_int(rank)}), {t});
    };
    return out;
  }
  if (subtype(v.type, core().abstract_array)) {
    // Any other array: by its length and elements.
    const Abstract n = integer(c, c.call_base("length", {v}));
    const IrValue count = c.scalar(n);
    out.count = [count](Compiler&) { return count; };
    if (n.is_constant()) {
      const auto known = n.constant.get<int64_t>();
      out.count = [known](Compiler& k) { return k.int_constant(known); };
    }
    out.at = [v](Compiler& k, IrValue i) {
      return k.call_base("getindex", {v, of_int(op2(k, "stablehlo.add", i, int_like(k, i, 1)))});
    };
    return out;
  }
  c.fail(Cause::kUnsupported, "a loop over a " + type_text(v.type));
}

}  // namespace weft::julia
