// Broadcasting: trees of broadcasts, and what they are put into.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/elements_of.h"
#include "julia/infer/emit/slices.h"
#include "julia/infer/open_extents.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

using Args = std::span<const Abstract>;

bool is_broadcasted(const Abstract& a) { return a.type->name->name == Symbol("Broadcasted"); }
bool is_ref(const Abstract& a) { return a.type->name->name == Symbol("RefValue"); }

int64_t rank_of(Compiler& c, const Abstract& a) {
  if (is_array_object(c, a)) return static_cast<int64_t>(c.object(array_argument(c, a)).dims.size());
  for (const DataType* t = a.type; t != core().any; t = t->super()) {
    if (t->name->name == Symbol("AbstractArray") && t->parameters.size() == 2 &&
        t->parameters[1]->kind == TypeKind::kConstant)
      return static_cast<const Constant*>(t->parameters[1])->bits;
  }
  return -1;
}

const Type* base_type(Compiler& c, const char* name) {
  return find_binding(c.evaluator().base(), name)->value.as_type();
}

Abstract broadcasted_of(const Abstract& style, const Abstract& f, std::vector<Abstract> arguments) {
  std::vector<const Type*> types;
  for (const Abstract& x : arguments) types.push_back(x.type);
  const DataType* tuple = make_tuple_type(types);
  const DataType* type = applied(builtin_type("Broadcasted"), {style.type, core().nothing, f.dispatched(), tuple});
  return Abstract::of_fields(type, {style, f, Abstract::of_fields(tuple, std::move(arguments)), Abstract::nothing()});
}

Abstract style_of(Compiler& c, int64_t rank) {
  return Abstract::of_constant(Value::singleton(applied(base_type(c, "DefaultArrayStyle"), {make_int(rank)})));
}

Abstract broadcasted(Compiler& c, Args a) {
  std::vector<Abstract> arguments;
  int64_t rank = 0;
  bool tuples = false, ranges = false, others = false;
  const Type* abstract_range = builtin_type("AbstractRange");
  for (const Abstract& given : a.subspan(1)) {
    Abstract x = given;
    const bool plain = number_kind(x.type) || x.type->is_tuple || is_broadcasted(x) || is_array_object(c, x) ||
                       subtype(x.type, core().abstract_array) || is_ref(x);
    if (!plain) x = c.call_base("broadcastable", {x});
    if (is_broadcasted(x)) {
      const DataType* style = c.field(x, 0).type;
      const bool is_default = style->name->name == Symbol("DefaultArrayStyle");
      if (!is_default) tuples = true;
      else rank = std::max(rank, static_cast<const Constant*>(style->parameters[0])->bits);
      others = true;
    } else if (x.type->is_tuple) {
      tuples = true;
    } else if (!number_kind(x.type) && !is_ref(x)) {
      const int64_t n = rank_of(c, x);
      if (n > 0) rank = std::max(rank, n);
      if (subtype(x.type, abstract_range)) ranges = true;
      else others = others || n > 0;
    }
    arguments.push_back(std::move(x));
  }
  if (ranges && !others && !tuples) {
    std::vector<Abstract> all = {a[0]};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return c.call_base("_broadcasted_ranges", std::move(all));
  }
  const Abstract style = tuples && rank == 0
                             ? Abstract::of_constant(Value::singleton(as<DataType>(base_type(c, "TupleStyle"))))
                             : style_of(c, rank);
  return broadcasted_of(style, a[0], std::move(arguments));
}

Abstract broadcasted_plain(Compiler&, Args a) { return broadcasted_of(a[0], a[1], {a.begin() + 2, a.end()}); }

/// The arguments of a tree of broadcasts, each with its extents.
struct Part {
  Abstract value;
  Extents dims;
  bool is_scalar = false;
  Abstract count = {};  // how many elements, where that is known only when the program runs
};

/// The length of a vector that is known only when the program runs; undefined for others.
Abstract count_when_run(Compiler& c, const Abstract& x) {
  const bool is_view = x.type->name->name == Symbol("SubArray");
  if (!is_bounded(c, x) && !(is_view && rank_of(c, x) == 1)) return {};
  const Abstract n = c.call_base("length", {x});
  return n.is_constant() ? Abstract() : n;
}

