// Small floats and complex numbers: formats against their definitions, arithmetic against long double, and operations on whole tensors.
#include <complex>
#include <limits>

#include "base/float_format.h"
#include "ops/scalar/num.h"
#include "tests/op/run_op.h"

namespace weft::test {
namespace {

using enum ElementType;
using Complex = std::complex<long double>;

// ---- small floats -----------------------------------------------------------------------------------------------------

constexpr ElementType kSmall[] = {kF4E2M1FN, kF6E2M3FN,   kF6E3M2FN,      kF8E3M4, kF8E4M3,
                                  kF8E4M3FN, kF8E4M3FNUZ, kF8E4M3B11FNUZ, kF8E5M2, kF8E5M2FNUZ};

/// All numbers of a type, from its definition: ±significand · 2^step, as {value, pattern without sign}.
std::vector<double> numbers(ElementType type) {
  struct Row {
    ElementType type;
    int exponent_bits, fraction_bits, bias;
    double largest;  // from the tables in the formats' definitions
  };
  static constexpr Row kRows[] = {
      {kF4E2M1FN, 2, 1, 1, 6},        {kF6E2M3FN, 2, 3, 1, 7.5},      {kF6E3M2FN, 3, 2, 3, 28},
      {kF8E3M4, 3, 4, 3, 15.5},       {kF8E4M3, 4, 3, 7, 240},        {kF8E4M3FN, 4, 3, 7, 448},
      {kF8E4M3FNUZ, 4, 3, 8, 240},    {kF8E4M3B11FNUZ, 4, 3, 11, 30}, {kF8E5M2, 5, 2, 15, 57344},
      {kF8E5M2FNUZ, 5, 2, 16, 57344},
  };
  for (const Row& r : kRows) {
    if (r.type != type) continue;
    std::vector<double> out;
    for (int e = 0; e < 1 << r.exponent_bits; ++e) {
      for (int f = 0; f < 1 << r.fraction_bits; ++f) {
        const double hidden = e == 0 ? 0 : std::ldexp(1.0, r.fraction_bits);
        const double v = std::ldexp(hidden + f, std::max(e, 1) - r.bias - r.fraction_bits);
        if (v <= r.largest) out.push_back(v);
      }
    }
    return out;  // ascending, since patterns are
  }
  return {};
}

bool has_infinity(ElementType t) { return t == kF8E3M4 || t == kF8E4M3 || t == kF8E5M2; }
bool has_nan(ElementType t) { return t != kF4E2M1FN && t != kF6E2M3FN && t != kF6E3M2FN; }

TEST(SmallFloats, EveryNumberSurvivesARoundTrip) {
  for (ElementType t : kSmall) {
    SCOPED_TRACE(name(t));
    const std::vector<double> all = numbers(t);
    for (size_t pattern = 0; pattern < all.size(); ++pattern) {
      EXPECT_EQ(decode_float(t, pattern), all[pattern]);
      EXPECT_EQ(encode_float(t, all[pattern]), pattern);
    }
  }
}

TEST(SmallFloats, RoundToTheNearestAndTiesToEven) {
  std::mt19937 random(7);
  for (ElementType t : kSmall) {
    SCOPED_TRACE(name(t));
    const std::vector<double> all = numbers(t);
    const auto check = [&](double x) {
      const auto above = std::lower_bound(all.begin(), all.end(), x);
      ASSERT_NE(above, all.end());
      size_t best = static_cast<size_t>(above - all.begin());
      if (best > 0) {
        const double down = x - all[best - 1], up = all[best] - x;
        if (down < up || (down == up && (best - 1) % 2 == 0)) --best;
      }
      EXPECT_EQ(decode_float(t, encode_float(t, x)), all[best]) << x;
      EXPECT_EQ(decode_float(t, encode_float(t, -x)), -all[best]) << -x;
    };
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      check((all[i] + all[i + 1]) / 2);
      for (int k = 0; k < 20; ++k) {
        check(all[i] + (all[i + 1] - all[i]) * std::generate_canonical<double, 53>(random));
      }
    }
    // Half a step beyond the largest number is where overflow begins.
    const double top = all.back(), step = top - all[all.size() - 2];
    EXPECT_EQ(decode_float(t, encode_float(t, top + step * 0.49)), top);
    const double over = decode_float(t, encode_float(t, top + step));
    const double infinite = decode_float(t, encode_float(t, -INFINITY));
    if (has_infinity(t)) {
      EXPECT_EQ(over, INFINITY);
      EXPECT_EQ(infinite, -INFINITY);
    } else if (has_nan(t)) {
      EXPECT_TRUE(std::isnan(over));
      EXPECT_TRUE(std::isnan(infinite));
    } else {
      EXPECT_EQ(over, top);
      EXPECT_EQ(infinite, -top);
    }
    if (has_nan(t)) {
      EXPECT_TRUE(std::isnan(decode_float(t, encode_float(t, NAN))));
    } else {
      EXPECT_EQ(encode_float(t, NAN), encode_float(t, -0.0));  // as ml_dtypes and XLA convert
    }
  }
}

TEST(SmallFloats, ScalesArePowersOfTwo) {
  for (int i = 0; i < 255; ++i) {
    EXPECT_EQ(decode_float(kF8E8M0FNU, static_cast<uint64_t>(i)), std::ldexp(1.0, i - 127));
    EXPECT_EQ(encode_float(kF8E8M0FNU, std::ldexp(1.0, i - 127)), static_cast<uint64_t>(i));
  }
  EXPECT_TRUE(std::isnan(decode_float(kF8E8M0FNU, 255)));
  EXPECT_EQ(encode_float(kF8E8M0FNU, NAN), 255u);
  for (double none : {0.0, -0.0, -1.0, -HUGE_VAL, HUGE_VAL}) EXPECT_EQ(encode_float(kF8E8M0FNU, none), 255u);
  EXPECT_EQ(encode_float(kF8E8M0FNU, 1e-300), 0u);
  EXPECT_EQ(encode_float(kF8E8M0FNU, 2.9), 128u);
  EXPECT_EQ(encode_float(kF8E8M0FNU, 3.1), 129u);
}

Tensor small_tensor(ElementType t, const std::vector<double>& v) {
  Tensor out(t, {static_cast<int64_t>(v.size())});
  for (size_t i = 0; i < v.size(); ++i)
    static_cast<uint8_t*>(out.raw())[i] = static_cast<uint8_t>(encode_float(t, v[i]));
  return out;
}
double small_at(const Tensor& t, int64_t i) {
  return decode_float(t.element_type(), static_cast<const uint8_t*>(t.raw())[i]);
}

TEST(SmallFloats, ArithmeticRoundsOnce) {
  for (ElementType t : kSmall) {
    SCOPED_TRACE(name(t));
    std::vector<double> x = numbers(t), a, b;
    for (double u : x) {
      for (double v : {x[1], x[x.size() / 2], x[x.size() - 2], -x[x.size() / 3]}) a.push_back(u), b.push_back(v);
    }
    const std::vector<Tensor> out =
        run_op({small_tensor(t, a), small_tensor(t, b)}, [](OpBuilder& o, std::span<const Value> v) {
          return std::vector<Value>{o.add(v[0], v[1]), o.multiply(v[0], v[1]), o.convert(v[0], kF32),
                                    o.compare(v[0], v[1], "LT"), o.maximum(v[0], v[1])};
        });
    for (size_t i = 0; i < a.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const auto same = [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); };
      EXPECT_TRUE(same(small_at(out[0], at), decode_float(t, encode_float(t, a[i] + b[i]))));
      EXPECT_TRUE(same(small_at(out[1], at), decode_float(t, encode_float(t, a[i] * b[i]))));
      EXPECT_EQ(out[2].data<float>()[i], static_cast<float>(a[i]));
      EXPECT_EQ(out[3].data<bool>()[i], a[i] < b[i]);
      EXPECT_EQ(small_at(out[4], at), std::max(a[i], b[i]));
    }
  }
}

