// Extents with bounds: what of two operands is known of the result. Each row by hand, in both orders.
#include "ops/structural/extents.h"

#include <gtest/gtest.h>

#include "ops/families.h"

namespace weft {
namespace {

constexpr Extent known(int64_t size) { return {size, kDynamic}; }
constexpr Extent at_most(int64_t bound) { return {kDynamic, bound}; }
constexpr Extent kAny{};

struct Row {
  Extent a, b;
  std::optional<Extent> both;  // most specific; none: one value cannot have both
  Extent either;               // least specific
  Extent sum;
};
const Row kRows[] = {
    {known(3), known(3), known(3), known(3), known(6)},
    {known(3), known(4), std::nullopt, kAny, known(7)},
    {known(3), kAny, known(3), kAny, kAny},
    {known(3), at_most(3), known(3), at_most(3), at_most(6)},
    {known(3), at_most(5), known(3), at_most(5), at_most(8)},
    {known(3), at_most(2), std::nullopt, at_most(3), at_most(5)},
    {kAny, kAny, kAny, kAny, kAny},
    {kAny, at_most(2), at_most(2), kAny, kAny},
    {at_most(2), at_most(7), at_most(2), at_most(7), at_most(9)},
    {known(0), at_most(7), known(0), at_most(7), at_most(7)},
};

TEST(Extents, CombineInBothOrders) {
  for (const Row& row : kRows) {
    for (const auto& [a, b] : {std::pair(row.a, row.b), std::pair(row.b, row.a)}) {
      const std::string what = describe(a) + " with " + describe(b);
      EXPECT_EQ(is_compatible(a, b), row.both.has_value()) << what;
      if (row.both) { EXPECT_EQ(most_specific(a, b), *row.both) << what; }
      EXPECT_EQ(least_specific(a, b), row.either) << what;
      EXPECT_EQ(sum(a, b), row.sum) << what;
    }
  }
}

TEST(Extents, SumsOverflow) {
  EXPECT_EQ(sum(known(INT64_MAX), known(1)), std::nullopt);
  EXPECT_EQ(sum(at_most(INT64_MAX), known(1)), kAny);
}

TEST(Extents, OfTypes) {
  const Type t =
      Type::tensor(ElementType::kF32, {2, kDynamic, kDynamic}).with_bounds(std::vector{kDynamic, kDynamic, int64_t{8}});
  EXPECT_EQ(extents_of(t), (std::vector<Extent>{known(2), kAny, at_most(8)}));
  EXPECT_EQ(with_extents(t, extents_of(t)), t);
  EXPECT_EQ(bounds_of(Type::tensor(ElementType::kF32, {2, 3})), (std::vector<int64_t>{kDynamic, kDynamic}));
  const Type u = Type::tensor(ElementType::kF32, {kDynamic, 5, kDynamic})
                     .with_bounds(std::vector{int64_t{4}, kDynamic, int64_t{6}});
  EXPECT_EQ(merge_types(t, u).str(), "tensor<2x5x?xf32, #stablehlo.bounds<?, ?, 6>>");
  EXPECT_EQ(join_types(t, u).str(), "tensor<?x?x?xf32, #stablehlo.bounds<4, ?, 8>>");
  EXPECT_FALSE(is_compatible(t, u.with_shape({2, 5, 9})));
  EXPECT_EQ(with_lanes(t, 3).str(), "tensor<3x2x?x?xf32, #stablehlo.bounds<?, ?, ?, 8>>");
  EXPECT_FALSE(is_static_or_single_bounded(t));
  EXPECT_TRUE(is_static_or_single_bounded(t.with_shape({2, 3, 4})));
  EXPECT_FALSE(is_static_or_single_bounded(t.with_shape({2, 3, kDynamic})));
  EXPECT_TRUE(is_static_or_single_bounded(
      t.with_shape({2, 3, kDynamic}).with_bounds(std::vector{kDynamic, kDynamic, int64_t{8}})));
}

}  // namespace
}  // namespace weft
