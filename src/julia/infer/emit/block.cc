// Blocks of arrays: ranges and colons among the indices, views, concatenation.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/slices.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

BlockIndex block_index(Compiler& c, const HeapObject& o, std::span<const Abstract> indices) {
  if (indices.size() != o.dims.size())
    c.fail(Cause::kUnsupported, "a block with another number of indices than dimensions");
  BlockIndex out;
  IrValue holds;
  const auto require = [&](IrValue ok) { holds = holds ? op2(c, "stablehlo.and", holds, ok) : ok; };
  const std::string message = "BoundsError: attempt to access " + type_text(o.type);
  for (size_t d = 0; d < indices.size(); ++d) {
    const Abstract& i = indices[d];
    const std::string name = i.type->name->name.text();
    const int64_t most = o.dims[d];
    if (number_kind(i.type) && i.type != core().bool_) {
      const IrValue at = convert_num(c, num(c, i), NumberKind::kInt64).v;
      require(op2(c, "stablehlo.and", compare2(c, at, int_like(c, at, 1), "GE"),
                  compare2(c, at, int_like(c, at, most), "LE")));
      out.starts.push_back(op2(c, "stablehlo.subtract", at, int_like(c, at, 1)));
      out.extents.push_back(1);
      continue;
    }
    if (name == "Colon" || name == "Slice") {
      out.starts.push_back(c.int_constant(0));
      out.extents.push_back(most);
      out.kept.push_back(most);
      continue;
    }
    if (name != "UnitRange" && name != "OneTo") c.fail(Cause::kUnsupported, "an index of type " + type_text(i.type));
    const int64_t n = c.known_int(c.convert(core().int64, c.call_base("length", {i})), "the length of an index range");
    const Abstract first = c.convert(core().int64, c.call_base("first", {i}));
    const IrValue at = c.scalar(first);
    if (n > 0) {
      require(op2(c, "stablehlo.and", compare2(c, at, int_like(c, at, 1), "GE"),
                  compare2(c, at, int_like(c, at, most - n + 1), "LE")));
      if (n > most) {
        c.throws(message);
        return out;
      }
    }
    out.starts.push_back(n == 0 ? c.int_constant(0) : op2(c, "stablehlo.subtract", at, int_like(c, at, 1)));
    out.extents.push_back(n);
    out.kept.push_back(n);
  }
  if (holds) check_all(c, holds, message);
  return out;
}

namespace {

using Args = std::span<const Abstract>;

Abstract block_of(Compiler& c, const HeapObject& o, const BlockIndex& at) {
  const std::vector<IrValue> starts(at.starts.rbegin(), at.starts.rend());
  std::vector<IrValue> leaves;
  for (const IrValue leaf : o.leaves)
    leaves.push_back(c.b().reshape(c.b().dynamic_slice(leaf, starts, reversed(at.extents)), reversed(at.kept)));
  const bool bits = o.type->name->name == Symbol("BitArray");
  const auto rank = static_cast<int64_t>(at.kept.size());
  return c.new_array(bits ? applied(core().bit_array, {make_int(rank)}) : array_type(o.element, rank), at.kept,
                     std::move(leaves));
}

void store_block(Compiler& c, const Abstract& array, const BlockIndex& at, const std::vector<IrValue>& parts) {
  const std::vector<IrValue> starts(at.starts.rbegin(), at.starts.rend());
  HeapObject& to = c.writable(array);
  for (size_t i = 0; i < parts.size(); ++i)
    to.leaves[i] = c.b().dynamic_update_slice(to.leaves[i], c.b().reshape(parts[i], reversed(at.extents)), starts);
}

/// A[:] and A[range] of a matrix run over all elements.
HeapObject flattened(Compiler& c, const HeapObject& o) {
  HeapObject out = o;
  out.dims = {length_of(o)};
  for (IrValue& v : out.leaves) v = c.b().reshape(v, out.dims);
  return out;
}

/// Positions from an array of integers.
Abstract gather_elements(Compiler& c, const Abstract& array, const HeapObject& o, const Abstract& indices) {
  const HeapObject at = c.object(array_argument(c, indices));
  if (!number_kind(at.element)) c.fail(Cause::kUnsupported, "an index of type " + type_text(indices.type));
  const int64_t n = length_of(o);
  IrValue i = convert_num(c, {*number_kind(at.element), at.leaves[0]}, NumberKind::kInt64).v;
  check_all(c,
            op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, int_like(c, i, n), "LE")),
            "BoundsError: attempt to access " + type_text(o.type));
  i = op2(c, "stablehlo.subtract", i, int_like(c, i, 1));
  const Abstract v = element_at(c, array, i);
  std::vector<IrValue> leaves;
  c.append_leaves(v, leaves);
  return c.new_array(array_type(o.element, static_cast<int64_t>(at.dims.size())), at.dims, std::move(leaves));
}