void gather(Compiler& c, const Abstract& bc, std::vector<Part>& parts) {
  const Abstract arguments = c.expanded(bc.fields[2]);
  for (size_t i = 0; i < arguments.type->field_count(); ++i) {
    const Abstract x = c.field(arguments, i);
    if (is_broadcasted(x)) {
      gather(c, c.expanded(x), parts);
      continue;
    }
    Part p;
    p.value = x;
    if (x.type->is_tuple) {
      p.dims = {static_cast<int64_t>(x.type->field_count())};
    } else if (is_ref(x)) {
      p.value = c.field(x, 0);
      p.is_scalar = true;
    } else if (number_kind(x.type) || !subtype(x.type, core().abstract_array)) {
      p.is_scalar = true;
    } else if (is_array_object(c, x)) {
      p.dims = c.object(array_argument(c, x)).dims;
    } else if (const Abstract n = count_when_run(c, x); n.is_defined()) {
      p.count = n;
    } else {
      p.dims = dims_of(c, x);
    }
    parts.push_back(std::move(p));
  }
}

Abstract run_tree(Compiler& c, const Abstract& bc, const std::vector<Abstract>& elements, size_t& next) {
  const Abstract arguments = c.expanded(bc.fields[2]);
  std::vector<Abstract> values;
  for (size_t i = 0; i < arguments.type->field_count(); ++i) {
    const Abstract x = c.field(arguments, i);
    values.push_back(is_broadcasted(x) ? run_tree(c, c.expanded(x), elements, next) : elements[next++]);
  }
  return c.call(bc.fields[1], std::move(values));
}

std::vector<int64_t> common_dims(Compiler& c, const std::vector<Part>& parts) {
  std::vector<int64_t> out;
  for (const Part& p : parts) {
    for (size_t d = 0; d < p.dims.size(); ++d) {
      if (d >= out.size()) out.push_back(p.dims[d]);
      else if (out[d] == 1) out[d] = p.dims[d];
      else if (p.dims[d] != 1 && p.dims[d] != out[d])
        c.fail(Cause::kUnsupported, "DimensionMismatch: arrays could not be broadcast to a common size");
    }
  }
  return out;
}

Abstract elements_of_tuple(Compiler& c, const Abstract& t) {
  std::vector<Abstract> all;
  for (size_t i = 0; i < t.type->field_count(); ++i) all.push_back(c.field(t, i));
  return find_emission("_vect")(c, all);
}

/// The extents of a broadcast over parts some of which are open.
GivenExtents common_extents(Compiler& c, const std::vector<Part>& parts) {
  const auto is_one = [](const Part& p, size_t d) { return !p.dims.is_open(d) && p.dims[d] == 1; };
  std::vector<const Part*> from;  // whose extent it is
  for (const Part& p : parts) {
    for (size_t d = 0; d < p.dims.size(); ++d) {
      if (d >= from.size()) from.push_back(&p);
      else if (is_one(*from[d], d)) from[d] = &p;
      else if (!is_one(p, d) && !p.dims.is_equal(d, from[d]->dims))
        c.fail(Cause::kShape, "a broadcast over arrays whose open extents may differ");
    }
  }
  GivenExtents out;
  for (size_t d = 0; d < from.size(); ++d) {
    const Extents& dims = from[d]->dims;
    if (dims.is_open(d)) {
      out.dims.push_open(dims.open_number(d));
      out.values.push_back(extent_of(c, c.object(array_argument(c, from[d]->value)), d));
    } else {
      out.dims.push_back(dims[d]);
      out.values.push_back(Abstract::of_constant(number(dims[d])));
    }
  }
  return out;
}

