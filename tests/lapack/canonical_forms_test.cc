// LAPACK's calls that reduce matrices: what they return multiplies to the matrix that was given.
#include <algorithm>
#include <cmath>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

constexpr size_t kN = 4;
const std::vector<double> kMatrix = {4, 1, -2, 0.5, -1, 3, 0.25, 2, 0.5, -3, 2, 1, 1.5, 0, 1, -2};
const std::vector<double> kSymmetric = {4, 1, -2, 0.5, 1, 3, 0.25, 2, -2, 0.25, 2, 1, 0.5, 2, 1, -2};

Tensor matrix(const std::vector<double>& values) {
  Tensor t(ElementType::kF64, {static_cast<int64_t>(kN), static_cast<int64_t>(kN)});
  std::copy(values.begin(), values.end(), t.mutable_data<double>());
  return t;
}
using Matrix = std::vector<double>;
Matrix of(const Tensor& t) { return {t.data<double>().begin(), t.data<double>().end()}; }

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix c(kN * kN);
  for (size_t i = 0; i < kN; ++i)
    for (size_t j = 0; j < kN; ++j)
      for (size_t k = 0; k < kN; ++k) c[i * kN + j] += a[i * kN + k] * b[k * kN + j];
  return c;
}
Matrix transposed(const Matrix& a) {
  Matrix t(kN * kN);
  for (size_t i = 0; i < kN; ++i)
    for (size_t j = 0; j < kN; ++j) t[j * kN + i] = a[i * kN + j];
  return t;
}
void expect_near(const Matrix& got, const Matrix& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-13) << what << " element " << i;
}

/// Reflectors below diagonal `below` (0: of QR, 1: of Hessenberg form) with their factors, multiplied out.
Matrix q_of(const Matrix& packed, const Matrix& factors, size_t below) {
  Matrix q(kN * kN);
  for (size_t i = 0; i < kN; ++i) q[i * kN + i] = 1;
  for (size_t k = 0; k < factors.size(); ++k) {
    Matrix h(kN * kN), v(kN);
    v[k + below] = 1;
    for (size_t i = k + below + 1; i < kN; ++i) v[i] = packed[i * kN + k];
    for (size_t i = 0; i < kN; ++i)
      for (size_t j = 0; j < kN; ++j) h[i * kN + j] = (i == j) - factors[k] * v[i] * v[j];
    q = times(q, h);
  }
  return q;
}

/// The call's results on `operands` by either target, as the evaluator gives them; the native target's are the same.
std::vector<Tensor> call(const std::string& target, const std::string& config, const std::string& in,
                         const std::string& out, const std::vector<Tensor>& operands) {
  std::string arguments, values, results;
  for (size_t i = 0, at = 0; i < operands.size(); ++i) {
    const size_t end = std::min(in.find(", t", at), in.size());
    arguments += (i ? ", %" : "%") + std::string(1, static_cast<char>('a' + i)) + ": " + in.substr(at, end - at);
    values += (i ? ", %" : "%") + std::string(1, static_cast<char>('a' + i));
    at = end + 2;
  }
  const auto count = static_cast<size_t>(std::count(out.begin(), out.end(), 't'));
  for (size_t i = 0; i < count; ++i) results += (i ? ", %0#" : "%0#") + std::to_string(i);
  const std::string text = "func.func @main(" + arguments + ") -> (" + out + ") {\n  %0:" + std::to_string(count) +
                           " = stablehlo.custom_call @" + target + "(" + values + ") {mhlo.backend_config = {" +
                           config + "}} : (" + in + ") -> (" + out + ")\n  return " + results + " : " + out + "\n}";
  const OnBoth r = on_both(text, operands);
  for (size_t i = 0; i < r.eval.size(); ++i) expect_same_bits(r.native[i], r.eval[i], text);
  return r.eval;
}

const std::string kM = "tensor<4x4xf64>", kV = "tensor<4xf64>", kV3 = "tensor<3xf64>", kI = "tensor<i32>";

