// pfor over structures, and functions of one example batched.
#include <array>
#include <map>
#include <optional>

#include "tests/symbolic/support.h"

namespace weft {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::options;
using testing::value_of;
using Exprs = std::vector<Expr>;
using Span = std::span<const Expr>;

struct Point {
  Expr x, y;
};
struct Particle {
  Point at, speed;
  Exprs charges;
  double mass = 1;
};
struct Labelled {
  Expr value;
  std::optional<Expr> label;
  auto fields() { return std::tie(value, label); }
};

Expr column(std::vector<double> v) {
  const auto n = static_cast<int64_t>(v.size());
  return constant(Tensor::of<double>(v, {n}));
}

TEST(Structure, OfStructsInAndOut) {
  const Particle all{{column({1, 2, 3}), column({0, 0, 1})},
                     {column({1, 1, 1}), column({2, 2, 2})},
                     {column({1, 0, 1}), column({5, 6, 7})},
                     3};
  const Particle next = pfor(all, [](Particle p) {
    p.at.x = p.at.x + p.speed.x * p.mass;
    p.at.y = p.at.y + p.speed.y;
    p.charges.push_back(p.charges[0] * p.charges[1]);
    return p;
  });
  EXPECT_EQ(next.mass, 3);
  expect_near(value_of(next.at.x), {4, 5, 6});
  expect_near(value_of(next.at.y), {2, 2, 3});
  expect_near(value_of(next.speed.y), {2, 2, 2});
  ASSERT_EQ(next.charges.size(), 3U);
  expect_near(value_of(next.charges[2]), {5, 0, 7});
}

TEST(Structure, OfNone) {
  const auto doubled = [](Labelled l) {
    l.value = l.value * 2;
    return l;
  };
  const Labelled without = pfor(Labelled{column({1, 2}), {}}, doubled);
  EXPECT_FALSE(without.label.has_value());
  expect_near(value_of(without.value), {2, 4});
  const Labelled with = pfor(Labelled{column({1, 2}), column({7, 8})}, doubled);
  expect_near(value_of(with.label.value()), {7, 8});
  // An empty handle is none, too, and a body may return it.
  const Point half = pfor(Point{column({1, 2}), {}}, [](const Point& p) { return Point{{}, p.x}; });
  EXPECT_FALSE(half.x.has_value());
  expect_near(value_of(half.y), {1, 2});
}

TEST(Structure, OfTuplesArraysAndMaps) {
  const auto [sum, both] = pfor(std::tuple(column({1, 2}), column({3, 4})),
                                [](const Expr& a, const Expr& b) { return std::pair(a + b, std::array{a, b}); });
  expect_near(value_of(sum), {4, 6});
  expect_near(value_of(both[1]), {3, 4});
  const std::map<std::string, Expr> named = {{"a", column({1, 2})}, {"b", column({3, 4})}};
  auto out = pfor(named, [](std::map<std::string, Expr> m) {
    m["c"] = m["a"] * m["b"];
    return m;
  });
  expect_near(value_of(out["c"]), {3, 8});
  const auto squares = pfor(3, [](const Expr& i) { return std::tuple(i * i, Point{i, i + 1}); });
  expect_near(value_of(std::get<0>(squares)), {0, 1, 4});
  expect_near(value_of(std::get<1>(squares).y), {1, 2, 3});
}

TEST(Structure, ExtentsOfOneAreForAllAndUniformResultsAreRepeated) {
  const Expr one = constant(Tensor::of<double>({1, 10}, {1, 2}));
  const Expr x = placeholder<double>({3}, "x");
  const auto [y, same] =
      pfor(std::tuple(one, x), [](const Expr& a, const Expr& b) { return std::tuple(a * b, sum(a)); });
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  const Results r = function({x}, {y, same}, {}, options())(Tensor::of<double>({1, 2, 3}, {3}));
  expect_near(r[0], {1, 10, 2, 20, 3, 30});
  expect_near(r[1], {11, 11, 11});
  // One lane where all extents are one.
  expect_near(value_of(pfor({column({2}), column({3})}, [](Span v) { return v[0] * v[1]; })), {6});
}

TEST(Structure, CarriesDerivatives) {
  const Variable w = variable(Tensor::of<double>({2, -1}, {2}), "w");
  const Expr x = placeholder<double>({3, 2}, "x"), y = placeholder<double>({3}, "y");
  struct Example {
    Expr x, y;
  };
  struct Outcome {
    Expr loss, gradient;
  };
  const Outcome o = pfor(Example{x, y}, [&](const Example& e) {
    const Expr loss = square(dot(e.x, w) - e.y);
    return Outcome{loss, grad(loss, w)};
  });
  const Results r = function({x, y}, {o.loss, o.gradient}, {}, options())(
      Tensor::of<double>({1, 1, 0, 1, 1, 0}, {3, 2}), Tensor::of<double>({0, 0, 1}, {3}));
  expect_near(r[0], {1, 1, 1});
  expect_near(r[1], {2, 2, 0, -2, 2, 0});
}

TEST(Batched, RunsAFunctionOfOneExample) {
  const Variable w = variable(Tensor::of<double>({1, 2}, {2}), "w");
  const Expr x = placeholder<double>({2}, "x"), n = placeholder<int32_t>({}, "n"),
             scale = placeholder<double>({}, "scale");
  // A loop with another trip count for each example.
  const Expr y = while_loop([&](Span s) { return s[0] < n; }, [&](Span s) { return Exprs{s[0] + 1, s[1] * w}; },
                            {0, x * scale})[1];
  const CompiledGraph one = function({x, n, scale}, {y, sum(y)}, {}, options());
  const CompiledGraph many = one.batched({0, 0, -1});
  const Tensor scales = Tensor::scalar_of(3.0);
  const Results r = many(Tensor::of<double>({1, 1, 2, 2, 1, 0}, {3, 2}), Tensor::of<int32_t>({0, 1, 3}, {3}), scales);
  EXPECT_EQ(r[0].shape(), (Shape{3, 2}));
  expect_near(r[0], {3, 3, 6, 12, 3, 0});
  expect_near(r[1], {6, 18, 3});
  // Another number of examples, examples on the last axis, and the variable's new value.
  w.set(Tensor::of<double>({10, 0}, {2}));
  expect_near(
      one.batched({1, 0, -1})(Tensor::of<double>({1, 2, 3, 4}, {2, 2}), Tensor::of<int32_t>({1, 0}, {2}), scales)[0],
      {30, 0, 6, 12});
  EXPECT_EQ(many(zeros<double>({0, 2}), zeros<int32_t>({0}), scales)[0].shape(), (Shape{0, 2}));
  BoundCall bound = many.bind({Tensor::of<double>({1, 2}, {1, 2}), Tensor::of<int32_t>({0}, {1}), scales});
  bound.run();
  expect_near(bound[1], {9});
}

TEST(Batched, InputPipelinesBatchBeforeTheirMap) {
  // Crop 3x3 of 5x5 bytes at a place of each image's own, flip some, normalise: image by image and then batched, or batched and then mapped.
  const Expr image = placeholder<uint8_t>({5, 5}, "image"), top = placeholder<int32_t>({}, "top"),
             left = placeholder<int32_t>({}, "left"), flip = placeholder<bool>({}, "flip");
  const Expr x = (cast<float>(dynamic_slice(image, {top, left}, {3, 3})) - 100) / 50;
  const CompiledGraph map = function({image, top, left, flip}, {where(flip, reverse(x, {1}), x)}, {}, options());
  constexpr int64_t kImages = 4;
  Tensor images(ElementType::kU8, {kImages, 5, 5});
  for (int64_t i = 0; i < images.size(); ++i) images.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i * 37 % 256);
  // The last place lies outside and is moved in, as for one image.
  const std::vector<int32_t> tops = {0, 2, 1, 9}, lefts = {1, 0, 2, 9};
  const bool flips[] = {false, true, true, false};
  Tensor flip_all(ElementType::kI1, {kImages});
  std::copy(std::begin(flips), std::end(flips), flip_all.mutable_data<bool>());
  const std::vector<double> all = testing::doubles(
      map.batched()(images, Tensor::of<int32_t>(tops, {kImages}), Tensor::of<int32_t>(lefts, {kImages}), flip_all)[0]);
  for (size_t k = 0; k < kImages; ++k) {
    Tensor one(ElementType::kU8, {5, 5}), f(ElementType::kI1, {});
    std::copy_n(images.data<uint8_t>().data() + 25 * k, 25, one.mutable_data<uint8_t>());
    f.mutable_data<bool>()[0] = flips[k];
    const std::vector<double> alone =
        testing::doubles(map(one, Tensor::scalar_of(tops[k]), Tensor::scalar_of(lefts[k]), f)[0]);
    for (size_t i = 0; i < 9; ++i) {
      EXPECT_EQ(all[9 * k + i], alone[i]);
      const size_t row = static_cast<size_t>(std::min(tops[k], 2)) + i / 3, at = i % 3;
      const size_t column = static_cast<size_t>(std::min(lefts[k], 2)) + (flips[k] ? 2 - at : at);
      EXPECT_FLOAT_EQ(static_cast<float>(all[9 * k + i]),
                      (static_cast<float>((25 * k + 5 * row + column) * 37 % 256) - 100) / 50);
    }
  }
}

