// Arrays: elements, extents, making and copying.
#include "julia/infer/emit/arrays.h"

#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/open_extents.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

int64_t length_of(const HeapObject& o) { return num_elements(o.dims); }

std::vector<int64_t> reversed(const std::vector<int64_t>& dims) { return {dims.rbegin(), dims.rend()}; }

bool is_array_object(Compiler& c, const Abstract& a) {
  return a.kind == How::kObject ? c.object(a).is_array : a.is_constant() && is_array(a.constant);
}

Abstract array_argument(Compiler& c, const Abstract& given) {
  const Abstract a = c.expanded(given);
  if (is_bounded(c, a))
    c.fail(Cause::kShape,
           "a vector whose length is known only when the program runs, where compiled code needs to know it",
           "use a mask instead of what it selects, as in sum(x .* mask), or give the array its final size");
  if (is_list(c, a))
    c.fail(Cause::kContainer,
           "an array of elements of type " + type_text(c.object(a).element) + " where compiled code has numbers only");
  if (a.kind != How::kObject || !c.object(a).is_array)
    c.fail(Cause::kUnsupported, "an array of type " + type_text(given.type) + " in compiled code");
  return a;
}

std::vector<int64_t> known_dims(Compiler& c, const Abstract& tuple) {
  std::vector<int64_t> out;
  if (tuple.type->is_tuple) {
    for (size_t i = 0; i < tuple.type->field_count(); ++i)
      out.push_back(c.known_int(c.convert(core().int64, c.field(tuple, i)), "an array's size"));
  } else {
    out.push_back(c.known_int(c.convert(core().int64, tuple), "an array's size"));
  }
  for (const int64_t d : out) {
    if (d < 0) c.fail(Cause::kUnsupported, "an array of a negative size");
  }
  return out;
}

Abstract make_filled(Compiler& c, const Type* element, const GivenExtents& extents, const Abstract* value) {
  if (!is_plain_element(c, element)) {
    const auto n = static_cast<size_t>(num_elements(extents.dims));
    return make_list(c, element, extents.dims, std::vector<Abstract>(n, value != nullptr ? *value : Abstract()));
  }
  std::vector<const DataType*> types;
  c.leaves_of_type(element, types);
  std::vector<IrValue> leaves;
  if (value != nullptr) {
    c.append_leaves(*value, leaves);
    for (IrValue& v : leaves) v = filled_tensor(c, v, extents);
  } else {
    for (const DataType* t : types) leaves.push_back(zero_tensor(c, *element_type(t), extents));
  }
  return c.new_array(array_type(element, static_cast<int64_t>(extents.dims.size())), extents.dims, std::move(leaves));
}

Abstract make_filled(Compiler& c, const Type* element, const std::vector<int64_t>& dims, const Abstract* value) {
  return make_filled(c, element, GivenExtents{dims, {}}, value);
}

/// 0-based positions of integer indices, checked; one for each dimension, or a single one over all elements.
std::vector<IrValue> positions(Compiler& c, const HeapObject& o, std::span<const Abstract> indices) {
  if (o.dims.is_open()) return open_positions(c, o, indices);
  const int64_t n = length_of(o);
  std::vector<IrValue> out;
  IrValue holds;
  bool inside = true;
  const auto extent = [&](size_t k) {
    if (indices.size() == 1) return n;
    if (k >= o.dims.size()) return int64_t{1};
    if (k + 1 < indices.size()) return o.dims[k];
    int64_t rest = 1;  // the last index runs over what is left
    for (size_t d = k; d < o.dims.size(); ++d) rest *= o.dims[d];
    return rest;
  };
  for (size_t k = 0; k < indices.size(); ++k) {
    const Num i = convert_num(c, num(c, indices[k]), NumberKind::kInt64);
    const int64_t most = extent(k);
    inside = inside && most > 0;
    if (indices[k].is_constant()) {
      const auto at = convert_number(NumberKind::kInt64, indices[k].constant).get<int64_t>();
      inside = inside && at >= 1 && at <= most;
    } else {
      const IrValue ok = op2(c, "stablehlo.and", compare2(c, i.v, int_like(c, i.v, 1), "GE"),
                             compare2(c, i.v, int_like(c, i.v, most), "LE"));
      holds = holds ? op2(c, "stablehlo.and", holds, ok) : ok;
    }
    if (k < o.dims.size() || indices.size() == 1) out.push_back(op2(c, "stablehlo.subtract", i.v, int_like(c, i.v, 1)));
  }
  std::string extents;
  for (size_t k = 0; k < o.dims.size(); ++k) extents += (k > 0 ? "×" : "") + std::to_string(o.dims[k]);
  const std::string message =
      "BoundsError: attempt to access " + extents + (o.dims.size() == 1 ? "-element " : " ") + type_text(o.type);
  if (!inside) {
    c.throws(message);
    return out;
  }
  if (holds) check_all(c, holds, message);
  return out;
}

