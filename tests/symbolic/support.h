// What the tests of the symbolic API share.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "weft/symbolic.h"

namespace weft::testing {

inline std::vector<double> doubles(const Tensor& t) {
  std::vector<double> out;
  const auto copy = [&](auto zero) {
    for (auto v : t.data<decltype(zero)>()) out.push_back(static_cast<double>(v));
  };
  switch (t.element_type()) {
    case ElementType::kF32: copy(float()); break;
    case ElementType::kF64: copy(double()); break;
    case ElementType::kI32: copy(int32_t()); break;
    case ElementType::kI64: copy(int64_t()); break;
    case ElementType::kI1:
      for (int64_t i = 0; i < t.size(); ++i) out.push_back(static_cast<const uint8_t*>(t.raw())[i]);
      break;
    default: ADD_FAILURE() << "no reading of " << name(t.element_type());
  }
  return out;
}

inline void expect_near(const Tensor& got, const std::vector<double>& expected, double tolerance = 1e-6) {
  const std::vector<double> values = doubles(got);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << "element " << i << " is " << values[i];
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(values[i], expected[i]) << "element " << i;
    } else {
      EXPECT_NEAR(values[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "element " << i;
    }
  }
}

/// The target that these tests run on: WEFT_TEST_TARGET, or the native one.
inline FunctionOptions options() {
  FunctionOptions o;
  if (const char* target = std::getenv("WEFT_TEST_TARGET")) o.target = target;
  return o;
}

/// The value of an expression without inputs.
inline Tensor value_of(const Expr& e) { return function({}, {e}, {}, options())()[0].clone(); }

/// Checks grad of sum(f(x) * w) at x, w fixed and uneven, against central differences. f64.
inline void expect_gradient(const std::function<Expr(const Expr&)>& f, const Tensor& at, double tolerance = 1e-6) {
  const Expr x = placeholder<double>(at.shape(), "x");
  const Expr y = f(x);
  Tensor weights = zeros<double>(y.shape());
  for (int64_t i = 0; i < weights.size(); ++i)
    weights.mutable_data<double>()[i] = 0.7 + 0.3 * static_cast<double>(i % 5);
  const Expr loss = sum(y * weights);
  const auto both = function({x}, {loss, grad(loss, x)}, {}, options());
  const auto primal = function({x}, {loss}, {}, options());
  const Tensor gradient = both(at)[1].clone();
  EXPECT_NEAR(both(at).scalar<double>(), primal(at).scalar<double>(), 1e-12);
  constexpr double kStep = 1e-5;
  for (int64_t i = 0; i < at.size(); ++i) {
    Tensor moved = at.clone();
    double& v = moved.mutable_data<double>()[i];
    const double start = v;
    v = start + kStep;
    const double up = primal(moved).scalar<double>();
    v = start - kStep;
    const double down = primal(moved).scalar<double>();
    const double expected = (up - down) / (2 * kStep);
    EXPECT_NEAR(gradient.data<double>()[static_cast<size_t>(i)], expected, tolerance * (1 + std::abs(expected)))
        << "element " << i;
  }
}

/// Runs f, which must throw E with `text` in its message.
template <class E, class F>
void expect_error(F f, const std::string& text) {
  try {
    f();
  } catch (const E& e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << "message: " << e.what();
    return;
  }
  ADD_FAILURE() << "no error, expected one with: " << text;
}

}  // namespace weft::testing
