// The iteration protocol, where a program calls it by name, and tuples that are made from what is iterated over.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/arrays.h"
#include "julia/infer/iterable.h"
#include "julia/infer/maybe.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;
using How = Abstract::Kind;

Abstract of_int(IrValue v) { return Abstract::of_scalar(core().int64, v); }
Abstract known_int(int64_t v) { return Abstract::of_constant(number(v)); }

/// iterate(container, position) of what has its elements by position: (element, position + 1), or nothing past the end.
Abstract step(Compiler& c, const std::function<Abstract(IrValue)>& at, const Abstract& length,
              const Abstract& position) {
  if (length.is_constant() && position.is_constant()) {
    const auto i = position.constant.get<int64_t>();
    if (i < 1 || i > length.constant.get<int64_t>()) return Abstract::nothing();
    return c.tuple({at(c.int_constant(i - 1)), known_int(i + 1)});
  }
  if (length.is_constant() && length.constant.get<int64_t>() == 0) return Abstract::nothing();
  const IrValue i = c.scalar(position);
  const IrValue one = int_like(c, i, 1);
  const IrValue is_there = op2(c, "stablehlo.and", compare2(c, i, one, "GE"), compare2(c, i, c.scalar(length), "LE"));
  Abstract next = of_int(op2(c, "stablehlo.add", i, one));
  next.origin = i;
  next.offset = 1;
  return maybe_of(c, Abstract::of_scalar(core().bool_, is_there),
                  c.tuple({at(op2(c, "stablehlo.subtract", i, one)), next}));
}

Abstract position_of(Args a) { return a.size() > 1 ? a[1] : known_int(1); }

Abstract array_iterate(Compiler& c, Args a) {
  const Abstract array = array_argument(c, a[0]);
  return step(
      c, [&](IrValue i) { return element_at(c, array, i); }, known_int(length_of(c.object(array))), position_of(a));
}

Abstract range_iterate(Compiler& c, Args a) {
  const auto at = [&](IrValue i) {
    const std::vector<Abstract> both = {a[0], of_int(op2(c, "stablehlo.add", i, int_like(c, i, 1)))};
    return find_emission("_range_element")(c, both);
  };
  return step(c, at, c.convert(core().int64, c.call_base("length", {a[0]})), position_of(a));
}

Abstract cartesian_iterate(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[0]);
  return step(
      c, [&](IrValue i) { return it.at(c, i); }, c.convert(core().int64, c.call_base("length", {a[0]})),
      position_of(a));
}

Abstract cartesian_element(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[0]);
  const IrValue i = c.scalar(a[1]), one = int_like(c, i, 1);
  check_all(c, op2(c, "stablehlo.and", compare2(c, i, one, "GE"), compare2(c, i, it.count(c), "LE")),
            "BoundsError: attempt to access " + type_text(a[0].type));
  return it.at(c, op2(c, "stablehlo.subtract", i, one));
}

Abstract tuple_iterate(Compiler& c, Args a) {
  const Abstract position = position_of(a);
  const auto n = static_cast<int64_t>(a[0].type->field_count());
  const auto at = [&](IrValue i) {
    if (position.is_constant()) return c.field(a[0], static_cast<size_t>(position.constant.get<int64_t>() - 1));
    // Past the end any element will do: nobody looks at it.
    const IrValue last = int_like(c, i, n - 1), zero = int_like(c, i, 0);
    const IrValue inside = op2(c, "stablehlo.minimum", op2(c, "stablehlo.maximum", i, zero), last);
    const std::vector<Abstract> both = {a[0], of_int(op2(c, "stablehlo.add", inside, int_like(c, i, 1)))};
    return find_emission("_getfield")(c, both);
  };
  return step(c, at, known_int(n), position);
}

std::vector<Abstract> fields_of(Compiler& c, const Abstract& t) {
  std::vector<Abstract> out;
  for (size_t i = 0; i < t.type->field_count(); ++i) out.push_back(c.field(t, i));
  return out;
}

/// The elements of a tuple at positions that are known now.
Abstract tuple_select(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[1]);
  std::vector<Abstract> positions = it.elements;
  if (!it.is_unrolled) {
    const int64_t n =
        c.known_int(c.convert(core().int64, c.call_base("length", {a[1]})), "how many elements of a tuple are taken");
    for (int64_t k = 1; k <= n; ++k) positions.push_back(c.call_base("getindex", {a[1], known_int(k)}));
  }
  std::vector<Abstract> out;
  for (const Abstract& i : positions) {
    out.push_back(c.call_base("getindex", {a[0], i}));
    if (c.activation()->is_dead) return Abstract::nothing();
  }
  return c.tuple(std::move(out));
}

/// (tuple, value, position): with another element there.
Abstract tuple_with(Compiler& c, Args a) {
  std::vector<Abstract> out = fields_of(c, a[0]);
  const int64_t i = c.known_int(a[2], "the place of a tuple's element");
  if (i < 1 || i > static_cast<int64_t>(out.size())) {
    c.throws("BoundsError: attempt to access a tuple");
    return Abstract::nothing();
  }
  out[static_cast<size_t>(i - 1)] = a[1];
  return c.tuple(std::move(out));
}