bool is_mask(Compiler& c, const Abstract& i) {
  return is_array_object(c, i) && c.object(array_argument(c, i)).element == core().bool_;
}

/// Cartesian indices are as many numbers.
std::vector<Abstract> without_cartesian(Compiler& c, Args indices) {
  std::vector<Abstract> out;
  for (const Abstract& i : indices) {
    if (i.type->name->name != Symbol("CartesianIndex")) {
      out.push_back(i);
      continue;
    }
    const Abstract numbers = c.expanded(c.field(i, 0));
    for (size_t k = 0; k < numbers.type->field_count(); ++k) out.push_back(c.field(numbers, k));
  }
  return out;
}

bool are_numbers(Args indices) {
  return std::ranges::all_of(indices, [](const Abstract& i) { return number_kind(i.type) && i.type != core().bool_; });
}

/// Whether the indices say a block that lies together: numbers, colons and ranges with step 1 of a known length.
bool are_adjacent(Args indices) {
  return std::ranges::all_of(indices, [](const Abstract& i) {
    const std::string name = i.type->name->name.text();
    return (number_kind(i.type) && i.type != core().bool_) || name == "Colon" || name == "Slice" ||
           name == "UnitRange" || name == "OneTo";
  });
}

Abstract get_block(Compiler& c, Args given) {
  const Abstract array =
      array_argument(c, is_array_object(c, given[0]) ? given[0] : c.call_base("collect", {given[0]}));
  HeapObject o = c.object(array);
  std::vector<Abstract> a = without_cartesian(c, given.subspan(1));
  a.insert(a.begin(), array);
  const Args indices = Args(a).subspan(1);
  if (are_numbers(indices)) return find_emission("_array_get")(c, a);
  if (is_slice(c, indices)) return get_slice(c, array, indices);
  if (a.size() == 2) {
    const Abstract& i = a[1];
    if (is_mask(c, i)) return select_by_mask(c, array, i);
    if (is_array_object(c, i)) return gather_elements(c, array, o, i);
    o = flattened(c, o);
    if (i.type->name->name == Symbol("StepRange")) {
      const Abstract whole = find_emission("_range_collect")(c, indices.first(1));
      return gather_elements(c, array, o, whole);
    }
    const BlockIndex at = block_index(c, o, indices);
    if (c.activation()->is_dead) return Abstract::nothing();
    return block_of(c, o, at);
  }
  if (!are_adjacent(indices)) return select_block(c, array, indices);
  const BlockIndex at = block_index(c, o, indices);
  if (c.activation()->is_dead) return Abstract::nothing();
  return block_of(c, o, at);
}

std::vector<IrValue> parts_for(Compiler& c, const HeapObject& to, const Abstract& value, int64_t n) {
  std::vector<IrValue> parts;
  const Abstract v = subtype(value.type, core().abstract_array) && !is_array_object(c, value)
                         ? c.call_base("collect", {value})
                         : value;
  const Abstract array = array_argument(c, v);
  const HeapObject from = c.object(array);
  if (length_of(from) != n) {
    c.throws("DimensionMismatch: tried to assign " + std::to_string(length_of(from)) + " elements to " +
             std::to_string(n) + " destinations");
    return parts;
  }
  if (from.element == to.element) return from.leaves;
  const auto kind = number_kind(from.element), want = number_kind(to.element);
  if (!kind || !want)
    c.fail(Cause::kUnsupported,
           "an assignment of elements of type " + type_text(from.element) + " to " + type_text(to.element));
  const Abstract converted = c.convert(to.element, Abstract::of_scalar(number_type(*kind), from.leaves[0]));
  c.append_leaves(converted, parts);
  return parts;
}

