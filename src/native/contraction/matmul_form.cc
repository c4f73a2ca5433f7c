#include "native/contraction/matmul_form.h"

#include <algorithm>
#include <utility>

namespace weft::native {

namespace {

std::vector<int64_t> dense_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// A dimension shared by two tensors, and how each of them steps through it.
struct Axis {
  int64_t extent, first, second;
};

// Merges what both tensors step through as one dimension; the rest stays apart. Order: slowest of the first tensor first.
std::vector<Axis> merged(std::vector<Axis> axes) {
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.first > b.first; });
  std::vector<Axis> result;
  for (const Axis& axis : axes) {
    Axis* outer = result.empty() ? nullptr : &result.back();
    if (outer && outer->first == axis.first * axis.extent && outer->second == axis.second * axis.extent)
      *outer = {outer->extent * axis.extent, axis.first, axis.second};
    else result.push_back(axis);
  }
  return result;
}

// Takes the largest dimension out of the list as the matrix's own, the others being repeated products.
Axis take_largest(std::vector<Axis>& axes) {
  if (axes.empty()) return {1, 1, 1};
  auto largest = std::max_element(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
    return std::pair(a.extent, -a.second) < std::pair(b.extent, -b.second);
  });
  Axis taken = *largest;
  axes.erase(largest);
  return taken;
}

bool is_one_dimension(std::span<const int64_t> shape, std::span<const int64_t> strides,
                      const std::vector<int64_t>& order) {
  int64_t step = 0;  // not known before the fastest dimension
  for (size_t at = order.size(); at-- > 0;) {
    int64_t d = order[at];
    if (shape[d] == 1) continue;
    if (step != 0 && strides[d] != step) return false;
    step = strides[d] * shape[d];
  }
  return true;
}

std::vector<int64_t> copied_strides(std::span<const int64_t> shape, const std::vector<int64_t>& order) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t at = order.size(); at-- > 0;) {
    strides[order[at]] = step;
    step *= shape[order[at]];
  }
  return strides;
}

