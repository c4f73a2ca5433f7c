// cholesky and triangular_solve natively, in lanes, by LAPACK and by generated loops, on both sides of the sizes from which each is asked:
// residuals of what they promise, a = l·lᴴ and op(a)·x = b, summed in double; NaN where the matrix is not positive definite; only one
// triangle is read.
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

using C = std::complex<double>;

/// A tensor of any of the four types as complex numbers, and back.
std::vector<C> numbers(const Tensor& t) {
  std::vector<C> out;
  for (size_t i = 0; i < static_cast<size_t>(t.size()); ++i) {
    switch (t.element_type()) {
      case ElementType::kF32: out.emplace_back(t.data<float>()[i]); break;
      case ElementType::kF64: out.emplace_back(t.data<double>()[i]); break;
      case ElementType::kC64: out.emplace_back(t.data<std::complex<float>>()[i]); break;
      default: out.push_back(t.data<C>()[i]);
    }
  }
  return out;
}
Tensor tensor(const std::vector<C>& x, ElementType e, Shape shape) {
  Tensor t(e, std::move(shape));
  for (size_t i = 0; i < x.size(); ++i) {
    switch (e) {
      case ElementType::kF32: t.mutable_data<float>()[i] = static_cast<float>(x[i].real()); break;
      case ElementType::kF64: t.mutable_data<double>()[i] = x[i].real(); break;
      case ElementType::kC64: t.mutable_data<std::complex<float>>()[i] = std::complex<float>(x[i]); break;
      default: t.mutable_data<C>()[i] = x[i];
    }
  }
  return t;
}

std::string spelled(ElementType e, const Shape& shape) { return Type::tensor(e, shape).str(); }

std::vector<C> random_numbers(size_t n, bool is_complex, std::mt19937& random) {
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<C> out(n);
  for (C& z : out) z = C(real(random), is_complex ? real(random) : 0);
  return out;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// count matrices m·mᴴ + n, of which only the triangle that is read holds numbers.
std::vector<C> positive_definite(int64_t count, int64_t n, bool lower, bool is_complex, std::mt19937& random) {
  std::vector<C> out(static_cast<size_t>(count * n * n), C(kNan, kNan));
  for (int64_t k = 0; k < count; ++k) {
    const std::vector<C> m = random_numbers(static_cast<size_t>(n * n), is_complex, random);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (lower ? j > i : j < i) continue;
        C sum = i == j ? static_cast<double>(n) : 0;
        for (int64_t p = 0; p < n; ++p)
          sum += m[static_cast<size_t>(i * n + p)] * std::conj(m[static_cast<size_t>(j * n + p)]);
        out[static_cast<size_t>((k * n + i) * n + j)] = sum;
      }
    }
  }
  return out;
}

std::vector<Tensor> native(const std::string& text, const std::vector<Tensor>& args, bool no_libraries) {
  CompileOptions options;
  options.partitions = 2;
  options.no_libraries = no_libraries;
  return get_target("native").compile(parse_module(text, "test"), "main", options)->run(args);
}

std::string cholesky(const std::string& type, bool lower) {
  return "func.func @main(%a: " + type + ") -> " + type +
         " {\n  %0 = stablehlo.cholesky %a, lower = " + (lower ? "true" : "false") + " : " + type +
         "\n  return %0 : " + type + "\n}";
}

double epsilon(ElementType e) { return e == ElementType::kF32 || e == ElementType::kC64 ? 1.2e-7 : 2.3e-16; }

TEST(NativeLinearAlgebra, TheFactorTimesItsAdjointIsTheMatrix) {
  std::mt19937 random(1);
  for (const ElementType e : {ElementType::kF32, ElementType::kF64, ElementType::kC64, ElementType::kC128}) {
    for (const int64_t n : {1, 2, 4, 5, 6, 40, 110}) {
      for (const bool lower : {true, false}) {
        const Shape shape = n == 5 ? Shape{2, 3, n, n} : Shape{n, n};
        const int64_t count = n == 5 ? 6 : 1;
        const std::vector<C> a = positive_definite(count, n, lower, is_complex(e), random);
        for (const bool no_libraries : {false, true}) {
          const std::vector<C> l =
              numbers(native(cholesky(spelled(e, shape), lower), {tensor(a, e, shape)}, no_libraries)[0]);
          double error = 0;
          for (int64_t k = 0; k < count; ++k) {
            const auto at = [&](int64_t i, int64_t j) { return l[static_cast<size_t>((k * n + i) * n + j)]; };
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j < n; ++j) {
                if (lower ? j > i : j < i) {
                  EXPECT_EQ(at(i, j), C(0));
                  continue;
                }
                C sum = 0;
                for (int64_t p = 0; p < n; ++p)
                  sum += lower ? at(i, p) * std::conj(at(j, p)) : std::conj(at(p, i)) * at(p, j);
                error = std::max(error, std::abs(sum - a[static_cast<size_t>((k * n + i) * n + j)]));
              }
            }
          }
          EXPECT_LE(error, 4 * epsilon(e) * static_cast<double>(n) * static_cast<double>(2 * n))
              << spelled(e, shape) << (lower ? " lower" : " upper") << (no_libraries ? " generated" : "");
        }
      }
    }
  }
}