Abstract tuple_collect(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[0]);
  if (it.is_unrolled) return c.tuple(it.elements);
  if (it.accepts)
    c.fail(Cause::kShape, "a tuple of the elements that a filter lets through: their number depends on data");
  const int64_t n = c.known_int(c.convert(core().int64, c.call_base("length", {a[0]})), "the length of a tuple");
  constexpr int64_t kLongest = 256;
  if (n > kLongest) c.fail(Cause::kUnsupported, "a tuple of " + std::to_string(n) + " elements", "use an array");
  // Elements of ranges are known by their place, which functions such as `d -> size(A, d)` need.
  const bool is_mapped = a[0].type->name->name == Symbol("Generator");
  const Abstract inner = is_mapped ? c.field(a[0], 1) : a[0];
  const bool is_range = subtype(inner.type, builtin_type("AbstractRange"));
  std::vector<Abstract> out;
  for (int64_t k = 0; k < n; ++k) {
    if (is_range) {
      const Abstract x = c.call_base("getindex", {inner, known_int(k + 1)});
      out.push_back(is_mapped ? c.call(c.field(a[0], 0), {x}) : x);
    } else {
      out.push_back(it.at(c, c.int_constant(k)));
    }
    if (c.activation()->is_dead) return Abstract::nothing();
  }
  return c.tuple(std::move(out));
}

/// convert(T, tuple): each element to its own type.
Abstract tuple_convert(Compiler& c, Args a) {
  if (!a[0].is_constant() || !a[0].constant.is_type()) c.fail(Cause::kDispatch, "a tuple type that is not known");
  const auto* t = as<DataType>(unwrap_union_all(a[0].constant.as_type()));
  if (t == nullptr || !t->is_tuple)
    c.fail(Cause::kUnsupported, "a conversion to " + type_text(a[0].constant.as_type()));
  std::vector<Abstract> out = fields_of(c, a[1]);
  const Vararg* rest = t->parameters.empty() ? nullptr : as<Vararg>(t->parameters.back());
  const size_t least = t->parameters.size() - (rest != nullptr ? 1 : 0);
  if (out.size() < least || (rest == nullptr && out.size() > least)) {
    c.throws("MethodError: Cannot `convert` an object of type " + type_text(a[1].type) + " to an object of type " +
             type_text(a[0].constant.as_type()));
    return Abstract::nothing();
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Type* to = i < least ? t->parameters[i] : rest->element;
    if (to->kind == TypeKind::kVar) to = as<TypeVar>(to)->upper;
    out[i] = c.convert(to, out[i]);
    if (c.activation()->is_dead) return Abstract::nothing();
  }
  return c.tuple(std::move(out));
}

/// The names of a tuple of symbols.
std::vector<Symbol> names_of(Compiler& c, const Abstract& t) {
  if (!t.is_constant()) c.fail(Cause::kDispatch, "names of a named tuple that are known only when the program runs");
  std::vector<Symbol> out;
  for (size_t i = 0; i < field_count(t.constant); ++i) {
    const Value v = get_field(t.constant, i);
    if (!v.is(core().symbol)) c.fail(Cause::kUnsupported, "a name that is no symbol");
    out.push_back(v.as_symbol());
  }
  return out;
}

Abstract named_tuple(Compiler& c, Args a) {
  const std::vector<Symbol> names = names_of(c, a[0]);
  if (names.size() != a[1].type->field_count()) {
    c.throws("ArgumentError: Wrong number of arguments to named tuple constructor.");
    return Abstract::nothing();
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]) ==
        names.begin() + static_cast<ptrdiff_t>(i))
      continue;
    c.throws("ErrorException: duplicate field name in NamedTuple: \"" + names[i].text() + "\" is not unique");
    return Abstract::nothing();
  }
  return c.named_tuple(names, fields_of(c, a[1]));
}

/// The fields of the first, with the values of the second where it has them, then the second's other fields.
Abstract named_merge(Compiler& c, Args a) {
  std::vector<Symbol> names = a[0].type->field_names();
  std::vector<Abstract> values = fields_of(c, a[0]);
  const std::vector<Symbol> more = a[1].type->field_names();
  for (size_t i = 0; i < more.size(); ++i) {
    const auto it = std::ranges::find(names, more[i]);
    if (it != names.end()) {
      values[static_cast<size_t>(it - names.begin())] = c.field(a[1], i);
      continue;
    }
    names.push_back(more[i]);
    values.push_back(c.field(a[1], i));
  }
  return c.named_tuple(names, std::move(values));
}

Abstract named_without(Compiler& c, Args a) {
  const std::vector<Symbol> dropped = names_of(c, a[1]), all = a[0].type->field_names();
  std::vector<Symbol> names;
  std::vector<Abstract> values;
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::ranges::find(dropped, all[i]) != dropped.end()) continue;
    names.push_back(all[i]);
    values.push_back(c.field(a[0], i));
  }
  return c.named_tuple(names, std::move(values));
}

constexpr Emission kEmissions[] = {
    {"_array_iterate", array_iterate},
    {"_range_iterate", range_iterate},
    {"_cartesian_iterate", cartesian_iterate},
    {"_cartesian_element", cartesian_element},
    {"_tuple_iterate", tuple_iterate},
    {"_tuple_select", tuple_select},
    {"_tuple_with", tuple_with},
    {"_tuple_collect", tuple_collect},
    {"_tuple_convert", tuple_convert},
    {"_named_tuple", named_tuple},
    {"_named_merge", named_merge},
    {"_named_without", named_without},
};

}  // namespace

std::span<const Emission> iteration_emissions() { return kEmissions; }

}  // namespace weft::julia