TEST(LapackForms, SchurVectorsGiveTheMatrixBack) {
  const auto r = call("lapack_dgees_ffi", "mode = 86 : ui8, sort = 78 : ui8", kM,
                      kM + ", " + kM + ", " + kV + ", " + kV + ", " + kI + ", " + kI, {matrix(kMatrix)});
  const Matrix t = of(r[0]), z = of(r[1]);
  expect_near(times(times(z, t), transposed(z)), kMatrix, "Z T Zt");
  for (size_t i = 2; i < kN; ++i)
    for (size_t j = 0; j + 1 < i; ++j) EXPECT_EQ(t[i * kN + j], 0.0);
  double trace = 0;
  for (const double w : of(r[2])) trace += w;
  EXPECT_NEAR(trace, 7.0, 1e-13);
  EXPECT_EQ(r[5].data<int32_t>()[0], 0);
}

TEST(LapackForms, HessenbergFormIsSimilar) {
  const auto r =
      call("lapack_dgehrd_ffi", "low = 1 : i32, high = 4 : i32", kM, kM + ", " + kV3 + ", " + kI, {matrix(kMatrix)});
  const Matrix packed = of(r[0]), q = q_of(packed, of(r[1]), 1);
  Matrix h = packed;
  for (size_t i = 2; i < kN; ++i)
    for (size_t j = 0; j + 1 < i; ++j) h[i * kN + j] = 0;
  expect_near(times(times(q, h), transposed(q)), kMatrix, "Q H Qt");
}

TEST(LapackForms, TridiagonalFormIsSimilar) {
  const auto r = call("lapack_dsytrd_ffi", "uplo = 76 : ui8", kM, kM + ", " + kV + ", " + kV3 + ", " + kV3 + ", " + kI,
                      {matrix(kSymmetric)});
  const Matrix q = q_of(of(r[0]), of(r[3]), 1), d = of(r[1]), e = of(r[2]);
  Matrix t(kN * kN);
  for (size_t i = 0; i < kN; ++i) t[i * kN + i] = d[i];
  for (size_t i = 0; i + 1 < kN; ++i) t[i * kN + i + 1] = t[(i + 1) * kN + i] = e[i];
  expect_near(times(times(q, t), transposed(q)), kSymmetric, "Q T Qt");
}

TEST(LapackForms, PivotedFactorsGiveThePermutedMatrix) {
  const auto r = call("lapack_dgeqp3_ffi", "", kM + ", tensor<4xi32>", kM + ", tensor<4xi32>, " + kV,
                      {matrix(kMatrix), Tensor::zeros(ElementType::kI32, {4})});
  const Matrix packed = of(r[0]), q = q_of(packed, of(r[2]), 0);
  Matrix upper = packed, columns(kN * kN);
  for (size_t i = 0; i < kN; ++i)
    for (size_t j = 0; j < i; ++j) upper[i * kN + j] = 0;
  for (size_t j = 0; j < kN; ++j)
    for (size_t i = 0; i < kN; ++i)
      columns[i * kN + j] = kMatrix[i * kN + static_cast<size_t>(r[1].data<int32_t>()[j] - 1)];
  expect_near(times(q, upper), columns, "Q R");
  for (size_t i = 0; i + 1 < kN; ++i) EXPECT_GE(std::abs(upper[i * kN + i]), std::abs(upper[(i + 1) * kN + i + 1]));
}

TEST(LapackForms, ProductsWithQFromEitherSide) {
  const Tensor reflectors = matrix({0, 0, 0, 0, 0.5, 0, 0, 0, -1, 0.25, 0, 0, 2, 1, -0.5, 0});
  Tensor factors(ElementType::kF64, {3});
  const double factor[] = {2 / 6.25, 2 / 2.0625, 2 / 1.25};  // 2 / |v|^2: each reflector is orthogonal
  std::copy_n(factor, 3, factors.mutable_data<double>());
  const Matrix q = q_of(of(reflectors), of(factors), 0);
  for (const bool left : {true, false}) {
    for (const bool transpose : {true, false}) {
      const std::string config =
          std::string("left = ") + (left ? "true" : "false") + ", transpose = " + (transpose ? "true" : "false");
      const auto r =
          call("lapack_dormqr_ffi", config, kM + ", " + kV3 + ", " + kM, kM, {reflectors, factors, matrix(kMatrix)});
      const Matrix by = transpose ? transposed(q) : q;
      expect_near(of(r[0]), left ? times(by, kMatrix) : times(kMatrix, by), config);
    }
  }
}

