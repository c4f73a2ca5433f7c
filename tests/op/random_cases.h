// Random attributes of ops with many of them, with shapes that fit.
#pragma once
#include <algorithm>

#include "ops/indexing/indexed_dims.h"
#include "tests/op/run_op.h"

namespace weft::test {

inline int pick(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

/// Sorted positions of `count` of n axes.
inline std::vector<int64_t> choose(std::mt19937& random, size_t n, size_t count) {
  std::vector<int64_t> all(n);
  for (size_t i = 0; i < n; ++i) all[i] = static_cast<int64_t>(i);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(count);
  std::sort(all.begin(), all.end());
  return all;
}
inline bool has(const std::vector<int64_t>& list, int64_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

/// Random dimension numbers with shapes that fit; the result's shape is that of scatter's updates.
struct IndexedCase {
  IndexedDims dims;
  Shape operand, indices, result;
  std::vector<int64_t> sizes;
  Tensor index_values;
};
inline IndexedCase random_indexed(std::mt19937& random) {
  IndexedCase c;
  const size_t rank = static_cast<size_t>(pick(random, 1, 3)), batch_rank = static_cast<size_t>(pick(random, 0, 2));
  for (size_t i = 0; i < rank; ++i) c.operand.push_back(pick(random, 1, 4));
  Shape batch;
  for (size_t i = 0; i < batch_rank; ++i) batch.push_back(pick(random, 1, 3));
  // Axes of the operand: batching, inserted, or of the window.
  const size_t batching = static_cast<size_t>(pick(random, 0, static_cast<int>(std::min(rank, batch_rank))));
  c.dims.batching = choose(random, rank, batching);
  std::vector<int64_t> batch_positions = choose(random, batch_rank, batching);
  std::shuffle(batch_positions.begin(), batch_positions.end(), random);
  for (size_t i = 0; i < batching; ++i)
    batch[static_cast<size_t>(batch_positions[i])] = c.operand[static_cast<size_t>(c.dims.batching[i])];
  std::vector<int64_t> window_axes;
  for (size_t d = 0; d < rank; ++d) {
    if (has(c.dims.batching, static_cast<int64_t>(d))) {
      c.sizes.push_back(1);
    } else if (random() % 2 == 0) {
      c.dims.inserted.push_back(static_cast<int64_t>(d));
      c.sizes.push_back(1);
    } else {
      window_axes.push_back(static_cast<int64_t>(d));
      c.sizes.push_back(pick(random, 1, static_cast<int>(c.operand[d])));
    }
  }
  // Indexed axes: any that are not batching, in any order. Single indices need no vector axis.
  for (size_t d = 0; d < rank; ++d) {
    if (!has(c.dims.batching, static_cast<int64_t>(d)) && random() % 3 != 0)
      c.dims.map.push_back(static_cast<int64_t>(d));
  }
  std::shuffle(c.dims.map.begin(), c.dims.map.end(), random);
  c.indices = batch;
  if (c.dims.map.size() == 1 && random() % 2 == 0) {
    c.dims.vector_axis = static_cast<int64_t>(batch_rank);
  } else {
    c.dims.vector_axis = pick(random, 0, static_cast<int>(batch_rank));
    c.indices.insert(c.indices.begin() + c.dims.vector_axis, static_cast<int64_t>(c.dims.map.size()));
  }
  const bool has_vector = c.dims.vector_axis < static_cast<int64_t>(c.indices.size());
  for (int64_t p : batch_positions)
    c.dims.indices_batching.push_back(has_vector && p >= c.dims.vector_axis ? p + 1 : p);
  c.dims.window = choose(random, batch_rank + window_axes.size(), window_axes.size());
  size_t w = 0, b = 0;
  for (size_t d = 0; d < batch_rank + window_axes.size(); ++d) {
    c.result.push_back(has(c.dims.window, static_cast<int64_t>(d)) ? c.sizes[static_cast<size_t>(window_axes[w++])]
                                                                   : batch[b++]);
  }
  c.index_values = Tensor(ElementType::kI32, c.indices);
  for (int64_t i = 0; i < c.index_values.size(); ++i) c.index_values.mutable_data<int32_t>()[i] = pick(random, -2, 5);
  return c;
}

inline std::vector<int64_t> permutation(std::mt19937& random, size_t n) {
  std::vector<int64_t> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(i);
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

struct ConvolutionCase {
  ConvolutionAttrs attrs;
  Shape lhs, rhs, result;
};
inline ConvolutionCase random_convolution(std::mt19937& random) {
  const size_t spatial = static_cast<size_t>(pick(random, 0, 2));
  ConvolutionCase c;
  ConvolutionAttrs& a = c.attrs;
  const auto in = permutation(random, spatial + 2), kernel = permutation(random, spatial + 2),
             out = permutation(random, spatial + 2);
  a.input_batch = in[0], a.input_feature = in[1], a.input_spatial.assign(in.begin() + 2, in.end());
  a.kernel_input_feature = kernel[0], a.kernel_output_feature = kernel[1],
  a.kernel_spatial.assign(kernel.begin() + 2, kernel.end());
  a.output_batch = out[0], a.output_feature = out[1], a.output_spatial.assign(out.begin() + 2, out.end());
  const int groups = pick(random, 1, 3);
  const bool by_batch = random() % 2 == 0;
  (by_batch ? a.batch_group_count : a.feature_group_count) = groups;
  const int64_t depth = pick(random, 1, 2), features = groups * pick(random, 1, 2), images = pick(random, 1, 2);
  Shape &xs = c.lhs, &ws = c.rhs, &ys = c.result;
  for (Shape* s : {&xs, &ws, &ys}) s->resize(spatial + 2);
  xs[static_cast<size_t>(a.input_batch)] = by_batch ? images * groups : images;
  xs[static_cast<size_t>(a.input_feature)] = by_batch ? depth : depth * groups;
  ws[static_cast<size_t>(a.kernel_input_feature)] = depth;
  ws[static_cast<size_t>(a.kernel_output_feature)] = features;
  ys[static_cast<size_t>(a.output_batch)] = images;
  ys[static_cast<size_t>(a.output_feature)] = features;
  for (size_t d = 0; d < spatial; ++d) {
    xs[static_cast<size_t>(a.input_spatial[d])] = pick(random, 1, 5);
    ws[static_cast<size_t>(a.kernel_spatial[d])] = pick(random, 1, 3);
    a.window_strides.push_back(pick(random, 1, 3));
    a.lhs_dilation.push_back(pick(random, 1, 3));
    a.rhs_dilation.push_back(pick(random, 1, 3));
    a.padding.push_back(pick(random, -2, 3));
    a.padding.push_back(pick(random, -2, 3));
    a.window_reversal.push_back(pick(random, 0, 1));
    const int64_t width = (xs[static_cast<size_t>(a.input_spatial[d])] - 1) * a.lhs_dilation[d] + 1 + a.padding[2 * d] +
                          a.padding[2 * d + 1];
    const int64_t reach = (ws[static_cast<size_t>(a.kernel_spatial[d])] - 1) * a.rhs_dilation[d] + 1;
    ys[static_cast<size_t>(a.output_spatial[d])] = reach > width ? 0 : (width - reach) / a.window_strides[d] + 1;
  }
  return c;
}

struct RandomWindow {
  Shape shape, out;
  WindowAttrs w;
};
inline RandomWindow random_window(std::mt19937& random, bool dilated) {
  RandomWindow r;
  r.shape.resize(static_cast<size_t>(pick(random, 1, 2)));
  for (int64_t& e : r.shape) {
    e = pick(random, 1, 5);
    r.w.dimensions.push_back(pick(random, 1, 3));
    r.w.strides.push_back(pick(random, 1, 3));
    r.w.base_dilations.push_back(dilated ? pick(random, 1, 3) : 1);
    r.w.window_dilations.push_back(dilated ? pick(random, 1, 2) : 1);
    r.w.padding.push_back(pick(random, -1, 2));
    r.w.padding.push_back(pick(random, -1, 2));
    const size_t d = r.out.size();
    const int64_t width = (e - 1) * r.w.base_dilations[d] + 1 + r.w.padding[2 * d] + r.w.padding[2 * d + 1];
    const int64_t reach = (r.w.dimensions[d] - 1) * r.w.window_dilations[d] + 1;
    r.out.push_back(width <= 0 || reach > width ? 0 : (width - reach) / r.w.strides[d] + 1);
  }
  return r;
}

}  // namespace weft::test
