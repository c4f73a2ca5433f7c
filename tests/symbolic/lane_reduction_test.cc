// What a lane asks of all lanes.
#include "tests/symbolic/support.h"

namespace weft {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::options;
using testing::value_of;
using Exprs = std::vector<Expr>;
using Span = std::span<const Expr>;

Tensor vec(std::vector<double> v) {
  const auto n = static_cast<int64_t>(v.size());
  return Tensor::of<double>(v, {n});
}

TEST(AcrossLanes, BatchNorm) {
  const Expr x = placeholder<double>({3, 2}, "x");
  const auto norm = [](const Expr& row) {
    const Expr d = row - lane_mean(row);
    return d / sqrt(lane_mean(square(d)) + 1e-5);
  };
  const Expr lanes = pfor(x, norm), d = x - mean(x, {0}, true);
  const Expr whole = d / sqrt(mean(square(d), {0}, true) + 1e-5);
  const Expr w = constant(Tensor::of<double>({1, 2, -1, 0.5, 3, 1}, {3, 2}));
  const Results r = function({x}, {lanes, whole, grad(sum(lanes * w), x), grad(sum(whole * w), x)}, {},
                             options())(Tensor::of<double>({1, 10, 2, 20, 6, 70}, {3, 2}));
  expect_near(r[0], testing::doubles(r[1]), 1e-13);
  expect_near(r[2], testing::doubles(r[3]), 1e-12);
}

TEST(AcrossLanes, SumsExtremesAndConcatenation) {
  const Expr x = placeholder<double>({3}, "x");
  const auto [s, low, high, all] = pfor(x, [](const Expr& v) {
    return std::tuple(v / lane_sum(v), lane_min(v), v - lane_max(v),
                      sum(lane_concat(v) * iota(ElementType::kF64, {3})));
  });
  const Results r = function({x}, {s, low, high, all}, {}, options())(vec({1, -2, 5}));
  expect_near(r[0], {0.25, -0.5, 1.25});
  expect_near(r[1], {-2, -2, -2});
  expect_near(r[2], {-4, -7, 0});
  expect_near(r[3], {8, 8, 8});
  // What does not vary counts once for each lane; lanes of numbers have sums, too.
  expect_near(value_of(pfor(4, [](const Expr& i) { return lane_sum(2) + 0 * i; })), {8, 8, 8, 8});
  expect_near(value_of(pfor(4, [](const Expr& i) { return lane_max(i); })), {3, 3, 3, 3});
}

TEST(AcrossLanes, FoldsInTheOrderOfLanes) {
  const Expr x = placeholder<double>({3}, "x");
  const Expr y = pfor(x, [](const Expr& v) {
    return lane_reduce([](Span r, Span e) { return Exprs{r[0] * 10 + e[0]}; }, {filled(ElementType::kF64, {}, 0)},
                       {v})[0] -
           v;
  });
  expect_near(function({x}, {y}, {}, options())(vec({1, 2, 3}))[0], {122, 121, 120});
}

TEST(AcrossLanes, NestedOnesNameTheirLevel) {
  const Expr x = placeholder<double>({2, 3}, "x");
  const auto nested = [&](const std::string& level) {
    return pfor(x,
                [&](const Expr& row) {
                  return pfor(row, [&](const Expr& v) { return lane_sum(v, level); }, {.level = "columns"});
                },
                {.level = "rows"});
  };
  const Results r = function({x}, {nested("rows"), nested("columns"), nested("")}, {},
                             options())(Tensor::of<double>({1, 2, 3, 10, 20, 30}, {2, 3}));
  expect_near(r[0], {11, 22, 33, 11, 22, 33});
  expect_near(r[1], {6, 6, 6, 60, 60, 60});
  expect_near(r[2], testing::doubles(r[1]));
}

TEST(AcrossLanes, InLoopsThatLanesLeaveTogether) {
  const Expr x = placeholder<double>({3}, "x");
  const Expr y = pfor(x, [](const Expr& v) {
    return while_loop([](Span s) { return s[0] < 2; },
                      [](Span s) { return Exprs{s[0] + 1, s[1] - lane_mean(s[1]) + s[1]}; }, {0, v})[1];
  });
  // The mean 3 stays where it is, deviations double twice: y = 4 x - 3 m.
  const Results r = function({x}, {y, grad(sum(y * constant(vec({1, 0, 0}))), x)}, {}, options())(vec({1, 2, 6}));
  expect_near(r[0], {-5, -1, 15});
  expect_near(r[1], {3, -1, -1});
}

TEST(Chunks, GiveWhatAllLanesAtOnceGive) {
  // Lanes that leave a loop apart, that ask for their mean, and their gradients, 3 of 7 at a time.
  const Expr x = placeholder<double>({7, 2}, "x"), n = iota(ElementType::kI32, {7});
  const auto body = [](const Expr& row, const Expr& count) {
    const Expr d = row - lane_mean(row);
    return while_loop([&](Span s) { return s[0] < count; }, [&](Span s) { return Exprs{s[0] + 1, s[1] * d}; },
                      {0, row})[1];
  };
  const Expr whole = pfor(std::tuple(x, n), body), parts = pfor(std::tuple(x, n), body, {.chunk = 3});
  const Expr index = pfor(7, [](const Expr& i) { return i * i; }, {.chunk = 2});
  const Results r = function({x}, {whole, parts, grad(sum(whole), x), grad(sum(parts), x), index}, {}, options())(
      Tensor::of<double>({1, 2, 0.5, -1, 0.3, 0.2, 2, 1, -0.4, 0.9, 1.5, 0, 0.1, 0.6}, {7, 2}));
  expect_near(r[1], testing::doubles(r[0]), 1e-13);
  expect_near(r[3], testing::doubles(r[2]), 1e-12);
  expect_near(r[4], {0, 1, 4, 9, 16, 25, 36});
  expect_error<UserError>([&] { pfor(x, [](const Expr& v) { return v; }, {.chunk = -1}); }, "[pfor] chunk: got -1");
}

TEST(Strict, RefusesLanesOneAfterAnother) {
  // A loop within a loop that lanes leave apart; with one loop alone vectors suffice.
  const Expr x = placeholder<double>({4}, "x"), n = iota(ElementType::kI32, {4});
  const auto outer = [](bool nests) {
    return [nests](const Expr& v, const Expr& count) {
      return while_loop([&](Span s) { return s[0] < count; },
                        [&](Span s) {
                          if (!nests) return Exprs{s[0] + 1, cos(s[1])};
                          const Expr inner =
                              while_loop([&](Span t) { return t[0] <= s[0]; },
                                         [](Span t) { return Exprs{t[0] + 1, cos(t[1])}; }, {0, s[1]})[1];
                          return Exprs{s[0] + 1, inner};
                        },
                        {0, v})[1];
    };
  };
  const Tensor at = Tensor::of<double>({1, 2, 3, 4}, {4});
  const Expr plain = pfor(std::tuple(x, n), outer(true)), one = pfor(std::tuple(x, n), outer(false), {.strict = true});
  EXPECT_EQ(function({x}, {plain, one}, {}, options())(at)[1].size(), 4);
  const Expr strict = pfor(std::tuple(x, n), outer(true), {.strict = true});
  expect_error<Unsupported>([&] { function({x}, {strict}, {}, options()); },
                            "[stablehlo.while] strict lanes: its condition varies by lane");
}

TEST(AcrossLanes, RefuseWhereThereIsNone) {
  const Expr x = placeholder<double>({3}, "x");
  expect_error<UserError>([&] { lane_sum(x); },
                          "[lane_sum] there are no lanes here: expected it in the body of a pfor");
  expect_error<UserError>([&] { pfor(x, [](const Expr& v) { return lane_sum(v, "rows"); }, {.level = "columns"}); },
                          "[lane_sum] no pfor around this is called so: got \"rows\", there are \"columns\"");
  expect_error<UserError>([&] { pfor(3, [](const Expr& i) { return lane_mean(i); }); },
                          "[lane_mean] the mean of whole numbers");
  const Expr y = pfor(x, [](const Expr& v) {
    return while_loop([](Span s) { return s[0] < 10; }, [](Span s) { return Exprs{s[0] + lane_sum(s[0])}; }, {v})[0];
  });
  expect_error<Unsupported>([&] { function({x}, {y}, {}, options()); }, "lanes");
}

}  // namespace
}  // namespace weft
