// Operations that move elements: shapes, slices, joins, gathers.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "symbolic/elementwise.h"

namespace weft {

using namespace symbolic;

namespace {

using Values = std::vector<Value>;
using Ints = std::vector<int64_t>;

/// One value per axis, as a whole list or as its length says wrong.
void expect_per_axis(std::string_view op, const Loc& loc, std::string_view what, const Ints& given, int64_t rank) {
  if (static_cast<int64_t>(given.size()) != rank) {
    fail(op, loc,
         std::string(what) + ": got " + format_list(given) + ", expected one value for each of " +
             std::to_string(rank) + " axes");
  }
}

std::vector<Expr> start_exprs(std::string_view op, const std::vector<Operand>& starts, const Loc& loc, int64_t rank) {
  if (static_cast<int64_t>(starts.size()) != rank) {
    fail(op, loc,
         "number of starts: got " + std::to_string(starts.size()) + ", expected one for each of " +
             std::to_string(rank) + " axes");
  }
  // The specification wants starts of one type.
  ElementType type = ElementType::kI32;
  for (const Operand& s : starts) {
    if (s.is_number()) continue;
    const Expr& e = tensor_operand(op, s);
    if (!is_integer(e.element_type()) || e.rank() != 0) {
      fail(op, to_loc(s.loc()),
           "a start is not a whole number: got " + describe(e) + ", expected a rank-0 integer expression");
    }
    if (byte_size(e.element_type()) > byte_size(type)) type = e.element_type();
  }
  std::vector<Expr> out;
  for (const Operand& s : starts) out.push_back(s.is_number() ? to_expr(op, s, type) : cast(s, type));
  return out;
}

}  // namespace

Expr reshape(Operand a, Shape shape) {
  const Expr& x = tensor_operand("reshape", a);
  const Loc loc = to_loc(a.loc());
  const Shape given = shape;
  int64_t known = 1, inferred = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && inferred < 0) {
      inferred = static_cast<int64_t>(i);
    } else if (shape[i] < 0) {
      fail("reshape", loc, "a negative extent: got " + format_list(given) + ", expected at most one -1");
    } else {
      known *= shape[i];
    }
  }
  const int64_t count = num_elements(x.shape());
  if (inferred >= 0) shape[static_cast<size_t>(inferred)] = known == 0 ? 0 : count / known;
  if (num_elements(shape) != count) {
    fail("reshape", loc,
         "the number of elements changes: got " + format_list(given) + " for " + describe(x) + ", expected " +
             std::to_string(count) + " elements");
  }
  return make_op(loc, {x}, [shape](OpBuilder& b, std::span<const Value> v) { return Values{b.reshape(v[0], shape)}; });
}

Expr flatten(Operand a) {
  const Expr& x = tensor_operand("flatten", a);
  if (x.rank() == 0) fail("flatten", to_loc(a.loc()), "rank: got " + describe(x) + ", expected rank 1 or more");
  int64_t rest = 1;
  for (int64_t i = 1; i < x.rank(); ++i) rest *= x.dim(i);
  return reshape(a, {x.dim(0), rest});
}

Expr expand_dims(Operand a, int64_t axis) {
  Shape shape = tensor_operand("expand_dims", a).shape();
  const int64_t at = normalize_axis("expand_dims", to_loc(a.loc()), axis, static_cast<int64_t>(shape.size()) + 1);
  shape.insert(shape.begin() + at, 1);
  return reshape(a, shape);
}

Expr squeeze(Operand a, std::vector<int64_t> axes) {
  const Expr& x = tensor_operand("squeeze", a);
  const bool all = axes.empty();
  axes = normalize_axes("squeeze", to_loc(a.loc()), axes, x.rank());
  Shape shape;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const bool named = std::ranges::binary_search(axes, i);
    if (named && !all && x.dim(i) != 1) {
      fail("squeeze", to_loc(a.loc()),
           "extent of axis " + std::to_string(i) + ": got " + std::to_string(x.dim(i)) + ", expected 1");
    }
    if (!named || x.dim(i) != 1) shape.push_back(x.dim(i));
  }
  return reshape(a, shape);
}

Expr transpose(Operand a, std::vector<int64_t> permutation) {
  const Expr& x = tensor_operand("transpose", a);
  const Loc loc = to_loc(a.loc());
  if (permutation.empty()) {
    for (int64_t i = x.rank() - 1; i >= 0; --i) permutation.push_back(i);
  }
  expect_per_axis("transpose", loc, "permutation", permutation, x.rank());
  for (int64_t& p : permutation) p = normalize_axis("transpose", loc, p, x.rank());
  return make_op(loc, {x}, [permutation](OpBuilder& b, std::span<const Value> v) {
    return Values{b.transpose(v[0], permutation)};
  });
}