std::vector<int64_t> concatenated(std::initializer_list<std::vector<int64_t>> lists) {
  std::vector<int64_t> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

ContractionLayout ContractionLayout::dense(const OpView& op) {
  return {dense_strides(op.operand_type(0).shape()), dense_strides(op.operand_type(1).shape()),
          dense_strides(op.result_type().shape())};
}

MatmulAnalysis analyze_dot_general(const OpView& op, const ContractionLayout& layout) {
  MatmulAnalysis analysis;
  auto refuse = [&](std::string reason) {
    analysis.reason = std::move(reason);
    return analysis;
  };
  const Attrs& attrs = op.attrs();
  for (const auto& [name, value] : attrs.entries()) {
    static constexpr std::string_view kHonoured[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                                     "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                                                     "precision_config"};
    if (std::ranges::find(kHonoured, name) == std::end(kHonoured))
      return refuse("attribute " + name + " is not honoured");
  }
  const Type lhs = op.operand_type(0), rhs = op.operand_type(1), result = op.result_type();
  if (!lhs.is_static() || !rhs.is_static() || !result.is_static()) return refuse("extents are not static");
  const bool widens = lhs.element_type() == ElementType::kI8 && result.element_type() == ElementType::kI32;
  if (lhs.element_type() != rhs.element_type() || (lhs.element_type() != result.element_type() && !widens))
    return refuse("operands and result differ in element type");

  const auto lhs_batch = attrs.ints_or("lhs_batching_dimensions", 0, 0),
             rhs_batch = attrs.ints_or("rhs_batching_dimensions", 0, 0);
  const auto lhs_sum = attrs.ints_or("lhs_contracting_dimensions", 0, 0),
             rhs_sum = attrs.ints_or("rhs_contracting_dimensions", 0, 0);
  auto free_of = [](Type type, const std::vector<int64_t>& batch, const std::vector<int64_t>& sum) {
    std::vector<int64_t> free;
    for (int64_t d = 0; d < type.rank(); ++d)
      if (std::ranges::find(batch, d) == batch.end() && std::ranges::find(sum, d) == sum.end()) free.push_back(d);
    return free;
  };
  const auto lhs_free = free_of(lhs, lhs_batch, lhs_sum), rhs_free = free_of(rhs, rhs_batch, rhs_sum);

  MatmulForm& form = analysis.form;
  auto lhs_strides = layout.lhs, rhs_strides = layout.rhs;
  auto sum_axes = [&] {
    std::vector<Axis> axes;
    for (size_t at = 0; at < lhs_sum.size(); ++at)
      axes.push_back({lhs.dim(lhs_sum[at]), lhs_strides[lhs_sum[at]], rhs_strides[rhs_sum[at]]});
    return merged(axes);
  };
  std::vector<Axis> sums = sum_axes();
  if (sums.size() > 1) {
    // One operand, the smaller where there is a choice, is copied with its contracted dimensions in the other's order.
    auto order_by = [&](const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
      std::vector<size_t> order(dims.size());
      for (size_t at = 0; at < order.size(); ++at) order[at] = at;
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return strides[dims[a]] > strides[dims[b]]; });
      return order;
    };
    auto picked = [](const std::vector<int64_t>& dims, const std::vector<size_t>& order) {
      std::vector<int64_t> list;
      for (size_t at : order) list.push_back(dims[at]);
      return list;
    };
    const auto by_lhs = order_by(lhs_sum, lhs_strides), by_rhs = order_by(rhs_sum, rhs_strides);
    bool lhs_fits = is_one_dimension(lhs.shape(), lhs_strides, picked(lhs_sum, by_lhs));
    bool rhs_fits = is_one_dimension(rhs.shape(), rhs_strides, picked(rhs_sum, by_rhs));
    bool copies_lhs = !lhs_fits && rhs_fits;
    if (lhs_fits && rhs_fits) copies_lhs = lhs.num_elements() < rhs.num_elements();
    bool copies_both = !lhs_fits && !rhs_fits;
    const auto& order = copies_lhs ? by_rhs : by_lhs;
    if (copies_lhs || copies_both) {
      form.lhs_copy = concatenated({lhs_batch, lhs_free, picked(lhs_sum, order)});
      lhs_strides = copied_strides(lhs.shape(), form.lhs_copy);
    }
    if (!copies_lhs || copies_both) {
      form.rhs_copy = concatenated({rhs_batch, picked(rhs_sum, order), rhs_free});
      rhs_strides = copied_strides(rhs.shape(), form.rhs_copy);
    }
    sums = sum_axes();
  }

  // Dimensions of the result: batching, free of lhs, free of rhs.
  std::vector<Axis> rows, columns;
  MatmulDesc& desc = form.desc;
  size_t at = 0;
  for (; at < lhs_batch.size(); ++at) {
    desc.batch.push_back(lhs.dim(lhs_batch[at]));
    desc.a_strides.push_back(lhs_strides[lhs_batch[at]]);
    desc.b_strides.push_back(rhs_strides[rhs_batch[at]]);
    desc.c_strides.push_back(layout.result[at]);
  }
  for (int64_t d : lhs_free) rows.push_back({lhs.dim(d), lhs_strides[d], layout.result[at++]});
  for (int64_t d : rhs_free) columns.push_back({rhs.dim(d), rhs_strides[d], layout.result[at++]});
  rows = merged(rows);
  columns = merged(columns);
  const Axis m = take_largest(rows), n = take_largest(columns), k = sums.empty() ? Axis{1, 1, 1} : sums[0];
  for (const Axis& row : rows) {
    desc.batch.push_back(row.extent);
    desc.a_strides.push_back(row.first);
    desc.b_strides.push_back(0);
    desc.c_strides.push_back(row.second);
  }
  for (const Axis& column : columns) {
    desc.batch.push_back(column.extent);
    desc.a_strides.push_back(0);
    desc.b_strides.push_back(column.first);
    desc.c_strides.push_back(column.second);
  }
  desc.type = lhs.element_type();
  if (widens) desc.c_type = result.element_type();
  desc.m = m.extent, desc.n = n.extent, desc.k = k.extent;
  desc.a_strides.insert(desc.a_strides.end(), {m.first, k.first});
  desc.b_strides.insert(desc.b_strides.end(), {k.second, n.first});
  desc.c_strides.insert(desc.c_strides.end(), {m.second, n.second});
  return analysis;
}

}  // namespace weft::native