TEST(Batched, RefusesWhatDoesNotFit) {
  const Variable v = variable(Tensor::scalar_of(0.0), "total");
  const Expr x = placeholder<double>({2}, "x"), y = placeholder<double>({}, "y");
  const CompiledGraph updating = function({x}, {sum(x)}, {{v, v + sum(x)}}, options());
  expect_error<UserError>([&] { updating.batched(); }, "[batched] the function updates the variable \"total\"");
  const CompiledGraph plain = function({x, y}, {x * y}, {}, options());
  expect_error<UserError>([&] { plain.batched({0}); }, "[batched] axes: got 1, expected one for each of 2 arguments");
  expect_error<UserError>([&] { plain.batched({2, 0}); }, "[batched] axis of argument 0: got 2, expected 0 to 1");
  expect_error<UserError>([&] { plain.batched({-1, -1}); }, "[batched] no argument has examples");
  const CompiledGraph many = plain.batched();
  expect_error<UserError>([&] { many.batched(); }, "[batched] a batched function is batched");
  expect_error<UserError>([&] { many(zeros<double>({3, 2}), zeros<double>({4})); },
                          "argument 1: got tensor<4xf64>, expected 3 examples at axis 0 of tensor<f64>");
  expect_error<UserError>(
      [&] { many(zeros<double>({3, 3}), zeros<double>({3})); },
      "argument 0: got tensor<3x3xf64>, expected examples along an axis put at axis 0 of tensor<2xf64>");
}

}  // namespace
}  // namespace weft