/// The linear position of several.
IrValue linear_position(Compiler& c, const HeapObject& o, const std::vector<IrValue>& at) {
  if (at.size() == 1) return at[0];
  IrValue out;
  int64_t stride = 1;
  for (size_t k = 0; k < at.size(); ++k) {
    const IrValue term = stride == 1 ? at[k] : op2(c, "stablehlo.multiply", at[k], int_like(c, at[k], stride));
    out = out ? op2(c, "stablehlo.add", out, term) : term;
    stride *= o.dims[k];
  }
  return out;
}

Abstract element_at(Compiler& c, const Abstract& array, IrValue position) {
  const HeapObject o = c.object(array);
  if (o.dims.is_open()) {
    if (c.b().type(position).rank() > 0)
      c.fail(Cause::kUnsupported, "elements at many positions of an array with open extents");
    return element_at_positions(c, o, positions_of(c, o, position));
  }
  const int64_t n = length_of(o);
  const int64_t flat[] = {n};
  std::vector<IrValue> parts;
  for (const IrValue leaf : o.leaves) {
    if (n == 0) {
      // Code that never runs.
      parts.push_back(c.b().zeros(weft::Type::tensor(c.b().type(leaf).element_type(), c.b().type(position).shape())));
      continue;
    }
    const IrValue whole = c.b().reshape(leaf, flat);
    if (c.b().type(position).rank() == 0) {
      const int64_t one[] = {1};
      parts.push_back(c.b().reshape(c.b().dynamic_slice(whole, std::span(&position, 1), one), {}));
      continue;
    }
    Attrs attrs;
    attrs.set("offset_dims", Attr(Attr::Ints{}));
    attrs.set("collapsed_slice_dims", Attr(Attr::Ints{0}));
    attrs.set("start_index_map", Attr(Attr::Ints{0}));
    attrs.set("index_vector_dim", Attr(c.b().type(position).rank()));
    attrs.set("slice_sizes", Attr(Attr::Ints{1}));
    parts.push_back(c.b().make("stablehlo.gather", {whole, position}, std::move(attrs)));
  }
  size_t next = 0;
  return c.from_leaves(o.element, parts, next);
}