Expr broadcast_to(Operand a, Shape shape) {
  const Loc loc = to_loc(a.loc());
  const Expr x = to_expr("broadcast_to", a);
  if (broadcast_shapes("broadcast_to", loc, x.shape(), shape) != shape) {
    fail("broadcast_to", loc,
         "the shape does not hold the operand: got " + describe(x) + " to " + format_list(shape) +
             ", expected the operand's extents or 1 in their place");
  }
  return make_op(loc, {x},
                 [shape](OpBuilder& b, std::span<const Value> v) { return Values{broadcast_value(b, v[0], shape)}; });
}

Expr slice(Operand a, std::vector<int64_t> start, std::vector<int64_t> limit, std::vector<int64_t> strides) {
  const Expr& x = tensor_operand("slice", a);
  const Loc loc = to_loc(a.loc());
  expect_per_axis("slice", loc, "start", start, x.rank());
  expect_per_axis("slice", loc, "limit", limit, x.rank());
  if (!strides.empty()) expect_per_axis("slice", loc, "strides", strides, x.rank());
  return make_op(loc, {x},
                 [=](OpBuilder& b, std::span<const Value> v) { return Values{b.slice(v[0], start, limit, strides)}; });
}

Expr dynamic_slice(Operand a, std::vector<Operand> starts, std::vector<int64_t> sizes) {
  const Expr& x = tensor_operand("dynamic_slice", a);
  const Loc loc = to_loc(a.loc());
  expect_per_axis("dynamic_slice", loc, "sizes", sizes, x.rank());
  std::vector<Expr> inputs = start_exprs("dynamic_slice", starts, loc, x.rank());
  inputs.insert(inputs.begin(), x);
  return make_op(loc, std::move(inputs), [sizes](OpBuilder& b, std::span<const Value> v) {
    return Values{b.dynamic_slice(v[0], v.subspan(1), sizes)};
  });
}

Expr dynamic_update_slice(Operand a, Operand update, std::vector<Operand> starts) {
  const Expr& x = tensor_operand("dynamic_update_slice", a);
  const Loc loc = to_loc(a.loc());
  std::vector<Expr> inputs = start_exprs("dynamic_update_slice", starts, loc, x.rank());
  inputs.insert(inputs.begin(), {x, to_expr("dynamic_update_slice", update, x.element_type())});
  return make_op(loc, std::move(inputs), [](OpBuilder& b, std::span<const Value> v) {
    return Values{b.dynamic_update_slice(v[0], v[1], v.subspan(2))};
  });
}

Expr at(Operand a, Operand i) {
  const Expr& x = tensor_operand("at", a);
  if (x.rank() == 0) fail("at", to_loc(a.loc()), "rank: got " + describe(x) + ", expected rank 1 or more");
  if (x.dim(0) == 0)
    fail("at", to_loc(a.loc()), "there is no element: got " + describe(x) + ", expected an extent of 1 or more");
  std::vector<Operand> starts = {i};
  Shape sizes = x.shape(), rest(sizes.begin() + 1, sizes.end());
  sizes[0] = 1;
  for (size_t k = 1; k < sizes.size(); ++k) starts.emplace_back(0, i.loc());
  std::vector<Expr> inputs = start_exprs("at", starts, to_loc(i.loc()), x.rank());
  inputs.insert(inputs.begin(), x);
  return make_op(to_loc(a.loc()), std::move(inputs), [sizes, rest](OpBuilder& b, std::span<const Value> v) {
    return Values{b.reshape(b.dynamic_slice(v[0], v.subspan(1), sizes), rest)};
  });
}

Expr concatenate(std::vector<Expr> parts, int64_t axis, std::source_location where) {
  const Loc loc = to_loc(where);
  if (parts.empty()) fail("concatenate", loc, "there are no parts: expected at least one");
  const int64_t along = normalize_axis("concatenate", loc, axis, static_cast<int64_t>(type_of(parts[0]).rank()));
  return make_op(loc, std::move(parts),
                 [along](OpBuilder& b, std::span<const Value> v) { return Values{b.concatenate(v, along)}; });
}

Expr stack(std::vector<Expr> parts, int64_t axis, std::source_location where) {
  for (Expr& p : parts) p = expand_dims(Operand(p, where), axis);
  return concatenate(std::move(parts), axis, where);
}

Expr pad(Operand a, std::vector<int64_t> low, std::vector<int64_t> high, double value) {
  const Expr& x = tensor_operand("pad", a);
  const Loc loc = to_loc(a.loc());
  expect_per_axis("pad", loc, "low", low, x.rank());
  expect_per_axis("pad", loc, "high", high, x.rank());
  return make_op(loc, {x}, [=](OpBuilder& b, std::span<const Value> v) {
    return Values{b.pad(v[0], b.scalar(b.type(v[0]).element_type(), value), low, high)};
  });
}