TEST(NativeLinearAlgebra, NaNFromWhereAMatrixIsNotPositiveDefinite) {
  for (const int64_t n : {4, 20}) {
    for (const bool lower : {true, false}) {
      std::vector<C> a(static_cast<size_t>(n * n));
      for (int64_t i = 0; i < n; ++i) a[static_cast<size_t>(i * n + i)] = i == 2 ? -1 : 4;
      const Shape shape = {n, n};
      for (const bool no_libraries : {false, true}) {
        const Tensor l = native(cholesky(spelled(ElementType::kF64, shape), lower),
                                {tensor(a, ElementType::kF64, shape)}, no_libraries)[0];
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            const double got = l.data<double>()[static_cast<size_t>(lower ? i * n + j : j * n + i)];
            if (i < j) EXPECT_EQ(got, 0) << i << ", " << j;
            else if (j < 2) EXPECT_EQ(got, i == j ? 2 : 0) << i << ", " << j;
            else EXPECT_TRUE(std::isnan(got)) << i << ", " << j << " of " << n;
          }
        }
      }
    }
  }
}

TEST(NativeLinearAlgebra, TheSolutionSolves) {
  std::mt19937 random(2);
  for (const ElementType e : {ElementType::kF32, ElementType::kC128}) {
    for (const auto& [count, n] : std::initializer_list<std::pair<int64_t, int64_t>>{{2, 3}, {1, 1}, {1, 4}, {2, 20}}) {
      for (int form = 0; form < 24; ++form) {
        const bool left = (form & 1) != 0, lower = (form & 2) != 0, unit = (form & 4) != 0;
        const char* const mode = form < 8 ? "NO_TRANSPOSE" : form < 16 ? "TRANSPOSE" : "ADJOINT";
        const Shape a_shape = {count, n, n}, b_shape = left ? Shape{count, n, 3} : Shape{count, 3, n};
        std::vector<C> a = random_numbers(static_cast<size_t>(count * n * n), is_complex(e), random);
        const std::vector<C> b = random_numbers(static_cast<size_t>(count * n * 3), is_complex(e), random);
        for (int64_t k = 0; k < count * n * n; ++k) {
          const int64_t i = k / n % n, j = k % n;
          if (i == j) a[static_cast<size_t>(k)] = unit ? C(kNan) : a[static_cast<size_t>(k)] + static_cast<double>(n);
          if (lower ? j > i : j < i) a[static_cast<size_t>(k)] = kNan;
          if (i != j) a[static_cast<size_t>(k)] /= static_cast<double>(n);
        }
        const std::string at = spelled(e, a_shape), bt = spelled(e, b_shape);
        const std::string text =
            "func.func @main(%a: " + at + ", %b: " + bt + ") -> " + bt +
            " {\n  %0 = \"stablehlo.triangular_solve\"(%a, %b) {left_side = " + (left ? "true" : "false") +
            ", lower = " + (lower ? "true" : "false") + ", unit_diagonal = " + (unit ? "true" : "false") +
            ", transpose_a = #stablehlo<transpose " + mode + ">} : (" + at + ", " + bt + ") -> " + bt +
            "\n  return %0 : " + bt + "\n}";
        const auto op = [&](int64_t k, int64_t i, int64_t j) {
          if (form >= 8) std::swap(i, j);
          if (i == j && unit) return C(1);
          if (lower ? j > i : j < i) return C(0);
          const C v = a[static_cast<size_t>((k * n + i) * n + j)];
          return form >= 16 ? std::conj(v) : v;
        };
        for (const bool no_libraries : {false, true}) {
          const std::vector<C> x =
              numbers(native(text, {tensor(a, e, a_shape), tensor(b, e, b_shape)}, no_libraries)[0]);
          double error = 0;
          for (int64_t k = 0; k < count; ++k) {
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t c = 0; c < 3; ++c) {
                const auto index = [&](int64_t r) {
                  return static_cast<size_t>(k * n * 3 + (left ? r * 3 + c : c * n + r));
                };
                C sum = 0;
                for (int64_t p = 0; p < n; ++p) sum += (left ? op(k, i, p) : op(k, p, i)) * x[index(p)];
                error = std::max(error, std::abs(sum - b[index(i)]));
              }
            }
          }
          EXPECT_LE(error, 50 * epsilon(e)) << text << (no_libraries ? " generated" : "");
        }
      }
    }
  }
}