/// The same for indices that are arrays or have steps: one element after another, since places may repeat.
Abstract set_selected(Compiler& c, const Abstract& array, const Abstract& value, Args indices) {
  const HeapObject o = c.object(array);
  const std::vector<int64_t> extents = indices.size() == 1 ? std::vector{length_of(o)} : o.dims.known();
  std::vector<int64_t> dims;
  const IrValue at = linear_positions(c, extents, indices, "BoundsError: attempt to access " + type_text(o.type), dims);
  const int64_t n = num_elements(dims), flat[] = {n}, all[] = {length_of(o)}, one[] = {1};
  const std::vector<IrValue> parts = parts_for(c, o, value, n);
  if (c.activation()->is_dead || n == 0) return array;
  const IrValue positions = c.b().reshape(at, flat);
  HeapObject& flattened_to = c.writable(array);
  for (IrValue& leaf : flattened_to.leaves) leaf = c.b().reshape(leaf, all);
  c.fold(c.int_constant(0), c.int_constant(n), Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    const IrValue place =
        c.b().reshape(c.b().dynamic_slice(positions, std::span(&k, 1), one), std::span<const int64_t>());
    HeapObject& to = c.writable(array);
    for (size_t i = 0; i < parts.size(); ++i) {
      const IrValue v = c.b().dynamic_slice(c.b().reshape(parts[i], flat), std::span(&k, 1), one);
      to.leaves[i] = c.b().dynamic_update_slice(to.leaves[i], v, std::span(&place, 1));
    }
    return none;
  });
  HeapObject& to = c.writable(array);
  for (IrValue& leaf : to.leaves) leaf = c.b().reshape(leaf, reversed(o.dims));
  return array;
}

/// setindex!(array, values, indices…)
Abstract set_block(Compiler& c, Args given) {
  Abstract array = array_argument(c, given[0]);
  const HeapObject o = c.object(array);
  std::vector<Abstract> all = without_cartesian(c, given.subspan(2));
  all.insert(all.begin(), {array, given[1]});
  const Args a = all;
  if (are_numbers(a.subspan(2))) return find_emission("_array_set")(c, a);
  if (is_slice(c, a.subspan(2))) {
    set_slice(c, array, a[1], a.subspan(2));
    return array;
  }
  if (a.size() == 3 && is_mask(c, a[2])) return set_by_mask(c, array, a[1], a[2]);
  if (!are_adjacent(a.subspan(2))) return set_selected(c, array, a[1], a.subspan(2));
  if (a.size() == 3 && o.dims.size() != 1) {
    const HeapObject flat = flattened(c, o);
    const BlockIndex at = block_index(c, flat, a.subspan(2));
    const std::vector<IrValue> parts = parts_for(c, o, a[1], at.extents[0]);
    HeapObject& to = c.writable(array);
    for (size_t i = 0; i < parts.size(); ++i) {
      const IrValue next = c.b().dynamic_update_slice(flat.leaves[i], c.b().reshape(parts[i], at.extents), at.starts);
      to.leaves[i] = c.b().reshape(next, reversed(o.dims));
    }
    return array;
  }
  const BlockIndex at = block_index(c, o, a.subspan(2));
  if (c.activation()->is_dead) return array;
  const std::vector<IrValue> parts = parts_for(c, o, a[1], num_elements(at.extents));
  if (c.activation()->is_dead) return array;
  store_block(c, array, at, parts);
  return array;
}

/// The parent of a view and the indices of the view's element (or of all: no indices given) in it.
std::vector<Abstract> parent_indices(Compiler& c, const Abstract& view, Args own) {
  const Abstract indices = c.expanded(c.field(view, 1));
  std::vector<Abstract> out;
  size_t next = 0;
  for (size_t d = 0; d < indices.type->field_count(); ++d) {
    const Abstract i = c.field(indices, d);
    if (number_kind(i.type)) {
      out.push_back(i);
      continue;
    }
    if (next >= own.size()) c.fail(Cause::kUnsupported, "a linear index of a view of several dimensions");
    out.push_back(c.call_base("getindex", {i, own[next++]}));
  }
  return out;
}

