// gather, scatter and the dynamic slices against the specification's index formulas.
#include <algorithm>

#include "tests/op/random_cases.h"

namespace weft::test {
namespace {

/// The specification's operand_index (gather, clamped) or result_index (scatter) of a result (updates) index.
std::vector<int64_t> operand_index(const IndexedCase& c, const std::vector<int64_t>& result_index, bool clamp) {
  std::vector<int64_t> batch, window;
  for (size_t d = 0; d < result_index.size(); ++d)
    (has(c.dims.window, static_cast<int64_t>(d)) ? window : batch).push_back(result_index[d]);
  const bool has_vector = c.dims.vector_axis < static_cast<int64_t>(c.indices.size());
  std::vector<int64_t> out;
  size_t w = 0;
  for (size_t d = 0; d < c.operand.size(); ++d) {
    int64_t start = 0, batching = 0, offset = 0;
    const auto component = std::find(c.dims.map.begin(), c.dims.map.end(), static_cast<int64_t>(d));
    if (component != c.dims.map.end()) {
      std::vector<int64_t> at = batch;
      if (has_vector) at.insert(at.begin() + c.dims.vector_axis, component - c.dims.map.begin());
      start = c.index_values.data<int32_t>()[static_cast<size_t>(position(at, c.indices))];
      if (clamp) start = std::clamp<int64_t>(start, 0, c.operand[d] - c.sizes[d]);
    }
    const auto pair = std::find(c.dims.batching.begin(), c.dims.batching.end(), static_cast<int64_t>(d));
    if (pair != c.dims.batching.end()) {
      const int64_t axis = c.dims.indices_batching[static_cast<size_t>(pair - c.dims.batching.begin())];
      batching = batch[static_cast<size_t>(axis - (axis < c.dims.vector_axis ? 0 : 1))];
    } else if (!has(c.dims.inserted, static_cast<int64_t>(d))) {
      offset = window[w++];
    }
    out.push_back(start + batching + offset);
  }
  return out;
}

TEST(Gather, ReadsAtTheSpecificationsOperandIndex) {
  std::mt19937 random(21);
  for (int trial = 0; trial < 300; ++trial) {
    const IndexedCase c = random_indexed(random);
    const Tensor x = small_integers(random, c.operand);
    std::vector<double> expected;
    for_each_index(c.result, [&](const std::vector<int64_t>& i) {
      expected.push_back(x.data<double>()[static_cast<size_t>(position(operand_index(c, i, true), c.operand))]);
    });
    const Tensor got = run_op({x, c.index_values}, [&](OpBuilder& b, std::span<const Value> v) {
      return std::vector{b.make("stablehlo.gather", {v[0], v[1]}, c.dims.gather_attrs(c.sizes, false))};
    })[0];
    ASSERT_EQ(got.shape(), c.result) << trial;
    ASSERT_EQ(values(got), expected) << trial;
  }
}

TEST(Scatter, CombinesAtTheSpecificationsResultIndexAndSkipsWhatLiesOutside) {
  std::mt19937 random(22);
  int skipped = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const IndexedCase c = random_indexed(random);
    const Tensor x = small_integers(random, c.operand), updates = small_integers(random, c.result);
    std::vector<double> expected = values(x);
    for_each_index(c.result, [&](const std::vector<int64_t>& i) {
      const int64_t p = position(operand_index(c, i, false), c.operand);
      if (p >= 0)
        expected[static_cast<size_t>(p)] += updates.data<double>()[static_cast<size_t>(position(i, c.result))];
      skipped += p < 0 ? 1 : 0;
    });
    const Tensor got = run_op({x, c.index_values, updates}, [&](OpBuilder& b, std::span<const Value> v) {
      return std::vector{emit_scatter(b, c.dims, v[0], v[1], v[2], BodyKind::kAdd, false, false)};
    })[0];
    ASSERT_EQ(values(got), expected) << trial;
  }
  EXPECT_GT(skipped, 100);
}

TEST(Scatter, LaterUpdatesOverwriteEarlierOnes) {
  const Tensor got = run_op(
      {Tensor::of<double>({0, 0, 0}, {3}), Tensor::of<int32_t>({1, 1, 2}, {3}), Tensor::of<double>({5, 6, 7}, {3})},
      [](OpBuilder& b, std::span<const Value> v) {
        return std::vector{
            emit_scatter(b, {{}, {0}, {}, {}, {0}, 1}, v[0], v[1], v[2], BodyKind::kSecond, false, false)};
      })[0];
  EXPECT_EQ(values(got), (std::vector<double>{0, 6, 7}));
}

TEST(Scatter, BodyOfItsOwnOnSeveralInputs) {
  // (x, y) ← (x + u*v, y - u)
  const auto got =
      run_op({Tensor::of<double>({1, 2}, {2}), Tensor::of<double>({3, 4}, {2}), Tensor::of<int32_t>({1, 1}, {2}),
              Tensor::of<double>({5, 6}, {2}), Tensor::of<double>({7, 8}, {2})},
             [](OpBuilder& b, std::span<const Value> v) {
               const Type s = Type::scalar(ElementType::kF64), types[] = {s, s, s, s};
               const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
                 return std::vector{r.add(a[0], r.multiply(a[2], a[3])), r.subtract(a[1], a[2])};
               });
               return b.create("stablehlo.scatter", v, IndexedDims{{}, {0}, {}, {}, {0}, 1}.scatter_attrs(false, false),
                               {}, std::span(&body, 1));
             });
  EXPECT_EQ(values(got[0]), (std::vector<double>{1, 2 + 35 + 48}));
  EXPECT_EQ(values(got[1]), (std::vector<double>{3, 4 - 5 - 6}));
}

