// reduce, reduce_window and select_and_scatter against folds over index tuples.
#include <cmath>

#include "tests/op/random_cases.h"

namespace weft::test {
namespace {

/// A body that no rule recognises, and whose result depends on the order: 2a - b.
RegionId order_dependent_body(OpBuilder& b) {
  const Type s = Type::scalar(ElementType::kF64), types[] = {s, s};
  return b.make_region(
      types, [](OpBuilder& r, std::span<const Value> a) { return std::vector{r.subtract(r.add(a[0], a[0]), a[1])}; });
}

double fold(const std::string& body, double a, double b) {
  if (body == "stablehlo.add") return a + b;
  if (body == "stablehlo.multiply") return a * b;
  if (body == "stablehlo.maximum") return std::max(a, b);
  if (body == "stablehlo.minimum") return std::min(a, b);
  return 2 * a - b;
}

const std::vector<std::string> kBodies = {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
                                          "stablehlo.minimum", "order"};

TEST(Reduce, FoldsInRowMajorOrderFromTheInitValue) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    Shape shape(static_cast<size_t>(pick(random, 0, 3)));
    for (int64_t& e : shape) e = pick(random, trial % 8 == 0 ? 0 : 1, 3);
    std::vector<int64_t> dims;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (random() % 2 == 0)
        dims.insert(dims.begin() + pick(random, 0, static_cast<int>(dims.size())), static_cast<int64_t>(d));
    }
    const std::string body = kBodies[static_cast<size_t>(trial) % kBodies.size()];
    Shape kept;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) == dims.end()) kept.push_back(shape[d]);
    }
    const Tensor x = small_integers(random, shape), init = Tensor::scalar_of<double>(3);
    std::vector<double> expected(static_cast<size_t>(num_elements(kept)), 3.0);
    for_each_index(shape, [&](const std::vector<int64_t>& index) {
      std::vector<int64_t> at;
      for (size_t d = 0; d < shape.size(); ++d) {
        if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) == dims.end()) at.push_back(index[d]);
      }
      double& sum = expected[static_cast<size_t>(position(at, kept))];
      sum = fold(body, sum, x.data<double>()[static_cast<size_t>(position(index, shape))]);
    });
    const Tensor got = run_op({x, init}, [&](OpBuilder& b, std::span<const Value> v) {
      if (body != "order") return std::vector{b.reduce(v[0], dims, body, v[1])};
      const RegionId region = order_dependent_body(b);
      return b.create("stablehlo.reduce", v, Attrs{{"dimensions", dims}}, {}, std::span(&region, 1));
    })[0];
    ASSERT_EQ(got.shape(), kept) << trial;
    ASSERT_EQ(values(got), expected) << trial << " " << body;
  }
}

TEST(Reduce, SeveralValuesAtOnce) {
  // (sum of x, sum of x*y) by one body that mixes its values: (a0 + b0, a1 + b0*b1), y in the second input.
  const Tensor x = Tensor::of<double>({1, 2, 3, 4}, {2, 2}), y = Tensor::of<double>({5, 6, 7, 8}, {2, 2});
  const auto got = run_op(
      {x, y, Tensor::scalar_of<double>(0), Tensor::scalar_of<double>(0)}, [](OpBuilder& b, std::span<const Value> v) {
        const Type s = Type::scalar(ElementType::kF64), types[] = {s, s, s, s};
        const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
          return std::vector{r.add(a[0], a[2]), r.add(a[1], r.multiply(a[2], a[3]))};
        });
        return b.create("stablehlo.reduce", v, Attrs{{"dimensions", Attr::Ints{1}}}, {}, std::span(&body, 1));
      });
  EXPECT_EQ(values(got[0]), (std::vector<double>{3, 7}));
  EXPECT_EQ(values(got[1]), (std::vector<double>{17, 53}));
}

