// Elements chosen by arrays of indices: gathers, and what is put there.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/arrays.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

using Args = std::span<const Abstract>;

bool is_number_index(const Abstract& i) { return number_kind(i.type) && i.type != core().bool_; }

/// 0-based positions along one dimension: rank 0, or of the index's shape as IR has it.
struct Positions {
  IrValue at;
  std::vector<int64_t> dims;  // of the index; none of a number
  bool is_all = false;        // every position in order
};

Positions positions_along(Compiler& c, const Abstract& index, int64_t extent, const std::string& failure) {
  Positions out;
  const std::string name = index.type->name->name.text();
  if (name == "Colon" || name == "Slice") {
    const int64_t shape[] = {extent};
    out.at = c.b().iota(weft::Type::tensor(ElementType::kI64, shape), 0);
    out.dims = {extent};
    out.is_all = true;
    return out;
  }
  IrValue i;
  if (is_number_index(index)) {
    i = convert_num(c, num(c, index), NumberKind::kInt64).v;
  } else {
    const Abstract whole = is_array_object(c, index) ? index : c.call_base("collect", {index});
    const HeapObject o = c.object(array_argument(c, whole));
    const auto kind = number_kind(o.element);
    if (kind == NumberKind::kBool)
      c.fail(Cause::kShape, "a mask among several indices: how much it selects is known only when the program runs",
             "multiply by the mask, or select from a vector");
    if (!kind || !is_integer(*kind) || *kind == NumberKind::kBool)
      c.fail(Cause::kUnsupported, "an index of type " + type_text(index.type));
    i = convert_num(c, {*kind, o.leaves[0]}, NumberKind::kInt64).v;
    out.dims = o.dims;
  }
  if (num_elements(out.dims) > 0)
    check_all(
        c,
        op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, int_like(c, i, extent), "LE")),
        failure);
  out.at = op2(c, "stablehlo.subtract", i, int_like(c, i, 1));
  return out;
}

/// Elements along one dimension, all others whole.
std::vector<IrValue> take_along(Compiler& c, const HeapObject& o, size_t dimension, const Positions& p) {
  const auto rank = static_cast<int64_t>(o.dims.size());
  const int64_t axis = rank - 1 - static_cast<int64_t>(dimension);
  const auto batch = static_cast<int64_t>(p.dims.size());
  std::vector<int64_t> sizes = reversed(o.dims);
  sizes[static_cast<size_t>(axis)] = 1;
  // The positions' axes stand where the axis was.
  Attr::Ints offset;
  for (int64_t k = 0; k < rank - 1; ++k) offset.push_back(k < axis ? k : k + batch);
  std::vector<IrValue> out;
  for (const IrValue leaf : o.leaves) {
    Attrs attrs;
    attrs.set("offset_dims", Attr(offset));
    attrs.set("collapsed_slice_dims", Attr(Attr::Ints{axis}));
    attrs.set("start_index_map", Attr(Attr::Ints{axis}));
    attrs.set("index_vector_dim", Attr(batch));
    attrs.set("slice_sizes", Attr(Attr::Ints(sizes.begin(), sizes.end())));
    out.push_back(c.b().make("stablehlo.gather", {leaf, p.at}, std::move(attrs)));
  }
  return out;
}

}  // namespace

Abstract select_block(Compiler& c, const Abstract& array, std::span<const Abstract> indices) {
  const HeapObject o = c.object(array);
  const std::string failure = "BoundsError: attempt to access " + type_text(o.type);
  std::vector<Positions> each;
  std::vector<int64_t> dims;
  for (size_t d = 0; d < indices.size(); ++d) {
    each.push_back(positions_along(c, indices[d], d < o.dims.size() ? o.dims[d] : 1, failure));
    dims.insert(dims.end(), each.back().dims.begin(), each.back().dims.end());
  }
  const bool bits = o.type->name->name == Symbol("BitArray");
  const auto rank = static_cast<int64_t>(dims.size());
  const DataType* type = bits ? applied(core().bit_array, {make_int(rank)}) : array_type(o.element, rank);
  std::vector<IrValue> leaves;
  const auto chosen = std::ranges::count_if(each, [](const Positions& p) { return !p.is_all; });
  const bool is_empty = num_elements(dims) == 0 || num_elements(o.dims) == 0;
  if (is_empty) {
    for (const IrValue v : o.leaves)
      leaves.push_back(c.b().zeros(weft::Type::tensor(c.b().type(v).element_type(), reversed(dims))));
    return c.new_array(type, dims, std::move(leaves));
  }
  if (chosen == 1 && each.size() == o.dims.size()) {
    const auto d =
        static_cast<size_t>(std::ranges::find_if(each, [](const Positions& p) { return !p.is_all; }) - each.begin());
    leaves = take_along(c, o, d, each[d]);
    for (IrValue& v : leaves) v = c.b().reshape(v, reversed(dims));
    return c.new_array(type, dims, std::move(leaves));
  }
  const Abstract v = element_at(c, array, linear_positions(c, o.dims, indices, failure, dims));
  c.append_leaves(v, leaves);
  for (IrValue& x : leaves) x = c.b().reshape(x, reversed(dims));
  return c.new_array(type, dims, std::move(leaves));
}

IrValue linear_positions(Compiler& c, const std::vector<int64_t>& array, std::span<const Abstract> indices,
                         const std::string& failure, std::vector<int64_t>& dims) {
  std::vector<Positions> each;
  dims.clear();
  for (size_t d = 0; d < indices.size(); ++d) {
    each.push_back(positions_along(c, indices[d], d < array.size() ? array[d] : 1, failure));
    dims.insert(dims.end(), each.back().dims.begin(), each.back().dims.end());
  }
  const auto rank = static_cast<int64_t>(dims.size());
  IrValue out;
  int64_t stride = 1, before = 0;
  for (size_t d = 0; d < each.size(); ++d) {
    const auto own = static_cast<int64_t>(each[d].dims.size());
    std::vector<int64_t> axes;
    for (int64_t k = 0; k < own; ++k) axes.push_back(rank - before - own + k);
    IrValue term = each[d].at;
    if (stride != 1) term = op2(c, "stablehlo.multiply", term, int_like(c, term, stride));
    if (rank > 0) term = c.b().broadcast_in_dim(term, axes, reversed(dims));
    out = out ? op2(c, "stablehlo.add", out, term) : term;
    before += own;
    stride *= d < array.size() ? array[d] : 1;
  }
  return out;
}

}  // namespace weft::julia