Abstract view_get(Compiler& c, Args a) {
  const Abstract parent = c.field(a[0], 0);
  std::vector<Abstract> all = {parent};
  const std::vector<Abstract> at = parent_indices(c, a[0], a.subspan(1));
  all.insert(all.end(), at.begin(), at.end());
  return c.call_base("getindex", std::move(all));
}

/// setindex!(view, value, indices…)
Abstract view_set(Compiler& c, Args a) {
  const Abstract parent = c.field(a[0], 0);
  std::vector<Abstract> all = {parent, a[1]};
  const std::vector<Abstract> at = parent_indices(c, a[0], a.subspan(2));
  all.insert(all.end(), at.begin(), at.end());
  c.call_base("setindex!", std::move(all));
  return a[0];
}

/// The array that a part of a concatenation is; numbers are arrays of one element.
HeapObject part_of(Compiler& c, const Abstract& x, const Type* element) {
  const bool is_container = subtype(x.type, core().abstract_array);
  const bool is_stored = is_array_object(c, x);
  HeapObject o;
  if (!is_container) {
    const std::vector<Abstract> one = {c.convert(element, x)};
    o = c.object(find_emission("_vect")(c, std::span<const Abstract>(one)));
    o.dims = {};
    for (IrValue& v : o.leaves) v = c.b().reshape(v, {});
    return o;
  }
  o = c.object(array_argument(c, is_stored ? x : c.call_base("collect", {x})));
  if (o.element != element) {
    const auto kind = number_kind(o.element);
    if (!kind) c.fail(Cause::kUnsupported, "a concatenation of elements of type " + type_text(o.element));
    const Abstract converted = c.convert(element, Abstract::of_scalar(number_type(*kind), o.leaves[0]));
    o.leaves.clear();
    c.append_leaves(converted, o.leaves);
    o.element = element;
  }
  return o;
}

/// (name, element type, dimension, parts…)
Abstract concatenate(Compiler& c, Args a) {
  if (!a[1].is_constant()) c.fail(Cause::kDispatch, "a concatenation to an element type that is not known");
  const Type* element = c.evaluator().impl().type_of_value(a[1].constant);
  if (!is_plain_element(c, element)) return concatenate_lists(c, a);
  const int64_t along = c.known_int(a[2], "the dimension of a concatenation");
  std::vector<HeapObject> parts;
  size_t rank = static_cast<size_t>(along);
  for (const Abstract& x : a.subspan(3)) {
    parts.push_back(part_of(c, x, element));
    rank = std::max(rank, parts.back().dims.size());
  }
  std::vector<int64_t> dims;
  for (HeapObject& o : parts) {
    o.dims.resize(rank, 1);
    for (IrValue& v : o.leaves) v = c.b().reshape(v, reversed(o.dims));
    if (dims.empty()) {
      dims = o.dims;
      continue;
    }
    for (size_t d = 0; d < rank; ++d) {
      if (static_cast<int64_t>(d) + 1 == along) dims[d] += o.dims[d];
      else if (dims[d] != o.dims[d]) {
        c.throws("DimensionMismatch: number of rows or columns of each array must match");
        return Abstract::nothing();
      }
    }
  }
  std::vector<IrValue> leaves;
  for (size_t k = 0; k < parts.front().leaves.size(); ++k) {
    std::vector<IrValue> pieces;
    for (const HeapObject& o : parts) pieces.push_back(o.leaves[k]);
    leaves.push_back(c.b().concatenate(pieces, static_cast<int64_t>(rank) - along));
  }
  return c.new_array(array_type(element, static_cast<int64_t>(rank)), dims, std::move(leaves));
}