/// A broadcast over open extents, element by element.
Abstract broadcast_open(Compiler& c, const Abstract& bc, std::vector<Part> parts, const GivenExtents& extents,
                        const Type* element, bool bits) {
  for (Part& p : parts) {
    if (p.value.type->is_tuple) p.value = elements_of_tuple(c, p.value);
  }
  return collect_open(c, extents, element, bits, [&](const std::vector<IrValue>& at) {
    std::vector<Abstract> elements;
    for (const Part& p : parts) {
      if (p.is_scalar) {
        elements.push_back(p.value);
        continue;
      }
      std::vector<IrValue> own;
      for (size_t d = 0; d < p.dims.size(); ++d)
        own.push_back(!p.dims.is_open(d) && p.dims[d] == 1 ? c.int_constant(0) : at[d]);
      if (is_array_object(c, p.value)) {
        elements.push_back(element_at_positions(c, c.object(array_argument(c, p.value)), own));
        continue;
      }
      const Iterable it = iterable_of(c, p.value);
      if (own.size() != 1 || it.accepts || it.is_unrolled)
        c.fail(Cause::kUnsupported, "a broadcast over open extents and a " + type_text(p.value.type));
      elements.push_back(it.at(c, own[0]));
    }
    size_t next = 0;
    return run_tree(c, bc, elements, next);
  });
}

bool has_open(const std::vector<Part>& parts) {
  return std::ranges::any_of(parts, [](const Part& p) { return p.dims.is_open(); });
}

/// The elements of one argument spread over the result's extents.
IrValue spread(Compiler& c, IrValue leaf, const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  if (from == to) return leaf;
  std::vector<int64_t> kept, axes;
  const auto rank = static_cast<int64_t>(to.size());
  for (size_t k = from.size(); k-- > 0;) {
    if (from[k] == 1) continue;
    kept.push_back(from[k]);
    axes.push_back(rank - 1 - static_cast<int64_t>(k));
  }
  return c.b().broadcast_in_dim(c.b().reshape(leaf, kept), axes, reversed(to));
}

/// Every element of a broadcast over these extents, converted to `element` where it is given.
Abstract broadcast_over(Compiler& c, const Abstract& bc, std::vector<Part> parts, const std::vector<int64_t>& dims,
                        const Type* element, std::vector<IrValue>& leaves) {
  std::vector<Abstract> whole;
  std::vector<std::function<Abstract(IrValue)>> at;
  for (Part& p : parts) {
    if (p.is_scalar) {
      whole.push_back(p.value);
      at.emplace_back([v = p.value](IrValue) { return v; });
      continue;
    }
    if (p.value.type->is_tuple) p.value = elements_of_tuple(c, p.value);
    const ElementSource s = source_of(c, p.value, p.dims);
    Abstract all = s.whole;
    const std::function<void(Abstract&)> spread_all = [&](Abstract& x) {
      if (x.kind == How::kScalar && c.b().type(x.ir).rank() > 0) x.ir = spread(c, x.ir, p.dims, dims);
      for (Abstract& f : x.fields) spread_all(f);
    };
    spread_all(all);
    whole.push_back(all);
    at.emplace_back([&c, s, from = p.dims, dims](IrValue k) {
      if (from == dims) return s.at(k);
      IrValue position;
      IrValue left = k;
      int64_t stride = 1;
      for (size_t d = 0; d < dims.size(); ++d) {
        const IrValue i = op2(c, "stablehlo.remainder", left, int_like(c, left, std::max<int64_t>(dims[d], 1)));
        left = op2(c, "stablehlo.divide", left, int_like(c, left, std::max<int64_t>(dims[d], 1)));
        if (d >= from.size() || from[d] == 1) continue;
        const IrValue term = op2(c, "stablehlo.multiply", i, int_like(c, i, stride));
        position = position ? op2(c, "stablehlo.add", position, term) : term;
        stride *= from[d];
      }
      return s.at(position ? position : c.int_constant(0));
    });
  }
  const auto body = [&](std::vector<Abstract> elements) {
    for (const Abstract& x : elements) {
      if (!x.is_defined()) c.fail(Cause::kUnsupported, "elements one after another");
    }
    size_t next = 0;
    Abstract v = run_tree(c, bc, elements, next);
    return element == nullptr ? v : c.convert(element, v);
  };
  return c.map_elements(bc.type, body, at, whole, reversed(dims), leaves);
}

