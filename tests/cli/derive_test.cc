// `weft test --derive`: records of derivatives and lanes against what is derived from their base program.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

constexpr std::array kX = {0.5, -1.25}, kW = {2.0, 0.75};

/// A set of records with values in closed form of f(x, w) = x·x·w, by element.
class Derive : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    file("f.mlir", R"(func.func @main(%x: tensor<2xf64>, %w: tensor<2xf64>) -> tensor<2xf64> {
  %0 = stablehlo.multiply %x, %x : tensor<2xf64>
  %1 = stablehlo.multiply %0, %w : tensor<2xf64>
  return %1 : tensor<2xf64>
}
)");
    add("f", {vector(kX), vector(kW)}, {vector(map([](double x, double w) { return x * x * w; }))});
  }

  struct Values {
    std::string shape;
    std::vector<double> data;
  };
  static Values vector(const std::array<double, 2>& v) { return {"[2]", {v[0], v[1]}}; }
  static Values matrix(const std::array<double, 2>& v) { return {"[2, 2]", {v[0], 0, 0, v[1]}}; }
  template <class F>
  static std::array<double, 2> map(F f) {
    return {f(kX[0], kW[0]), f(kX[1], kW[1])};
  }
  static double by_x(double x, double w) { return 0.7 * std::cos(x * x * w) * 2 * x * w; }
  static double by_w(double x, double w) { return 0.7 * std::cos(x * x * w) * x * x; }

  /// Appends a record. Its own program is never read.
  void add(const std::string& id, const std::vector<Values>& in, const std::vector<Values>& out) {
    std::string data, tensors;
    for (const auto* list : {&in, &out}) {
      for (const Values& v : *list) {
        tensors += std::string(tensors.empty() ? "" : ", ") + R"({"name": "t", "dtype": "float64", "shape": )" +
                   v.shape + R"(, "offset": )" + std::to_string(data.size()) + R"(, "nbytes": )" +
                   std::to_string(8 * v.data.size()) + "}";
        data.append(reinterpret_cast<const char*>(v.data.data()), 8 * v.data.size());
      }
    }
    std::string name = id;
    std::replace(name.begin(), name.end(), '/', '_');
    file(name + ".bin", data);
    manifest_ += R"({"id": "set/)" + id + R"(", "base": "f", "file": ")" + name + R"(.mlir", "data": ")" + name +
                 R"(.bin", "n_in": )" + std::to_string(in.size()) + R"(, "n_out": )" + std::to_string(out.size()) +
                 R"(, "tensors": [)" + tensors + "]}\n";
    file("manifest.jsonl", manifest_);
  }
  Answer test(const std::string& options) { return weft("test " + folder_.string() + " --derive " + options); }

  std::string manifest_;
};

TEST_F(Derive, DerivesEachKindFromTheBaseProgram) {
  const Values x = vector(kX), w = vector(kW);
  add("grad/f", {x, w, x, w}, {vector(map(by_x)), vector(map(by_w))});
  const auto lanes = [](std::array<double, 2> a) { return Values{"[3, 2]", {a[0], a[1], a[0], a[1], a[0], a[1]}}; };
  add("vmap/f", {lanes(kX), lanes(kW)}, {lanes(map([](double a, double b) { return a * a * b; }))});
  add("vmap_grad/f", {lanes(kX), lanes(kW), lanes(kX), lanes(kW)}, {lanes(map(by_x)), lanes(map(by_w))});
  const Values dx = matrix(map([](double a, double b) { return 2 * a * b; }));
  const Values dw = matrix(map([](double a, double) { return a * a; }));
  add("jacfwd/f", {x, w, x, w}, {dx, dw});
  add("jacrev/f", {x, w, x, w}, {dx, dw});
  const auto second = [](double (*f)(double, double)) { return matrix(map(f)); };
  const Values xw = second([](double a, double b) {
    const double u = a * a * b;
    return 0.7 * (std::cos(u) * 2 * a - std::sin(u) * a * a * 2 * a * b);
  });
  add("hessian/f", {x, w, x, w},
      {second([](double a, double b) {
         const double u = a * a * b;
         return 0.7 * (std::cos(u) * 2 * b - std::sin(u) * 4 * a * a * b * b);
       }),
       xw, xw, second([](double a, double b) { return -0.7 * std::sin(a * a * b) * a * a * a * a; })});
  add("jvp/f", {x, w, vector({1, 0.5}), vector({-1, 2}), x, w},
      {vector(map([](double a, double b) { return a * a * b; })),
       vector({2 * kX[0] * kW[0] * 1 - kX[0] * kX[0], 2 * kX[1] * kW[1] * 0.5 + kX[1] * kX[1] * 2})});
  const auto u = map([](double a, double b) { return 0.7 * std::sin(a * a * b); });
  add("value_and_grad/f", {x, w, x, w}, {{"[]", {u[0] + u[1]}}, vector(map(by_x)), vector(map(by_w))});
  for (const char* target : {"native", "eval"}) {
    const Answer answer = test(std::string("--target ") + target);
    EXPECT_EQ(answer.code, 0) << answer.out;
    EXPECT_HAS(answer.out, "8 passed, 0 failed, 0 skipped");
    for (const char* kind : {"grad", "vmap", "vmap_grad", "jacfwd", "jacrev", "hessian", "jvp", "value_and_grad"})
      EXPECT_HAS(answer.out, std::string("\n") + kind + " ");
  }
}

TEST_F(Derive, FailsOnOtherValues) {
  const Values x = vector(kX), w = vector(kW);
  const Values dx = matrix(map([](double a, double b) { return 2 * a * b; }));
  add("jacrev/f", {x, w, x, w}, {dx, dx});
  const Answer answer = test("");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.out, "FAIL set/jacrev/f: result 1: error ");
  EXPECT_HAS(answer.out, "0 passed, 1 failed, 0 skipped");
}

TEST_F(Derive, AsksFiniteDifferencesAboutAnotherGradient) {
  const Values x = vector(kX), w = vector(kW);
  add("grad/f", {x, w, x, w}, {vector(map(by_x)), vector(map(by_x))});
  Answer answer = test("");
  EXPECT_EQ(answer.code, 0);
  EXPECT_HAS(answer.out, "note set/grad/f: not the record's, result 1: error ");
  EXPECT_HAS(answer.out, "it is that of finite differences in f64");
  answer = test("--strict");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.out, "0 passed, 1 failed, 0 skipped");
}

}  // namespace