TEST(SmallFloats, SumsAndProductsAccumulateInF32) {
  // 16 + 1/16 · 64 = 20: rounded at each step the sum would stay 16.
  std::vector<double> v(65, 0.0625);
  v[0] = 16;
  const std::vector<Tensor> out = run_op({small_tensor(kF8E4M3FN, v)}, [](OpBuilder& b, std::span<const Value> x) {
    const int64_t dims[] = {0};
    const Value ones = b.splat(b.type(x[0]), 1);
    const std::vector<int64_t> axis = {0};
    const Value dot = b.create("stablehlo.dot_general", std::array{x[0], ones},
                               Attrs{{"lhs_batching_dimensions", std::vector<int64_t>{}},
                                     {"rhs_batching_dimensions", std::vector<int64_t>{}},
                                     {"lhs_contracting_dimensions", axis},
                                     {"rhs_contracting_dimensions", axis}},
                               std::array{Type::scalar(kF8E4M3FN)})[0];
    return std::vector<Value>{b.reduce(x[0], dims, "stablehlo.add"), dot, b.reduce(x[0], dims, "stablehlo.maximum")};
  });
  EXPECT_EQ(small_at(out[0], 0), 20);
  EXPECT_EQ(small_at(out[1], 0), 20);
  EXPECT_EQ(small_at(out[2], 0), 16);
}