TEST(Reduce, MaximumKeepsNanAndOrdersZeros) {
  const auto reduce = [](std::vector<float> x, const char* body, float init) {
    const int64_t n = static_cast<int64_t>(x.size());
    const int64_t dims[] = {0};
    return run_op(
               {Tensor::of<float>(x, {n}), Tensor::scalar_of<float>(init)},
               [&](OpBuilder& b, std::span<const Value> v) { return std::vector{b.reduce(v[0], dims, body, v[1])}; })[0]
        .scalar<float>();
  };
  EXPECT_TRUE(std::isnan(reduce({1, NAN, 2}, "stablehlo.maximum", -INFINITY)));
  EXPECT_TRUE(std::isnan(reduce({1, NAN, 2}, "stablehlo.minimum", INFINITY)));
  EXPECT_FALSE(std::signbit(reduce({-0.0f, 0.0f}, "stablehlo.maximum", -0.0f)));
  EXPECT_TRUE(std::signbit(reduce({-0.0f, 0.0f}, "stablehlo.minimum", 0.0f)));
}

TEST(Reduce, BodyOfAWiderType) {
  const int64_t dims[] = {0};
  const Type wide = Type::scalar(ElementType::kI32), types[] = {wide, wide};
  const Tensor got = run_op({Tensor::of<int8_t>({100, 100, 100}, {3}), Tensor::scalar_of<int8_t>(1)},
                            [&](OpBuilder& b, std::span<const Value> v) {
                              const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
                                return std::vector{r.add(a[0], a[1])};
                              });
                              return b.create("stablehlo.reduce", v, Attrs{{"dimensions", Attr::Ints(dims, dims + 1)}},
                                              {}, std::span(&body, 1));
                            })[0];
  EXPECT_EQ(got.scalar<int32_t>(), 301);
}

TEST(Reduce, SixteenBitSumsDoNotStall) {
  const int64_t dims[] = {0};
  const Tensor x = Tensor::of<bf16>(std::vector<bf16>(1000, bf16(1.0f)), {1000});
  const Tensor got = run_op({x}, [&](OpBuilder& b, std::span<const Value> v) {
    return std::vector{b.reduce(v[0], dims, "stablehlo.add")};
  })[0];
  EXPECT_EQ(float(got.scalar<bf16>()), 1000.0f);
}

/// Index of the input element that window o sees at k; a coordinate of -1 for padding.
std::vector<int64_t> seen(const RandomWindow& r, const std::vector<int64_t>& o, const std::vector<int64_t>& k) {
  std::vector<int64_t> at;
  for (size_t d = 0; d < o.size(); ++d) {
    const int64_t p = o[d] * r.w.strides[d] + k[d] * r.w.window_dilations[d] - r.w.padding[2 * d];
    at.push_back(p >= 0 && p % r.w.base_dilations[d] == 0 ? p / r.w.base_dilations[d] : -1);
  }
  return at;
}

TEST(ReduceWindow, FoldsEachWindowWithPaddingAsInitValues) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const RandomWindow r = random_window(random, true);
    const std::string body = kBodies[static_cast<size_t>(trial) % kBodies.size()];
    const Tensor x = small_integers(random, r.shape);
    std::vector<double> expected;
    for_each_index(r.out, [&](const std::vector<int64_t>& o) {
      double sum = 2;
      for_each_index(r.w.dimensions, [&](const std::vector<int64_t>& k) {
        const int64_t p = position(seen(r, o, k), r.shape);
        sum = fold(body, sum, p < 0 ? 2 : x.data<double>()[static_cast<size_t>(p)]);
      });
      expected.push_back(sum);
    });
    const Tensor got = run_op({x, Tensor::scalar_of<double>(2)}, [&](OpBuilder& b, std::span<const Value> v) {
      if (body != "order") return std::vector{b.reduce_window(v[0], v[1], r.w, body)};
      const RegionId region = order_dependent_body(b);
      return b.create("stablehlo.reduce_window", v,
                      Attrs{{"window_dimensions", r.w.dimensions},
                            {"window_strides", r.w.strides},
                            {"base_dilations", r.w.base_dilations},
                            {"window_dilations", r.w.window_dilations},
                            {"padding", r.w.padding}},
                      {}, std::span(&region, 1));
    })[0];
    ASSERT_EQ(got.shape(), r.out) << trial;
    ASSERT_EQ(values(got), expected) << trial << " " << body;
  }
}

