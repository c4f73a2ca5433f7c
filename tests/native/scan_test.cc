// reduce_window whose windows reach to an edge of the operand: running folds in one pass, against folds made step by step here.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

struct Case {
  Shape shape;
  size_t axis;
  bool reverse = false, exclusive = false;
};

std::string name_of(const Case& c) {
  std::string s = "axis " + std::to_string(c.axis) + " of";
  for (int64_t d : c.shape) s += " " + std::to_string(d);
  return s + (c.reverse ? " reverse" : "") + (c.exclusive ? " exclusive" : "");
}

/// @main: the scan of x by `body`, lines of a region of (%a, %b) that ends in %r.
std::string program(const Case& c, const std::string& element, const std::string& start, const std::string& body) {
  std::string type = "tensor<", window, padding;
  for (size_t d = 0; d < c.shape.size(); ++d) {
    const int64_t n = c.shape[d], inside = c.exclusive ? n : n - 1, outside = c.exclusive ? -1 : 0;
    const std::string separator = d == 0 ? "" : ", ";
    type += std::to_string(n) + "x";
    window += separator + std::to_string(d == c.axis ? n : 1);
    const int64_t low = d != c.axis ? 0 : c.reverse ? outside : inside;
    const int64_t high = d != c.axis ? 0 : c.reverse ? inside : outside;
    padding += separator + "[" + std::to_string(low) + ", " + std::to_string(high) + "]";
  }
  type += element + ">";
  return "func.func @main(%x: " + type + ") -> " + type + " {\n  %start = stablehlo.constant dense<" + start +
         "> : tensor<" + element + ">\n  %y = \"stablehlo.reduce_window\"(%x, %start) <{padding = dense<[" + padding +
         "]> : tensor<" + std::to_string(c.shape.size()) + "x2xi64>, window_dimensions = array<i64: " + window +
         ">}> ({\n  ^bb0(%a: tensor<" + element + ">, %b: tensor<" + element + ">):\n" + body +
         "    stablehlo.return %r : tensor<" + element + ">\n  }) : (" + type + ", tensor<" + element + ">) -> " +
         type + "\n  return %y : " + type + "\n}\n";
}

using Combine = std::function<double(double, double)>;

/// Fold of whole lines in double, in the order of the axis.
template <class T>
std::vector<double> folds(const Case& c, const Tensor& x, double start, const Combine& combine) {
  int64_t outer = 1, inner = 1;
  const int64_t n = c.shape[c.axis];
  for (size_t d = 0; d < c.shape.size(); ++d) {
    if (d != c.axis) (d < c.axis ? outer : inner) *= c.shape[d];
  }
  std::vector<double> out(static_cast<size_t>(x.size()));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t k = 0; k < inner; ++k) {
      double sum = start;
      for (int64_t t = 0; t < n; ++t) {
        const auto at = static_cast<size_t>((o * n + (c.reverse ? n - 1 - t : t)) * inner + k);
        const double before = sum, value = static_cast<double>(x.data<T>()[at]);
        sum = c.reverse ? combine(value, sum) : combine(sum, value);
        out[at] = c.exclusive ? before : sum;
      }
    }
  }
  return out;
}

const Case kCases[] = {
    {{37}, 0},       {{64}, 0, true},       {{300000}, 0},          {{300001}, 0, true}, {{300001}, 0, false, true},
    {{20, 33}, 0},   {{20, 33}, 1},         {{20, 33}, 1, true},    {{3, 50, 7}, 1},     {{3, 50, 7}, 1, true, true},
    {{2000, 70}, 0}, {{2000, 70}, 0, true}, {{2, 100000}, 1, true}, {{100000, 3}, 0},    {{100000, 3}, 0, true, true},
};