TEST(SmallIntegers, SumsWrapToTheirWidth) {
  const auto sum = [](ElementType t) {
    Tensor x(t, {5});
    for (int i = 0; i < 5; ++i) static_cast<int8_t*>(x.raw())[i] = 1;
    const std::vector<Tensor> out = run_op({x}, [](OpBuilder& b, std::span<const Value> v) {
      const int64_t dims[] = {0};
      const Value twice = b.reduce(b.add(v[0], v[0]), dims, "stablehlo.add");  // 10
      return std::vector<Value>{twice, b.convert(twice, kI32),
                                b.iota(Type::tensor(b.type(v[0]).element_type(), {18}), 0)};
    });
    EXPECT_EQ(load_num(out[2].raw(), t, 17).bits, Num::of_bits(t, 17).bits);
    return out[1].scalar<int32_t>();
  };
  EXPECT_EQ(sum(kI4), -6);
  EXPECT_EQ(sum(kU4), 10);
  EXPECT_EQ(sum(kI2), -2);
  EXPECT_EQ(sum(kU2), 2);
}

// ---- complex numbers ----------------------------------------------------------------------------------------------------

const Complex kI(0, 1);

struct ComplexTruth {
  const char* mnemonic;
  Complex (*f)(Complex);
};
/// Written out in real functions, or in others of the table.
Complex exp_truth(Complex z) { return std::exp(z.real()) * Complex(std::cos(z.imag()), std::sin(z.imag())); }
Complex log_truth(Complex z) {
  return {std::log(z.real() * z.real() + z.imag() * z.imag()) / 2, std::atan2(z.imag(), z.real())};
}
Complex sqrt_truth(Complex z) {
  return std::polar(std::sqrt(std::hypot(z.real(), z.imag())), std::atan2(z.imag(), z.real()) / 2);
}
Complex sinh_truth(Complex z) {
  return {std::sinh(z.real()) * std::cos(z.imag()), std::cosh(z.real()) * std::sin(z.imag())};
}
Complex cosh_truth(Complex z) {
  return {std::cosh(z.real()) * std::cos(z.imag()), std::sinh(z.real()) * std::sin(z.imag())};
}
Complex over(Complex a, Complex b) { return a * std::conj(b) / (b.real() * b.real() + b.imag() * b.imag()); }

const ComplexTruth kUnary[] = {
    {"stablehlo.negate", [](Complex z) { return Complex(-z.real(), -z.imag()); }},
    {"stablehlo.exponential", exp_truth},
    {"stablehlo.exponential_minus_one", [](Complex z) { return exp_truth(z) - Complex(1); }},
    {"stablehlo.log", log_truth},
    {"stablehlo.log_plus_one", [](Complex z) { return log_truth(z + Complex(1)); }},
    {"stablehlo.sqrt", sqrt_truth},
    {"stablehlo.rsqrt", [](Complex z) { return over(1, sqrt_truth(z)); }},
    {"stablehlo.cbrt", [](Complex z) { return exp_truth(log_truth(z) / 3.0L); }},
    {"stablehlo.tanh", [](Complex z) { return over(sinh_truth(z), cosh_truth(z)); }},
    {"stablehlo.sine", [](Complex z) { return -kI * sinh_truth(kI * z); }},
    {"stablehlo.cosine", [](Complex z) { return cosh_truth(kI * z); }},
    {"stablehlo.tan", [](Complex z) { return over(-kI * sinh_truth(kI * z), cosh_truth(kI * z)); }},
    {"stablehlo.logistic", [](Complex z) { return over(1, Complex(1) + exp_truth(-z)); }},
    {"stablehlo.sign", [](Complex z) { return z / std::hypot(z.real(), z.imag()); }},
};

