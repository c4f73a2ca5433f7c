// Slices of arrays by a range whose length is known only when the program runs: vectors with room for as many elements as the dimension has.
#include "julia/infer/emit/slices.h"

#include <algorithm>

#include "julia/infer/open_extents.h"
#include "julia/infer/stored.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

namespace {

using Args = std::span<const Abstract>;

bool is_machine_index(const Abstract& i) { return number_kind(i.type) && i.type != core().bool_; }

bool is_index_range(const Abstract& i) {
  const std::string name = i.type->name->name.text();
  if (name != "UnitRange" && name != "OneTo" && name != "StepRange") return false;
  return number_kind(i.type->parameters[0]).has_value();
}

IrValue at_most(Compiler& c, IrValue x, int64_t most) { return op2(c, "stablehlo.minimum", x, int_like(c, x, most)); }

/// Whether 1 <= x <= most.
IrValue is_within(Compiler& c, IrValue x, int64_t most) {
  return op2(c, "stablehlo.and", compare2(c, x, int_like(c, x, 1), "GE"), compare2(c, x, int_like(c, x, most), "LE"));
}

}  // namespace

bool is_slice(Compiler& c, Args indices) {
  size_t ranges = 0;
  for (const Abstract& i : indices) {
    if (is_machine_index(i)) continue;
    if (!is_index_range(i)) return false;
    if (++ranges > 1) return false;
    if (c.convert(core().int64, c.call_base("length", {i})).is_constant()) return false;
  }
  return ranges == 1;
}

Slice slice_of(Compiler& c, const HeapObject& o, Args indices) {
  const std::vector<int64_t> extents = indices.size() == 1 ? std::vector{length_of(o)} : o.dims.known();
  if (extents.size() != indices.size())
    c.fail(Cause::kUnsupported, "a block with another number of indices than dimensions");
  Slice out;
  out.extents = extents;
  IrValue holds;
  const auto require = [&](IrValue ok) { holds = holds ? op2(c, "stablehlo.and", holds, ok) : ok; };
  for (size_t d = 0; d < indices.size(); ++d) {
    const Abstract& i = indices[d];
    if (is_machine_index(i)) {
      const IrValue at = convert_num(c, num(c, i), NumberKind::kInt64).v;
      require(is_within(c, at, extents[d]));
      out.starts.push_back(op2(c, "stablehlo.subtract", at, int_like(c, at, 1)));
      continue;
    }
    if (!is_index_range(i) || out.count)
      c.fail(Cause::kShape, "a block of an array whose size is known only when the program runs");
    out.dimension = d;
    out.bound = extents[d];
    const IrValue n = c.scalar(c.convert(core().int64, c.call_base("length", {i})));
    const IrValue first = c.scalar(c.convert(core().int64, c.call_base("first", {i})));
    const IrValue last = c.scalar(c.convert(core().int64, c.call_base("last", {i})));
    const IrValue is_empty = compare2(c, n, int_like(c, n, 0), "EQ");
    require(op2(c, "stablehlo.or", is_empty,
                op2(c, "stablehlo.and", is_within(c, first, extents[d]), is_within(c, last, extents[d]))));
    if (i.type->name->name == Symbol("StepRange")) out.step = c.scalar(c.convert(core().int64, c.field(i, 1)));
    out.count = n;
    out.starts.push_back(op2(c, "stablehlo.subtract", first, int_like(c, first, 1)));
  }
  if (!out.count) c.fail(Cause::kUnsupported, "an assignment of an array to one element");
  check_all(c, holds, "BoundsError: attempt to access " + type_text(o.type));
  // What the check says is said again in a form that bounds the loop over the elements.
  out.count = at_most(c, out.count, out.bound);
  return out;
}

std::vector<IrValue> Slice::positions(Compiler& c, IrValue k) const {
  std::vector<IrValue> out = starts;
  out[dimension] = op2(c, "stablehlo.add", starts[dimension], step ? op2(c, "stablehlo.multiply", k, step) : k);
  return out;
}

Abstract looked_into(Compiler& c, const Abstract& a) {
  Abstract x = a;
  while (x.type->name->name == Symbol("SubArray") || x.type->name->name == Symbol("ReshapedArray")) x = c.field(x, 0);
  return x.kind == Abstract::Kind::kObject ? x : Abstract();
}

Abstract unaliased(Compiler& c, const Abstract& destination, const Abstract& source) {
  const Abstract to = looked_into(c, destination), from = looked_into(c, source);
  if (!to.is_defined() || !from.is_defined()) return source;
  const auto group = [&](const Abstract& x) {
    const uint32_t shares = c.object(x).shares;
    return shares == HeapObject::kAlone ? x.object : shares;
  };
  return group(to) == group(from) ? c.call_base("copy", {source}) : source;
}

Abstract get_slice(Compiler& c, const Abstract& array, Args indices) {
  HeapObject o = c.object(array);
  const Slice s = slice_of(c, o, indices);
  o.dims = s.extents;
  for (IrValue& v : o.leaves) v = c.b().reshape(v, reversed(s.extents));
  Abstract out = collect_counted(c, o.element, s.bound, s.count,
                                 [&](IrValue k) { return element_at_positions(c, o, s.positions(c, k)); });
  if (o.type->name->name != Symbol("BitArray") || !is_bounded(c, out)) return out;
  const DataType* type = applied(core().bit_array, {make_int(1)});
  c.writable(out).type = type;
  return Abstract::of_object(type, out.object);
}

void set_slice(Compiler& c, const Abstract& array, const Abstract& value, Args indices) {
  const HeapObject o = c.object(array);
  if (!subtype(value.type, core().abstract_array))
    c.fail(Cause::kUnsupported, "an assignment of a " + type_text(value.type) + " to a slice");
  const Slice s = slice_of(c, o, indices);
  const Iterable it = plain_iterable(c, unaliased(c, array, value));
  check_all(c, compare2(c, it.count(c), s.count, "EQ"),
            "DimensionMismatch: tried to assign an array to a slice of another length");
  if (s.bound == 0) return;
  for (IrValue& v : c.writable(array).leaves) v = c.b().reshape(v, reversed(s.extents));
  c.fold(c.int_constant(0), s.count, Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    std::vector<IrValue> parts;
    c.append_leaves(c.convert(o.element, it.at(c, k)), parts);
    const std::vector<IrValue> at = s.positions(c, k);
    const std::vector<IrValue> starts(at.rbegin(), at.rend());
    const std::vector<int64_t> ones(at.size(), 1);
    HeapObject& to = c.writable(array);
    for (size_t i = 0; i < parts.size(); ++i)
      to.leaves[i] = c.b().dynamic_update_slice(to.leaves[i], c.b().reshape(parts[i], ones), starts);
    return none;
  });
  for (IrValue& v : c.writable(array).leaves) v = c.b().reshape(v, reversed(o.dims));
}

}  // namespace weft::julia