/// Elements one after another, where the number of them is known only when the program runs. `each` gets them with their 0-based places.
IrValue counted_parts(Compiler& c, const std::vector<Part>& parts, const Abstract& into,
                      std::vector<std::function<Abstract(IrValue)>>& at) {
  IrValue count = into.is_defined() ? c.scalar(into) : IrValue();
  for (const Part& p : parts) {
    if (p.is_scalar) {
      at.emplace_back([v = p.value](IrValue) { return v; });
      continue;
    }
    const Iterable it = iterable_of(c, p.value);
    if (p.dims.size() > 1 || it.is_unrolled || it.accepts)
      c.fail(Cause::kShape, "a broadcast of a vector of unknown length with a " + type_text(p.value.type));
    at.emplace_back([&c, it](IrValue k) { return it.at(c, k); });
    const IrValue n = it.count(c);
    if (count)
      check_all(c, compare2(c, n, count, "EQ"), "DimensionMismatch: arrays could not be broadcast to a common size");
    else count = n;
  }
  return count;
}

Abstract run_counted(Compiler& c, const Abstract& bc, const std::vector<std::function<Abstract(IrValue)>>& at,
                     IrValue k) {
  std::vector<Abstract> elements;
  for (const auto& element : at) elements.push_back(element(k));
  size_t next = 0;
  return run_tree(c, bc, elements, next);
}

bool are_counted(const std::vector<Part>& parts) {
  return std::ranges::any_of(parts, [](const Part& p) { return p.count.is_defined(); });
}

Abstract materialize_counted(Compiler& c, const Abstract& bc, const std::vector<Part>& parts) {
  std::vector<std::function<Abstract(IrValue)>> at;
  const IrValue count = counted_parts(c, parts, {}, at);
  int64_t bound = INT64_MAX;
  for (const Part& p : parts) {
    if (!p.is_scalar) bound = std::min(bound, bound_of(c, p.value));
  }
  Abstract out = collect_counted(c, nullptr, bound, count, [&](IrValue k) { return run_counted(c, bc, at, k); });
  if (c.object(out).element != core().bool_) return out;
  const DataType* type = applied(core().bit_array, {make_int(1)});
  c.writable(out).type = type;
  return Abstract::of_object(type, out.object);
}

/// Arrays of which one is a list: element by element, in the order of the result.
Abstract materialize_unrolled(Compiler& c, const Abstract& bc, const std::vector<Part>& parts,
                              const std::vector<int64_t>& dims) {
  std::vector<std::vector<Abstract>> each;
  for (const Part& p : parts) each.push_back(p.is_scalar ? std::vector{p.value} : all_elements(c, p.value));
  std::vector<Abstract> out;
  for (int64_t k = 0; k < num_elements(dims); ++k) {
    std::vector<Abstract> elements;
    for (size_t i = 0; i < parts.size(); ++i) {
      int64_t left = k, place = 0, stride = 1;
      for (size_t d = 0; d < parts[i].dims.size(); ++d) {
        const int64_t own = left % dims[d];
        left /= dims[d];
        if (parts[i].dims[d] != 1) place += own * stride;
        stride *= parts[i].dims[d];
      }
      elements.push_back(each[i][static_cast<size_t>(place)]);
    }
    size_t next = 0;
    out.push_back(run_tree(c, bc, elements, next));
    if (c.activation()->is_dead) return Abstract::nothing();
  }
  return array_of_elements(c, std::move(out), dims);
}

Abstract materialize(Compiler& c, Args a) {
  const Abstract bc = c.expanded(a[0]);
  const DataType* style = bc.fields[0].type;
  std::vector<Part> parts;
  gather(c, bc, parts);
  if (style->name->name != Symbol("DefaultArrayStyle")) {
    // Tuples: element by element.
    size_t n = 1;
    for (const Part& p : parts) {
      if (!p.is_scalar && p.value.type->field_count() != 1) n = p.value.type->field_count();
    }
    std::vector<Abstract> out;
    for (size_t i = 0; i < n; ++i) {
      std::vector<Abstract> elements;
      for (const Part& p : parts)
        elements.push_back(p.is_scalar ? p.value : c.field(p.value, p.value.type->field_count() == 1 ? 0 : i));
      size_t next = 0;
      out.push_back(run_tree(c, bc, elements, next));
      if (c.activation()->is_dead) return Abstract::nothing();
    }
    return c.tuple(std::move(out));
  }
  if (has_open(parts)) return broadcast_open(c, bc, parts, common_extents(c, parts), nullptr, true);
  if (are_counted(parts)) return materialize_counted(c, bc, parts);
  const std::vector<int64_t> dims = common_dims(c, parts);
  const bool has_list = std::ranges::any_of(parts, [&](const Part& p) { return !p.is_scalar && is_list(c, p.value); });
  if (has_list && num_elements(dims) > 0) return materialize_unrolled(c, bc, parts, dims);
  if (dims.empty()) {
    std::vector<Abstract> elements;
    const Abstract zero = Abstract::of_constant(number(int64_t{1}));
    for (const Part& p : parts) elements.push_back(p.is_scalar ? p.value : c.call_base("getindex", {p.value, zero}));
    size_t next = 0;
    return run_tree(c, bc, elements, next);
  }
  std::vector<IrValue> leaves;
  const Abstract like = broadcast_over(c, bc, parts, dims, nullptr, leaves);
  return array_of_leaves(c, like, dims, std::move(leaves), true);
}