/// Elements of ranges of floats, computed as the host computes them.
Abstract range_element(Compiler& c, Args a) {
  const std::string name = a[0].type->name->name.text();
  const Abstract i = c.convert(core().int64, a[1]);
  const auto* element = static_cast<const DataType*>(a[0].type->parameters[0]);
  const auto f64 = [&](const Abstract& x) { return convert_num(c, num(c, x), NumberKind::kFloat64).v; };
  if (name == "UnitRange" || name == "OneTo" || name == "StepRange") {
    const Abstract one = Abstract::of_constant(number(int64_t{1}));
    Abstract offset = c.convert(element, c.call_base("-", {i, one}));
    if (name == "StepRange") offset = c.call_base("*", {offset, c.field(a[0], 1)});
    const Abstract start = name == "OneTo" ? c.convert(element, one) : c.field(a[0], 0);
    return c.convert(element, c.call_base("+", {start, offset}));
  }
  if (name != "StepRangeLen" || !number_kind(element))
    c.fail(Cause::kUnsupported, "an element of a " + type_text(a[0].type));
  const Abstract ref = c.expanded(c.field(a[0], 0)), step = c.expanded(c.field(a[0], 1));
  const IrValue u = f64(c.call_base("-", {i, c.field(a[0], 3)}));
  if (ref.kind != How::kFields || ref.fields.size() != 2) {
    const IrValue x = op2(c, "stablehlo.add", f64(ref), op2(c, "stablehlo.multiply", u, f64(step)));
    return c.convert(element, Abstract::of_scalar(core().float64, x));
  }
  const IrValue shift_hi = op2(c, "stablehlo.multiply", u, f64(step.fields[0])),
                shift_lo = op2(c, "stablehlo.multiply", u, f64(step.fields[1]));
  const IrValue hi = f64(ref.fields[0]), lo = f64(ref.fields[1]);
  const IrValue sum = op2(c, "stablehlo.add", hi, shift_hi);
  const IrValue larger = compare2(c, op1(c, "stablehlo.abs", hi), op1(c, "stablehlo.abs", shift_hi), "GE");
  const IrValue big = select3(c, larger, hi, shift_hi), small = select3(c, larger, shift_hi, hi);
  const IrValue low = op2(c, "stablehlo.add", op2(c, "stablehlo.subtract", big, sum), small);
  const IrValue x = op2(c, "stablehlo.add", sum, op2(c, "stablehlo.add", low, op2(c, "stablehlo.add", shift_lo, lo)));
  return c.convert(element, Abstract::of_scalar(core().float64, x));
}

/// r[i]: within the range.
Abstract range_get(Compiler& c, Args a) {
  const Abstract i = c.convert(core().int64, a[1]), n = c.convert(core().int64, c.call_base("length", {a[0]}));
  const std::string message = "BoundsError: attempt to access " + type_text(a[0].type);
  if (i.is_constant() && n.is_constant()) {
    const auto at = i.constant.get<int64_t>();
    if (at < 1 || at > n.constant.get<int64_t>()) {
      c.throws(message);
      return Abstract::nothing();
    }
  } else {
    const IrValue at = c.scalar(i);
    check_all(c, op2(c, "stablehlo.and", compare2(c, at, int_like(c, at, 1), "GE"), compare2(c, at, c.scalar(n), "LE")),
              message);
  }
  return range_element(c, a);
}

constexpr Emission kEmissions[] = {
    {"_block_get", get_block},         {"_block_set", set_block},     {"_view_get", view_get},
    {"_view_set", view_set},           {"_concatenate", concatenate}, {"_range_get", range_get},
    {"_range_element", range_element},
};

}  // namespace

void store_view(Compiler& c, const Abstract& view, const Abstract& array) {
  if (view.type->name->name != Symbol("SubArray"))
    c.fail(Cause::kUnsupported, "an assignment to a " + type_text(view.type));
  const Abstract parent = array_argument(c, c.field(view, 0));
  const Abstract indices = c.expanded(c.field(view, 1));
  std::vector<Abstract> at;
  for (size_t d = 0; d < indices.type->field_count(); ++d) at.push_back(c.field(indices, d));
  const BlockIndex block = block_index(c, c.object(parent), at);
  if (c.activation()->is_dead) return;
  store_block(c, parent, block, c.object(array).leaves);
}

std::span<const Emission> block_emissions() { return kEmissions; }

}  // namespace weft::julia