TEST(NativeLinearAlgebra, LanesTakeSmallMatricesAndTheLibraryLargeOnes) {
  const auto explained = [](const Shape& shape, ElementType e, bool no_libraries) {
    CompileOptions options;
    options.no_libraries = no_libraries;
    const std::string text = cholesky(spelled(e, shape), true);
    return get_target("native").compile(parse_module(text, "test"), "main", options)->explain();
  };
  const auto row = [&](const Shape& shape, ElementType e, bool no_libraries = false) {
    const std::string text = explained(shape, e, no_libraries);
    return text.find("lapack potrf") != std::string::npos     ? "lapack"
           : text.find("lanes cholesky") != std::string::npos ? "lanes"
           : text.find("host") != std::string::npos           ? "host"
                                                              : "generated";
  };
  EXPECT_STREQ(row({100, 4, 4}, ElementType::kF32), "lanes");
  EXPECT_STREQ(row({4, 4}, ElementType::kF32), "generated");
  EXPECT_STREQ(row({1, 1, 4, 4}, ElementType::kC128), "generated");
  EXPECT_STREQ(row({6, 6}, ElementType::kF32), "generated");
  EXPECT_STREQ(row({7, 7}, ElementType::kF32), "lapack");
  EXPECT_STREQ(row({100, 40, 40}, ElementType::kF64), "lanes");
  EXPECT_STREQ(row({200, 200}, ElementType::kF32), "lapack");
  EXPECT_STREQ(row({40, 40}, ElementType::kC64), "lapack");
  EXPECT_STREQ(row({15, 15}, ElementType::kC64), "generated");
  EXPECT_STREQ(row({15, 15}, ElementType::kBF16), "generated");
  EXPECT_STREQ(row({200, 200}, ElementType::kF32, true), "generated");
}

/// With LAPACK's own factors, pivots and info: of ties the first row is the pivot, below a pivot of 0 nothing is divided.
TEST(NativeLinearAlgebra, LuOfSmallMatricesIsThatOfLapack) {
  std::mt19937 random(3);
  for (const char letter : {'s', 'd', 'c', 'z'}) {
    const ElementType e = letter == 's'   ? ElementType::kF32
                          : letter == 'd' ? ElementType::kF64
                          : letter == 'c' ? ElementType::kC64
                                          : ElementType::kC128;
    for (const Shape& shape :
         {Shape{1, 1}, {2, 2}, {3, 3}, {4, 4}, {6, 6}, {7, 7}, {4, 2}, {2, 4}, {1, 3, 3}, {2, 3, 3}}) {
      const int64_t rows = shape[shape.size() - 2], columns = shape.back(), k = std::min(rows, columns);
      const Shape batch(shape.begin(), shape.end() - 2);
      const auto with = [&](int64_t n) {
        Shape out = batch;
        out.push_back(n);
        return spelled(ElementType::kI32, out);
      };
      const std::string a = spelled(e, shape), pivots = with(k), info = spelled(ElementType::kI32, batch),
                        order = with(rows);
      const std::string results = "(" + a + ", " + pivots + ", " + info + ", " + order + ")";
      const std::string text =
          "func.func @main(%a: " + a + ") -> " + results + " {\n  %0:3 = stablehlo.custom_call @lapack_" + letter +
          "getrf_ffi(%a) : (" + a + ") -> (" + a + ", " + pivots + ", " + info +
          ")\n  %one = stablehlo.constant dense<1> : " + pivots + "\n  %1 = stablehlo.subtract %0#1, %one : " + pivots +
          "\n  %2 = stablehlo.custom_call @lu_pivots_to_permutation(%1) : (" + pivots + ") -> " + order +
          "\n  return %0#0, %0#1, %0#2, %2 : " + a + ", " + pivots + ", " + info + ", " + order + "\n}";
      for (int kind = 0; kind < 4; ++kind) {
        std::vector<C> x = random_numbers(static_cast<size_t>(tensor({}, e, shape).size()), is_complex(e), random);
        for (size_t i = 0; i < x.size(); ++i) {
          if (kind == 1) x[i] = i % 2 == 0 ? 1 : -1;                         // ties, and singular
          if (kind == 2) x[i] = 0;                                           // nothing
          if (kind == 3 && i % static_cast<size_t>(columns) == 0) x[i] = 0;  // a column of zeros
        }
        const OnBoth out = on_both(text, {tensor(x, e, shape)});
        const std::vector<C> got = numbers(out.native[0]), want = numbers(out.eval[0]);
        for (size_t i = 0; i < got.size(); ++i)
          EXPECT_LE(std::abs(got[i] - want[i]), 40 * epsilon(e) * std::max(1.0, std::abs(want[i]))) << text << i;
        for (const size_t i : {1, 2, 3}) expect_same_bits(out.native[i], out.eval[i], text);
      }
    }
  }
}

TEST(NativeLinearAlgebra, EmptyMatricesAndBatches) {
  const Tensor none = native(cholesky("tensor<3x0x0xf32>", true), {Tensor(ElementType::kF32, {3, 0, 0})}, false)[0];
  EXPECT_EQ(none.shape(), (Shape{3, 0, 0}));
  const Tensor batch =
      native(cholesky("tensor<0x20x20xf64>", true), {Tensor(ElementType::kF64, {0, 20, 20})}, false)[0];
  EXPECT_EQ(batch.shape(), (Shape{0, 20, 20}));
}

}  // namespace
}  // namespace weft::test