const std::vector<std::complex<double>> kPoints = {{0.5, 0.25}, {-1.5, 2}, {3, -0.125}, {-0.75, -0.5},
                                                   {2, 1},      {-2, 0.5}, {0.1, -3}};

template <class R>
Tensor complex_tensor(const std::vector<std::complex<double>>& v) {
  std::vector<std::complex<R>> parts(v.begin(), v.end());
  return Tensor::of(parts, {static_cast<int64_t>(v.size())});
}

template <class R>
void expect_near(std::complex<R> got, Complex truth, const char* what) {
  const long double size = std::hypot(truth.real(), truth.imag()), eps = std::numeric_limits<R>::epsilon();
  EXPECT_LE(std::fabs(static_cast<long double>(got.real()) - truth.real()), 2 * eps * size) << what << got << truth;
  EXPECT_LE(std::fabs(static_cast<long double>(got.imag()) - truth.imag()), 2 * eps * size) << what << got << truth;
}

template <class R>
void check_complex() {
  const Tensor x = complex_tensor<R>(kPoints);
  const auto points = x.data<std::complex<R>>();
  for (const ComplexTruth& row : kUnary) {
    const Tensor got =
        run_op({x}, [&](OpBuilder& b, std::span<const Value> v) { return b.create(row.mnemonic, v); })[0];
    for (size_t i = 0; i < points.size(); ++i)
      expect_near<R>(got.data<std::complex<R>>()[i], row.f(Complex(points[i].real(), points[i].imag())), row.mnemonic);
  }
  std::vector<std::complex<double>> turned(kPoints.rbegin(), kPoints.rend());
  const Tensor y = complex_tensor<R>(turned);
  const std::vector<Tensor> out = run_op({x, y}, [](OpBuilder& b, std::span<const Value> v) {
    return std::vector<Value>{
        b.add(v[0], v[1]),
        b.multiply(v[0], v[1]),
        b.divide(v[0], v[1]),
        b.make("stablehlo.power", {v[0], v[1]}),
        b.make("stablehlo.abs", {v[0]}),
        b.make("stablehlo.real", {v[0]}),
        b.make("stablehlo.imag", {v[0]}),
        b.make("stablehlo.complex", {b.make("stablehlo.imag", {v[0]}), b.make("stablehlo.real", {v[0]})}),
        b.compare(v[0], v[1], "EQ"),
        b.compare(v[0], v[0], "EQ"),
        b.maximum(v[0], v[1])};
  });
  for (size_t i = 0; i < points.size(); ++i) {
    const Complex p(points[i].real(), points[i].imag());
    const std::complex<R> other = y.data<std::complex<R>>()[i];
    const Complex q(other.real(), other.imag());
    expect_near<R>(out[0].data<std::complex<R>>()[i], p + q, "add");
    expect_near<R>(out[1].data<std::complex<R>>()[i],
                   {p.real() * q.real() - p.imag() * q.imag(), p.real() * q.imag() + p.imag() * q.real()}, "multiply");
    expect_near<R>(out[2].data<std::complex<R>>()[i], over(p, q), "divide");
    expect_near<R>(out[3].data<std::complex<R>>()[i], exp_truth(q * log_truth(p)), "power");
    EXPECT_NEAR(static_cast<double>(out[4].data<R>()[i]),
                static_cast<double>(std::sqrt(p.real() * p.real() + p.imag() * p.imag())), 1e-6);
    EXPECT_EQ(out[5].data<R>()[i], points[i].real());
    EXPECT_EQ(out[6].data<R>()[i], points[i].imag());
    EXPECT_EQ(out[7].data<std::complex<R>>()[i], std::complex<R>(points[i].imag(), points[i].real()));
    EXPECT_EQ(out[8].data<bool>()[i], points[i] == other);
    EXPECT_TRUE(out[9].data<bool>()[i]);
    const bool less = p.real() < q.real() || (p.real() == q.real() && p.imag() < q.imag());
    EXPECT_EQ(out[10].data<std::complex<R>>()[i], less ? other : points[i]);
  }
}