template <class T>
void check(const std::string& element, const std::string& start_text, double start, const std::string& body,
           const Combine& combine, double low, double high, double tolerance) {
  for (const Case& c : kCases) {
    Tensor x(element_type_of<T>, c.shape);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(low, high);
    for (int64_t i = 0; i < x.size(); ++i)
      x.mutable_data<T>()[static_cast<size_t>(i)] = static_cast<T>(uniform(random));
    const auto executable =
        native_target().compile(parse_module(program(c, element, start_text, body), "scan"), "main");
    const std::vector<Tensor> got = executable->run(std::vector<Tensor>{x});
    const std::vector<double> want = folds<T>(c, x, start, combine);
    double largest = 1;
    for (double w : want) largest = std::isfinite(w) ? std::max(largest, std::abs(w)) : largest;
    for (size_t i = 0; i < want.size(); ++i) {
      const auto g = static_cast<double>(got[0].data<T>()[i]);
      if (g == want[i]) continue;
      ASSERT_LE(std::abs(g - want[i]), tolerance * largest) << name_of(c) << " element " << i;
    }
  }
}

TEST(Scan, Sum) {
  check<float>(
      "f32", "0.0", 0, "    %r = stablehlo.add %a, %b : tensor<f32>\n", [](double a, double b) { return a + b; }, -1, 1,
      1e-5);
}

TEST(Scan, SumOfIntegers) {
  check<int32_t>(
      "i32", "0", 0, "    %r = stablehlo.add %a, %b : tensor<i32>\n", [](double a, double b) { return a + b; }, -1000,
      1000, 0);
}

TEST(Scan, Product) {
  check<double>(
      "f64", "1.0", 1, "    %r = stablehlo.multiply %a, %b : tensor<f64>\n", [](double a, double b) { return a * b; },
      0.9995, 1.0005, 1e-11);
}

TEST(Scan, MaximumFromANumberThatIsNotNeutral) {
  check<float>(
      "f32", "0.5", 0.5, "    %r = stablehlo.maximum %a, %b : tensor<f32>\n",
      [](double a, double b) { return std::max(a, b); }, -1, 1, 0);
}

// A body of several ops: log(exp a + exp b).
TEST(Scan, LogSumExp) {
  check<float>(
      "f32", "0xFF800000", -INFINITY, R"(
    %m = stablehlo.maximum %a, %b : tensor<f32>
    %d = stablehlo.subtract %a, %b : tensor<f32>
    %n = stablehlo.compare NE, %d, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.add %a, %b : tensor<f32>
    %l = stablehlo.abs %d : tensor<f32>
    %t = stablehlo.negate %l : tensor<f32>
    %e = stablehlo.exponential %t : tensor<f32>
    %p = stablehlo.log_plus_one %e : tensor<f32>
    %q = stablehlo.add %m, %p : tensor<f32>
    %r = stablehlo.select %n, %s, %q : tensor<i1>, tensor<f32>
)",
      [](double a, double b) {
        const double m = std::max(a, b);
        return std::isinf(m) ? m : m + std::log1p(std::exp(-std::abs(a - b)));
      },
      -3, 3, 1e-4);
}

// Of associative bodies that do not commute the order is that of the axis: here each line keeps its first number that is not 0.
TEST(Scan, KeepsTheOrderOfTheAxis) {
  check<int32_t>(
      "i32", "0", 0, R"(
    %z = stablehlo.constant dense<0> : tensor<i32>
    %c = stablehlo.compare EQ, %a, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i32>
)",
      [](double a, double b) { return a == 0 ? b : a; }, -1.01, 1.01, 0);
}

// Padding brings the start value in again and again: 1 + 1 + … is not what a running sum gives.
TEST(Scan, StartThatChangesTheSum) {
  const Case c{{20}, 0};
  const auto executable = native_target().compile(
      parse_module(program(c, "f32", "1.0", "    %r = stablehlo.add %a, %b : tensor<f32>\n"), "scan"), "main");
  Tensor x(ElementType::kF32, {20});
  for (size_t i = 0; i < 20; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  const Tensor y = executable->run(std::vector<Tensor>{x})[0];
  float sum = 0;
  for (size_t i = 0; i < 20; ++i) {
    sum += static_cast<float>(i);
    EXPECT_EQ(y.data<float>()[i], sum + 1 + static_cast<float>(19 - i)) << i;
  }
}

}  // namespace
}  // namespace weft
