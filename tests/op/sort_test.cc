// Values of sort, chlo.top_k and map.
#include <algorithm>
#include <limits>

#include "tests/op/run_op.h"

namespace weft::test {
namespace {

/// Sorts by a comparator on the first operand that is written as `emit(c, a, b)`.
template <class F>
std::vector<Tensor> sorted(const std::vector<Tensor>& args, int64_t dimension, F emit) {
  return run_op(args, [&](OpBuilder& b, std::span<const Value> x) {
    std::vector<Type> types;
    for (Value v : x) types.insert(types.end(), 2, Type::scalar(b.type(v).element_type()));
    const RegionId r =
        b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) { return std::vector<Value>{emit(c, a)}; });
    return b.create("stablehlo.sort", x, Attrs{{"dimension", dimension}, {"is_stable", true}}, {}, std::span(&r, 1));
  });
}

template <class T>
std::vector<T> list(const Tensor& t) {
  return {t.data<T>().begin(), t.data<T>().end()};
}

TEST(Sort, IsStableForTypedAndForOtherComparators) {
  std::mt19937 random(3);
  std::vector<int32_t> keys(200), places(200);
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<int32_t>(random() % 10) - 5;
    places[i] = static_cast<int32_t>(i);
  }
  std::vector<int32_t> order = places;
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
  const std::vector<Tensor> args = {Tensor::of(keys, {200}), Tensor::of(places, {200})};
  const auto typed =
      sorted(args, 0, [](OpBuilder& c, std::span<const Value> a) { return c.compare(a[0], a[1], "LT"); });
  EXPECT_EQ(list<int32_t>(typed[1]), order);
  // a - b < 0 is not recognised and runs as a region.
  const auto other = sorted(args, 0, [](OpBuilder& c, std::span<const Value> a) {
    return c.compare(c.subtract(a[0], a[1]), c.scalar(ElementType::kI32, 0), "LT");
  });
  EXPECT_EQ(list<int32_t>(other[1]), order);
  const auto swapped =
      sorted(args, 0, [](OpBuilder& c, std::span<const Value> a) { return c.compare(a[1], a[0], "GT"); });
  EXPECT_EQ(list<int32_t>(swapped[1]), order);
}

TEST(Sort, ColumnsAndSeveralKeys) {
  // Rows of a 3x2 array sorted down each column.
  const auto columns = sorted({Tensor::of<float>({3, 4, 1, 9, 2, 5}, {3, 2})}, 0,
                              [](OpBuilder& c, std::span<const Value> a) { return c.compare(a[0], a[1], "LT"); });
  EXPECT_EQ(list<float>(columns[0]), (std::vector<float>{1, 4, 2, 5, 3, 9}));
  // First key ascending, ties by the second descending.
  const auto two =
      sorted({Tensor::of<int32_t>({1, 0, 1, 0}, {4}), Tensor::of<float>({5, 6, 7, 8}, {4})}, -1,
             [](OpBuilder& c, std::span<const Value> a) {
               return c.logical_or(c.compare(a[0], a[1], "LT"),
                                   c.logical_and(c.compare(a[0], a[1], "EQ"), c.compare(a[2], a[3], "GT")));
             });
  EXPECT_EQ(list<int32_t>(two[0]), (std::vector<int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(list<float>(two[1]), (std::vector<float>{8, 6, 7, 5}));
}

TEST(Sort, TotalOrderWithZerosAndNansJoined) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {nan, 0.0f, -inf, -0.0f, -nan, 1, inf, -1};
  const auto plain = sorted({Tensor::of(x, {8}), Tensor::of<int32_t>({0, 1, 2, 3, 4, 5, 6, 7}, {8})}, 0,
                            [](OpBuilder& c, std::span<const Value> a) {
                              return c.make("stablehlo.compare", {a[0], a[1]},
                                            Attrs{{"comparison_direction", "LT"}, {"compare_type", "TOTALORDER"}});
                            });
  EXPECT_EQ(list<int32_t>(plain[1]), (std::vector<int32_t>{4, 2, 7, 3, 1, 5, 6, 0}));
  // What JAX writes: -0 as 0 and every NaN as one, so that these keep their order.
  const auto joined = sorted({Tensor::of(x, {8}), Tensor::of<int32_t>({0, 1, 2, 3, 4, 5, 6, 7}, {8})}, 0,
                             [](OpBuilder& c, std::span<const Value> a) {
                               const auto key = [&](Value v) {
                                 const Value zero = c.scalar(ElementType::kF32, 0);
                                 const Value z = c.select(c.compare(v, zero, "EQ"), zero, v);
                                 return c.select(c.compare(v, v, "NE"), c.scalar(ElementType::kF32, NAN), z);
                               };
                               return c.make("stablehlo.compare", {key(a[0]), key(a[1])},
                                             Attrs{{"comparison_direction", "LT"}, {"compare_type", "TOTALORDER"}});
                             });
  EXPECT_EQ(list<int32_t>(joined[1]), (std::vector<int32_t>{2, 7, 1, 3, 5, 6, 0, 4}));
}

TEST(TopK, LargestFirstTiesByPosition) {
  const auto r =
      run_op({Tensor::of<int32_t>({3, 9, 3, 1, 9, 9, 2, 2}, {2, 4})},
             [](OpBuilder& b, std::span<const Value> x) { return b.create("chlo.top_k", x, Attrs{{"k", 3}}); });
  EXPECT_EQ(list<int32_t>(r[0]), (std::vector<int32_t>{9, 3, 3, 9, 9, 2}));
  EXPECT_EQ(list<int32_t>(r[1]), (std::vector<int32_t>{1, 0, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace weft::test