namespace {

using Args = std::span<const Abstract>;

Abstract get(Compiler& c, Args a) {
  const Abstract array = array_argument(c, a[0]);
  const HeapObject o = c.object(array);
  if (a.size() == 1 && !o.dims.empty()) {
    if (length_of(o) == 1) return element_at(c, array, c.int_constant(0));
    c.throws("BoundsError: attempt to access " + type_text(o.type) + " at index []");
    return Abstract::nothing();
  }
  const std::vector<IrValue> at = positions(c, o, a.subspan(1));
  if (c.activation()->is_dead) return Abstract::nothing();
  const bool whole_tensors = std::ranges::any_of(at, [&](IrValue v) { return c.b().type(v).rank() > 0; });
  if (o.dims.is_open()) return element_at_positions(c, o, at);
  if (at.size() == 1 || whole_tensors || at.size() != o.dims.size()) {
    if (at.size() != 1 && at.size() != o.dims.size()) c.fail(Cause::kUnsupported, "fewer indices than dimensions");
    return element_at(c, array, linear_position(c, o, at));
  }
  std::vector<IrValue> starts(at.rbegin(), at.rend());
  const std::vector<int64_t> ones(starts.size(), 1);
  std::vector<IrValue> parts;
  for (const IrValue leaf : o.leaves) parts.push_back(c.b().reshape(c.b().dynamic_slice(leaf, starts, ones), {}));
  size_t next = 0;
  return c.from_leaves(o.element, parts, next);
}

/// setindex!(array, value, indices…)
Abstract set(Compiler& c, Args a) {
  Abstract array = array_argument(c, a[0]);
  const HeapObject o = c.object(array);
  const Abstract v = c.convert(o.element, a[1]);
  if (v.type != o.element)
    c.fail(Cause::kContainer, "an element of type " + type_text(v.type) + " for an array of " + type_text(o.element));
  const std::vector<IrValue> at = positions(c, o, a.subspan(2));
  if (c.activation()->is_dead) return a[0];
  std::vector<IrValue> parts;
  c.append_leaves(v, parts);
  for (const IrValue x : at) {
    if (c.b().type(x).rank() > 0)
      c.fail(Cause::kUnsupported, "an assignment to an element of an array outside, for each element");
  }
  HeapObject& to = c.writable(array);
  if (at.size() == 1 && !o.dims.is_open()) {
    const int64_t flat[] = {length_of(o)}, one[] = {1};
    for (size_t i = 0; i < parts.size(); ++i) {
      const IrValue whole = c.b().reshape(to.leaves[i], flat);
      const IrValue next = c.b().dynamic_update_slice(whole, c.b().reshape(parts[i], one), at);
      to.leaves[i] = c.b().reshape(next, reversed(o.dims));
    }
    return array;
  }
  if (at.size() != o.dims.size()) c.fail(Cause::kUnsupported, "fewer indices than dimensions");
  const std::vector<IrValue> starts(at.rbegin(), at.rend());
  const std::vector<int64_t> ones(starts.size(), 1);
  for (size_t i = 0; i < parts.size(); ++i)
    to.leaves[i] = c.b().dynamic_update_slice(to.leaves[i], c.b().reshape(parts[i], ones), starts);
  return array;
}

Abstract length(Compiler& c, Args a) { return length_value(c, c.object(array_argument(c, a[0]))); }

Abstract size(Compiler& c, Args a) {
  const HeapObject o = c.object(array_argument(c, a[0]));
  if (a.size() > 1) {
    const int64_t d = c.known_int(a[1], "a dimension");
    if (d < 1) {
      c.throws("arraysize: dimension out of range");
      return Abstract::nothing();
    }
    if (d > static_cast<int64_t>(o.dims.size())) return Abstract::of_constant(number(int64_t{1}));
    return extent_of(c, o, static_cast<size_t>(d - 1));
  }
  return c.tuple(extents_of(c, o).values);
}

const Type* element_of(Compiler& c, const Abstract& t) {
  if (!t.is_constant()) c.fail(Cause::kDispatch, "an element type that is known only when the program runs");
  return c.evaluator().impl().type_of_value(t.constant);
}

Abstract make(Compiler& c, Args a) {
  std::vector<Abstract> each;
  for (const Abstract& d : a.subspan(1)) {
    if (!d.type->is_tuple) each.push_back(d);
    for (size_t i = 0; d.type->is_tuple && i < d.type->field_count(); ++i) each.push_back(c.field(d, i));
  }
  return make_filled(c, element_of(c, a[0]), given_extents(c, c.tuple(std::move(each))), nullptr);
}

Abstract make_bits(Compiler& c, Args a) {
  const GivenExtents extents = given_extents(c, a[0]);
  const DataType* type = applied(core().bit_array, {make_int(static_cast<int64_t>(extents.dims.size()))});
  return c.new_array(type, extents.dims, {zero_tensor(c, ElementType::kI1, extents)});
}

Abstract filled(Compiler& c, Args a) {
  const Type* element = element_of(c, a[0]);
  const Abstract v = c.convert(element, a[1]);
  return make_filled(c, element, given_extents(c, a[2]), &v);
}

Abstract fill(Compiler& c, Args a) {
  const Abstract array = array_argument(c, a[0]);
  const HeapObject o = c.object(array);
  std::vector<IrValue> parts;
  c.append_leaves(c.convert(o.element, a[1]), parts);
  const GivenExtents extents = extents_of(c, o);
  HeapObject& to = c.writable(array);
  for (size_t i = 0; i < parts.size(); ++i) to.leaves[i] = filled_tensor(c, parts[i], extents);
  return array;
}

bool is_complex_type(const Type* t) {
  const auto* d = as<DataType>(t);
  return d != nullptr && d->name->name == Symbol("Complex");
}

Abstract copy(Compiler& c, Args a) {
  const HeapObject o = c.object(array_argument(c, a[0]));
  return c.new_array(o.type, o.dims, o.leaves);
}

/// copyto!(to, from) of all elements, which may be fewer.
Abstract copy_whole(Compiler& c, Args a) {
  const Abstract to = array_argument(c, a[0]);
  HeapObject from = c.object(array_argument(c, a[1]));
  const HeapObject before = c.object(to);
  if (from.element != before.element) {
    const auto is_number = [](const Type* t) { return number_kind(t) || element_type(t) || is_complex_type(t); };
    if (!is_number(from.element) || !is_number(before.element))
      c.fail(Cause::kUnsupported,
             "copyto! between arrays of " + type_text(from.element) + " and " + type_text(before.element));
    size_t next = 0;
    const Abstract converted = c.convert(before.element, c.from_leaves(from.element, from.leaves, next));
    from.leaves.clear();
    c.append_leaves(converted, from.leaves);
  }
  if (length_of(from) > length_of(before)) {
    c.throws("BoundsError: attempt to access " + type_text(before.type));
    return to;
  }
  HeapObject& o = c.writable(to);
  for (size_t i = 0; i < o.leaves.size(); ++i) {
    if (length_of(from) == length_of(before)) {
      o.leaves[i] = c.b().reshape(from.leaves[i], reversed(before.dims));
      continue;
    }
    const int64_t flat_to[] = {length_of(before)}, flat_from[] = {length_of(from)};
    const IrValue zero = c.int_constant(0);
    const IrValue next = c.b().dynamic_update_slice(c.b().reshape(o.leaves[i], flat_to),
                                                    c.b().reshape(from.leaves[i], flat_from), std::span(&zero, 1));
    o.leaves[i] = c.b().reshape(next, reversed(before.dims));
  }
  return to;
}

/// A reshape has the elements of its array: what is written to one is in the other.
Abstract reshape(Compiler& c, Args a) {
  const Abstract array = array_argument(c, a[0]);
  const HeapObject o = c.object(array);
  const std::vector<int64_t> dims = known_dims(c, a[1]);
  if (num_elements(dims) != length_of(o)) {
    c.throws("DimensionMismatch: new dimensions must be consistent with array length " + std::to_string(length_of(o)));
    return Abstract::nothing();
  }
  std::vector<IrValue> leaves;
  for (const IrValue leaf : o.leaves) leaves.push_back(c.b().reshape(leaf, reversed(dims)));
  const bool is_bits = o.type->name->name == Symbol("BitArray");
  const DataType* type = is_bits ? applied(core().bit_array, {make_int(static_cast<int64_t>(dims.size()))})
                                 : array_type(o.element, static_cast<int64_t>(dims.size()));
  const Abstract made = c.new_array(type, dims, std::move(leaves));
  c.share_elements(array, made);
  return made;
}

/// [a, b, …]: numbers are promoted to one type, everything else to a common one.
Abstract literal(Compiler& c, Args a) {
  const auto n = static_cast<int64_t>(a.size());
  std::optional<NumberKind> kind;
  bool numbers = !a.empty();
  for (const Abstract& x : a) {
    const auto k = number_kind(x.type);
    numbers = numbers && k;
    if (numbers) kind = kind ? promote_kind(*kind, *k) : *k;
  }
  if (numbers) return array_of_elements(c, {a.begin(), a.end()}, {n}, number_type(*kind));
  if (a.empty()) return make_list(c, core().any, {0}, {});
  Abstract joined = Abstract::of_constant(Value::of_type(a[0].type));
  for (const Abstract& x : a.subspan(1))
    joined = c.call_base("promote_type", {joined, Abstract::of_constant(Value::of_type(x.type))});
  if (!joined.is_constant()) c.fail(Cause::kContainer, "an array literal of elements of several types");
  return array_of_elements(c, {a.begin(), a.end()}, {n}, c.evaluator().impl().type_of_value(joined.constant));
}

Abstract typed_literal(Compiler& c, Args a) {
  const Type* element = element_of(c, a[0]);
  // Its elements keep their own types.
  if (!is_concrete(element))
    c.fail(Cause::kContainer, "an array literal with elements of type " + type_text(element),
           "give it a concrete number type, for example Float64[…]");
  return array_of_elements(c, {a.begin() + 1, a.end()}, {static_cast<int64_t>(a.size()) - 1}, element);
}

Abstract permute(Compiler& c, Args a) {
  const HeapObject o = c.object(array_argument(c, a[0]));
  const std::vector<int64_t> perm = known_dims(c, a[1]);
  const auto n = static_cast<int64_t>(perm.size());
  std::vector<int64_t> dims, order(perm.size());
  for (const int64_t p : perm) {
    if (p < 1 || p > n) c.fail(Cause::kUnsupported, "permutedims with no permutation");
    dims.push_back(o.dims[static_cast<size_t>(p - 1)]);
  }
  for (int64_t k = 0; k < n; ++k) order[static_cast<size_t>(n - 1 - k)] = n - perm[static_cast<size_t>(k)];
  std::vector<IrValue> leaves;
  for (const IrValue leaf : o.leaves) leaves.push_back(c.b().transpose(leaf, order));
  return c.new_array(o.type, dims, std::move(leaves));
}

Abstract is_in_bounds(Compiler& c, Args a) {
  const HeapObject o = c.object(array_argument(c, a[0]));
  if (a.size() != o.dims.size() + 1 && a.size() != 2) c.fail(Cause::kUnsupported, "fewer indices than dimensions");
  IrValue holds;
  for (size_t k = 1; k < a.size(); ++k) {
    const IrValue i = convert_num(c, num(c, a[k]), NumberKind::kInt64).v;
    const int64_t most = a.size() == 2 ? length_of(o) : o.dims[k - 1];
    const IrValue ok =
        op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, int_like(c, i, most), "LE"));
    holds = holds ? op2(c, "stablehlo.and", holds, ok) : ok;
  }
  return result(NumberKind::kBool, holds);
}