TEST(LapackForms, SingularValuesAndVectorsByQrSteps) {
  const auto r = call("lapack_dgesvd_ffi", "mode = 65 : ui8", kM, kM + ", " + kV + ", " + kM + ", " + kM + ", " + kI,
                      {matrix(kMatrix)});
  Matrix scaled = of(r[2]);
  for (size_t i = 0; i < kN; ++i)
    for (size_t j = 0; j < kN; ++j) scaled[i * kN + j] *= of(r[1])[j];
  expect_near(times(scaled, of(r[3])), kMatrix, "U S Vt");
}

TEST(LapackForms, SingularTridiagonalSystemHasAFiniteSolution) {
  Tensor lower(ElementType::kF64, {4}), diagonal(ElementType::kF64, {4}), b(ElementType::kF64, {4, 1});
  // Regular: 2 x_i - x_{i-1} - x_{i+1} = b_i, solved by x = (1, 2, 3, 4). Singular: without neighbours and with a zero.
  const double beside[] = {0, -1, -1, -1}, main[] = {2, 2, 2, 2}, right[] = {0, 0, 0, 5};
  std::copy_n(beside, 4, lower.mutable_data<double>());
  std::copy_n(main, 4, diagonal.mutable_data<double>());
  std::copy_n(right, 4, b.mutable_data<double>());
  Tensor upper(ElementType::kF64, {4});
  const double above[] = {-1, -1, -1, 0};
  std::copy_n(above, 4, upper.mutable_data<double>());
  const std::string in = kV + ", " + kV + ", " + kV + ", tensor<4x1xf64>", out = "tensor<4x1xf64>";
  expect_near(of(call("tridiagonal_solve_perturbed_ffi", "", in, out, {lower, diagonal, upper, b})[0]), {1, 2, 3, 4},
              "regular");
  const Tensor zeros = Tensor::zeros(ElementType::kF64, {4});
  diagonal.mutable_data<double>()[1] = 0;
  b.mutable_data<double>()[1] = 1;
  const Matrix x = of(call("tridiagonal_solve_perturbed_ffi", "", in, out, {zeros, diagonal, zeros, b})[0]);
  EXPECT_TRUE(std::isfinite(x[1]) && x[1] > 1e14) << x[1];  // 1 over a pivot of about 2^-52 times the largest
  EXPECT_EQ(x[3], 2.5);
}

TEST(LapackForms, ShapesThatDoNotFitAreRefused) {
  for (const std::string& text :
       {"func.func @main(%a: " + kM + ") -> " + kV3 + " {\n  %0:3 = stablehlo.custom_call @lapack_dgehrd_ffi(%a) : (" +
            kM + ") -> (tensor<5x5xf64>, " + kV3 + ", " + kI + ")\n  return %0#1 : " + kV3 + "\n}",
        "func.func @main(%a: " + kM + ") -> " + kM + " {\n  %0:3 = stablehlo.custom_call @lapack_dgehrd_ffi(%a) : (" +
            kM + ") -> (" + kM + ", tensor<f64>, " + kI + ")\n  return %0#0 : " + kM + "\n}"}) {
    const std::shared_ptr<const Module> module = parse_module(text, "test");
    EXPECT_THROW(get_target("eval").compile(module, "main", {})->run(std::vector<Tensor>{matrix(kMatrix)}), Unsupported)
        << text;
  }
}

}  // namespace
}  // namespace weft::test