TEST(Scatter, HugeIndicesLieOutside) {
  const auto scatter = [](auto index) {
    using T = decltype(index);
    return values(run_op({Tensor::of<double>({1, 2}, {2}), Tensor::of<T>({index}, {1}), Tensor::of<double>({5}, {1})},
                         [](OpBuilder& b, std::span<const Value> v) {
                           return std::vector{emit_scatter(b, {{}, {0}, {}, {}, {0}, 1}, v[0], v[1], v[2],
                                                           BodyKind::kAdd, false, false)};
                         })[0]);
  };
  const std::vector<double> untouched = {1, 2};
  EXPECT_EQ(scatter(UINT64_MAX), untouched);
  EXPECT_EQ(scatter(INT64_MAX), untouched);
  EXPECT_EQ(scatter(INT64_MIN), untouched);
  EXPECT_EQ(scatter(uint8_t{255}), untouched);
}

TEST(DynamicSlice, StartsAreClamped) {
  const Tensor x = Tensor::of<double>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4});
  const auto slice = [&](int64_t i, int64_t j) {
    return values(run_op({x, Tensor::scalar_of<int64_t>(i), Tensor::scalar_of<int64_t>(j)},
                         [](OpBuilder& b, std::span<const Value> v) {
                           const int64_t sizes[] = {2, 2};
                           return std::vector{b.dynamic_slice(v[0], v.subspan(1), sizes)};
                         })[0]);
  };
  EXPECT_EQ(slice(0, 1), (std::vector<double>{1, 2, 5, 6}));
  EXPECT_EQ(slice(-5, 9), (std::vector<double>{2, 3, 6, 7}));
  EXPECT_EQ(slice(INT64_MAX, INT64_MIN), (std::vector<double>{4, 5, 8, 9}));
}

TEST(DynamicUpdateSlice, StartsAreClampedAndTheOperandStays) {
  const Tensor x = Tensor::of<double>({0, 1, 2, 3, 4, 5}, {2, 3}), u = Tensor::of<double>({-1, -2}, {1, 2});
  const auto update = [&](uint64_t i, uint64_t j) {
    return values(run_op({x, u, Tensor::scalar_of<uint64_t>(i), Tensor::scalar_of<uint64_t>(j)},
                         [](OpBuilder& b, std::span<const Value> v) {
                           return std::vector{b.dynamic_update_slice(v[0], v[1], v.subspan(2))};
                         })[0]);
  };
  EXPECT_EQ(update(1, 0), (std::vector<double>{0, 1, 2, -1, -2, 5}));
  EXPECT_EQ(update(0, UINT64_MAX), (std::vector<double>{0, -1, -2, 3, 4, 5}));
  EXPECT_EQ(values(x), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace weft::test