// ---- tuples ----------------------------------------------------------------------------------------------------------------------------

Abstract tuple_get(Compiler& c, Args a) { return find_emission("_getfield")(c, a); }
Abstract tuple_length(Compiler&, Args a) {
  return Abstract::of_constant(number(static_cast<int64_t>(a[0].type->field_count())));
}

std::vector<Abstract> elements_of(Compiler& c, const Abstract& t) {
  std::vector<Abstract> out;
  for (size_t i = 0; i < t.type->field_count(); ++i) out.push_back(c.field(t, i));
  return out;
}
Abstract tuple_tail(Compiler& c, Args a) {
  std::vector<Abstract> e = elements_of(c, a[0]);
  if (!e.empty()) e.erase(e.begin());
  return c.tuple(std::move(e));
}
Abstract tuple_front(Compiler& c, Args a) {
  std::vector<Abstract> e = elements_of(c, a[0]);
  if (!e.empty()) e.pop_back();
  return c.tuple(std::move(e));
}
Abstract tuple_reverse(Compiler& c, Args a) {
  std::vector<Abstract> e = elements_of(c, a[0]);
  std::ranges::reverse(e);
  return c.tuple(std::move(e));
}
Abstract named_values(Compiler& c, Args a) {
  if (a.size() > 1) c.fail(Cause::kUnsupported, "some of the values of a named tuple");
  return c.tuple(elements_of(c, a[0]));
}
Abstract map_tuple(Compiler& c, Args a) {
  size_t n = a[1].type->field_count();
  for (size_t k = 2; k < a.size(); ++k) n = std::min(n, a[k].type->field_count());
  std::vector<Abstract> out;
  for (size_t i = 0; i < n; ++i) {
    std::vector<Abstract> arguments;
    for (size_t k = 1; k < a.size(); ++k) arguments.push_back(c.field(a[k], i));
    out.push_back(c.call(a[0], std::move(arguments)));
    if (c.activation()->is_dead) return Abstract::nothing();
  }
  return c.tuple(std::move(out));
}
Abstract n_tuple(Compiler& c, Args a) {
  const int64_t n = c.known_int(a[1], "the length of a tuple");
  std::vector<Abstract> out;
  for (int64_t i = 1; i <= n; ++i) {
    out.push_back(c.call(a[0], {Abstract::of_constant(number(i))}));
    if (c.activation()->is_dead) return Abstract::nothing();
  }
  return c.tuple(std::move(out));
}

constexpr Emission kEmissions[] = {
    {"_array_get", get},
    {"_array_set", set},
    {"_array_in_bounds", is_in_bounds},
    {"_array_length", length},
    {"_array_size", size},
    {"_array_new", make},
    {"_bit_array_new", make_bits},
    {"_filled", filled},
    {"_array_fill!", fill},
    {"_array_copy", copy},
    {"_copy_whole", copy_whole},
    {"_array_reshape", reshape},
    {"_array_permute", permute},
    {"_vect", literal},
    {"_typed_vect", typed_literal},
    {"_tuple_get", tuple_get},
    {"_tuple_length", tuple_length},
    {"_named_length", tuple_length},
    {"_tuple_tail", tuple_tail},
    {"_tuple_front", tuple_front},
    {"_tuple_reverse", tuple_reverse},
    {"_named_values", named_values},
    {"_map_tuple", map_tuple},
    {"_ntuple", n_tuple},
};

}  // namespace

std::span<const Emission> array_emissions() { return kEmissions; }

}  // namespace weft::julia