TEST(ComplexNumbers, FunctionsOfSingles) { check_complex<float>(); }
TEST(ComplexNumbers, FunctionsOfDoubles) { check_complex<double>(); }

TEST(ComplexNumbers, SmallResultsAreExact) {
  // |1 + z| = 1 up to 1e-16: log1p's real part is (2x + x² + y²) / 2 plus higher orders. x = y² / 2, negated.
  const double y = 1e-5, x = -5e-11;
  const Tensor z = complex_tensor<double>({{x, y}, {1e-20, 1e-20}});
  const std::vector<Tensor> out = run_op({z}, [](OpBuilder& b, std::span<const Value> v) {
    return std::vector<Value>{b.make("stablehlo.log_plus_one", {v[0]}),
                              b.make("stablehlo.exponential_minus_one", {v[0]})};
  });
  const auto log1p = out[0].data<std::complex<double>>(), expm1 = out[1].data<std::complex<double>>();
  const long double excess =
      2 * static_cast<long double>(x) + static_cast<long double>(x) * x + static_cast<long double>(y) * y;
  EXPECT_NEAR(log1p[0].real() / static_cast<double>(std::log1p(excess) / 2), 1, 1e-8);
  EXPECT_EQ(log1p[1], std::complex<double>(1e-20, 1e-20));
  EXPECT_EQ(expm1[1], std::complex<double>(1e-20, 1e-20));
}

TEST(ComplexNumbers, BranchCutsFollowTheSignOfZero) {
  const Tensor z = complex_tensor<float>({{-4, 0.0}, {-4, -0.0}});
  const std::vector<Tensor> out = run_op({z}, [](OpBuilder& b, std::span<const Value> v) {
    return std::vector<Value>{b.make("stablehlo.sqrt", {v[0]}), b.make("stablehlo.log", {v[0]})};
  });
  const auto root = out[0].data<std::complex<float>>(), log = out[1].data<std::complex<float>>();
  EXPECT_EQ(root[0], std::complex<float>(0, 2));
  EXPECT_EQ(root[1], std::complex<float>(0, -2));
  EXPECT_FLOAT_EQ(log[0].imag(), 3.14159265f);
  EXPECT_FLOAT_EQ(log[1].imag(), -3.14159265f);
}

TEST(ComplexNumbers, ConvertAndContract) {
  const Tensor z = complex_tensor<double>({{1, 2}, {0, 3}, {-1.5, 0}});
  const std::vector<Tensor> out = run_op({z}, [](OpBuilder& b, std::span<const Value> v) {
    const int64_t dims[] = {0};
    return std::vector<Value>{b.convert(v[0], kC64),
                              b.convert(v[0], kF32),
                              b.convert(v[0], kI1),
                              b.convert(b.iota(Type::tensor(kI32, {3}), 0), kC128),
                              b.reduce(v[0], dims, "stablehlo.add"),
                              b.reduce(v[0], dims, "stablehlo.multiply")};
  });
  EXPECT_EQ(out[0].data<std::complex<float>>()[0], std::complex<float>(1, 2));
  EXPECT_EQ(out[1].data<float>()[2], -1.5f);
  EXPECT_TRUE(out[2].data<bool>()[0]);
  EXPECT_FALSE(out[2].data<bool>()[1]);  // the imaginary part is dropped first
  EXPECT_EQ(out[3].data<std::complex<double>>()[2], std::complex<double>(2, 0));
  EXPECT_EQ(out[4].data<std::complex<double>>()[0], std::complex<double>(-0.5, 5));
  EXPECT_EQ(out[5].data<std::complex<double>>()[0], std::complex<double>(9, -4.5));  // (1+2i)·3i·(-1.5)
}

}  // namespace
}  // namespace weft::test