TEST(SelectAndScatter, AddsEachSourceElementWhereItsWindowSelects) {
  std::mt19937 random(9);
  for (int trial = 0; trial < 60; ++trial) {
    const RandomWindow r = random_window(random, false);
    const bool largest =
        trial % 2 == 0;  // GE: the first of equal maxima; LT: the last of equal minima, as a new equal one replaces
    const Tensor x = small_integers(random, r.shape), source = small_integers(random, r.out);
    std::vector<double> expected(static_cast<size_t>(x.size()), 10.0);
    for_each_index(r.out, [&](const std::vector<int64_t>& o) {
      int64_t chosen = -1;
      for_each_index(r.w.dimensions, [&](const std::vector<int64_t>& k) {
        const int64_t p = position(seen(r, o, k), r.shape);
        if (p < 0) return;
        const auto at = [&](int64_t i) { return x.data<double>()[static_cast<size_t>(i)]; };
        if (chosen < 0 || (largest ? at(p) > at(chosen) : at(p) <= at(chosen))) chosen = p;
      });
      if (chosen >= 0)
        expected[static_cast<size_t>(chosen)] += source.data<double>()[static_cast<size_t>(position(o, r.out))];
    });
    const Tensor got = run_op({x, source, Tensor::scalar_of<double>(10)}, [&](OpBuilder& b, std::span<const Value> v) {
      const Type s = Type::scalar(ElementType::kF64), types[] = {s, s};
      const RegionId regions[] = {b.make_region(types,
                                                [&](OpBuilder& q, std::span<const Value> a) {
                                                  return std::vector{q.compare(a[0], a[1], largest ? "GE" : "LT")};
                                                }),
                                  b.binary_region(ElementType::kF64, "stablehlo.add")};
      return b.create(
          "stablehlo.select_and_scatter", v,
          Attrs{{"window_dimensions", r.w.dimensions}, {"window_strides", r.w.strides}, {"padding", r.w.padding}}, {},
          regions);
    })[0];
    ASSERT_EQ(values(got), expected) << trial;
  }
}

TEST(SelectAndScatter, ExampleOfTheSpecification) {
  const Tensor got = run_op(
      {Tensor::of<int64_t>({1, 5, 2, 5, 3, 6, 4, 4}, {4, 2}), Tensor::of<int64_t>({5, 6, 7, 8}, {2, 2}),
       Tensor::scalar_of<int64_t>(0)},
      [](OpBuilder& b, std::span<const Value> v) {
        const Type s = Type::scalar(ElementType::kI64), types[] = {s, s};
        const RegionId regions[] = {
            b.make_region(
                types, [](OpBuilder& q, std::span<const Value> a) { return std::vector{q.compare(a[0], a[1], "GE")}; }),
            b.binary_region(ElementType::kI64, "stablehlo.add")};
        return b.create("stablehlo.select_and_scatter", v,
                        Attrs{{"window_dimensions", Attr::Ints{3, 1}},
                              {"window_strides", Attr::Ints{2, 1}},
                              {"padding", Attr::Ints{0, 1, 0, 0}}},
                        {}, regions);
      })[0];
  EXPECT_EQ(std::vector<int64_t>(got.data<int64_t>().begin(), got.data<int64_t>().end()),
            (std::vector<int64_t>{0, 0, 0, 0, 5, 14, 7, 0}));
}

}  // namespace
}  // namespace weft::test