Expr reverse(Operand a, std::vector<int64_t> axes) {
  const Expr& x = tensor_operand("reverse", a);
  axes = normalize_axes("reverse", to_loc(a.loc()), axes, x.rank());
  return make_op(to_loc(a.loc()), {x},
                 [axes](OpBuilder& b, std::span<const Value> v) { return Values{b.reverse(v[0], axes)}; });
}

Expr take(Operand a, Operand indices) {
  const Expr& x = tensor_operand("take", a);
  const Expr i = to_expr("take", indices, ElementType::kI32);
  const Loc loc = to_loc(a.loc());
  if (x.rank() == 0) fail("take", loc, "rank: got " + describe(x) + ", expected rank 1 or more");
  if (!is_integer(i.element_type()))
    fail("take", to_loc(indices.loc()), "the indices are not integers: got " + describe(i) + ", expected integers");
  if (x.dim(0) == 0 && num_elements(i.shape()) != 0) {
    fail("take", loc, "there are no rows to take from: got " + describe(x) + ", expected an extent of 1 or more");
  }
  Ints sizes = x.shape(), offset_dims;
  sizes[0] = std::min<int64_t>(1, sizes[0]);
  for (int64_t k = 1; k < x.rank(); ++k) offset_dims.push_back(i.rank() + k - 1);
  const Attrs attrs{{"offset_dims", offset_dims},
                    {"collapsed_slice_dims", Ints{0}},
                    {"operand_batching_dims", Ints{}},
                    {"start_indices_batching_dims", Ints{}},
                    {"start_index_map", Ints{0}},
                    {"index_vector_dim", i.rank()},
                    {"slice_sizes", sizes},
                    {"indices_are_sorted", false}};
  return make_op(loc, {x, i}, [attrs](OpBuilder& b, std::span<const Value> v) {
    return Values{b.make("stablehlo.gather", {v[0], v[1]}, attrs)};
  });
}

Expr add_at(Operand a, Operand indices, Operand values) {
  const Expr& x = tensor_operand("add_at", a);
  const Expr i = to_expr("add_at", indices, ElementType::kI32);
  const Loc loc = to_loc(a.loc());
  if (x.rank() == 0) fail("add_at", loc, "rank: got " + describe(x) + ", expected rank 1 or more");
  if (!is_integer(i.element_type()))
    fail("add_at", to_loc(indices.loc()), "the indices are not integers: got " + describe(i) + ", expected integers");
  Shape rows = i.shape();
  rows.insert(rows.end(), x.shape().begin() + 1, x.shape().end());
  Expr v = to_expr("add_at", values, x.element_type());
  if (values.is_number()) v = broadcast_to(Operand(v, values.loc()), rows);
  if (const Type expected = Type::tensor(x.element_type(), rows); type_of(v) != expected) {
    fail("add_at", to_loc(values.loc()),
         "the values are not a row for each index: got " + describe(v) + ", expected " + expected.str());
  }
  Ints window;
  for (int64_t k = 1; k < x.rank(); ++k) window.push_back(i.rank() + k - 1);
  const Attrs attrs{{"update_window_dims", window},
                    {"inserted_window_dims", Ints{0}},
                    {"input_batching_dims", Ints{}},
                    {"scatter_indices_batching_dims", Ints{}},
                    {"scatter_dims_to_operand_dims", Ints{0}},
                    {"index_vector_dim", i.rank()},
                    {"indices_are_sorted", false},
                    {"unique_indices", false}};
  return make_op(loc, {x, i, v}, [attrs](OpBuilder& b, std::span<const Value> operands) {
    const RegionId body = b.binary_region(b.type(operands[0]).element_type(), "stablehlo.add");
    return b.create("stablehlo.scatter", operands, attrs, {}, std::span(&body, 1));
  });
}

Expr one_hot(Operand labels, int64_t depth, ElementType type) {
  const Expr l = to_expr("one_hot", labels, ElementType::kI32);
  const Loc loc = to_loc(labels.loc());
  if (!is_integer(l.element_type()))
    fail("one_hot", loc, "the labels are not integers: got " + describe(l) + ", expected integers");
  if (depth < 0) fail("one_hot", loc, "depth: got " + std::to_string(depth) + ", expected 0 or more");
  return make_op(loc, {l}, [depth, type](OpBuilder& b, std::span<const Value> v) {
    // In i32: positions need not fit the labels' type.
    const Value wide = byte_size(b.type(v[0]).element_type()) < 4 ? b.convert(v[0], ElementType::kI32) : v[0];
    const Type t = b.type(wide);
    Ints shape(t.shape().begin(), t.shape().end()), dims;
    for (int64_t k = 0; k < t.rank(); ++k) dims.push_back(k);
    shape.push_back(depth);
    const Value position = b.iota(Type::tensor(t.element_type(), shape), t.rank());
    return Values{b.convert(b.compare(b.broadcast_in_dim(wide, dims, shape), position, "EQ"), type)};
  });
}

}  // namespace weft