Abstract open_into(Compiler& c, const Abstract& destination, const Abstract& bc, std::vector<Part> parts) {
  const Abstract array = array_argument(c, destination);
  const HeapObject o = c.object(array);
  for (const Part& p : parts) {
    for (size_t d = 0; d < p.dims.size(); ++d) {
      const bool is_one = !p.dims.is_open(d) && p.dims[d] == 1;
      if (!is_one && (d >= o.dims.size() || !p.dims.is_equal(d, o.dims)))
        c.fail(Cause::kShape, "a broadcast into an array whose open extents may differ");
    }
  }
  const Abstract made = broadcast_open(c, bc, std::move(parts), extents_of(c, o), o.element, false);
  c.writable(array).leaves = c.object(made).leaves;
  return array;
}

Abstract materialize_into(Compiler& c, Args a) {
  const Abstract bc = c.expanded(a[1]);
  std::vector<Part> parts;
  gather(c, bc, parts);
  if (has_open(parts) || any_open(c, a.first(1))) return open_into(c, a[0], bc, std::move(parts));
  const Abstract count = count_when_run(c, a[0]);
  if (count.is_defined() || are_counted(parts)) {
    for (Part& p : parts) {
      if (!p.is_scalar) p.value = unaliased(c, a[0], p.value);
    }
    std::vector<std::function<Abstract(IrValue)>> at;
    const IrValue n = counted_parts(c, parts, count.is_defined() ? count : c.call_base("length", {a[0]}), at);
    c.fold(c.int_constant(0), n, Abstract::nothing(), [&](IrValue k, const Abstract& none) {
      const Abstract place = Abstract::of_scalar(core().int64, op2(c, "stablehlo.add", k, int_like(c, k, 1)));
      c.call_base("setindex!", {a[0], run_counted(c, bc, at, k), place});
      return none;
    });
    return a[0];
  }
  const std::vector<int64_t> to = dims_of(c, a[0]);
  const std::vector<int64_t> dims = common_dims(c, parts);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t have = d < to.size() ? to[d] : 1;
    if (dims[d] != 1 && dims[d] != have)
      c.fail(Cause::kUnsupported, "DimensionMismatch: array could not be broadcast to match destination");
  }
  std::vector<IrValue> leaves;
  if (is_array_object(c, a[0])) {
    const Abstract array = array_argument(c, a[0]);
    const Type* element = c.object(array).element;
    if (to.empty() || length_of(c.object(array)) > 0) broadcast_over(c, bc, parts, to, element, leaves);
    else return array;
    c.writable(array).leaves = std::move(leaves);
    return array;
  }
  // A view: the block of its parent.
  const Abstract element_type_of_view = c.call_base("eltype", {a[0]});
  const Type* element = c.evaluator().impl().type_of_value(element_type_of_view.constant);
  const Abstract like = broadcast_over(c, bc, parts, to, element, leaves);
  store_view(c, a[0], array_of_leaves(c, like, to, std::move(leaves), false));
  return a[0];
}

constexpr Emission kEmissions[] = {
    {"_broadcasted", broadcasted},
    {"_broadcasted_plain", broadcasted_plain},
    {"_materialize", materialize},
    {"_materialize_into!", materialize_into},
};

}  // namespace

std::span<const Emission> broadcast_emissions() { return kEmissions; }

}  // namespace weft::julia
