// LAPACK's custom calls that ops express run as these ops, with the handler's values; the others by the handler.
#include <cmath>
#include <random>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

Tensor random_matrices(Shape shape, bool is_dominant) {
  Tensor t(ElementType::kF64, std::move(shape));
  std::mt19937 random(4);
  std::uniform_real_distribution<double> real(-1, 1);
  const int64_t rows = t.shape()[t.shape().size() - 2], columns = t.shape().back();
  for (int64_t i = 0; i < t.size(); ++i) {
    const bool is_diagonal = i / columns % rows == i % columns;
    const double v = real(random);
    t.mutable_data<double>()[static_cast<size_t>(i)] = !is_dominant  ? v
                                                       : is_diagonal ? 2 + v
                                                                     : v / static_cast<double>(rows);
  }
  return t;
}

void expect_near(const Tensor& got, const Tensor& want, double bound, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  for (size_t i = 0; i < static_cast<size_t>(want.size()); ++i)
    EXPECT_NEAR(got.data<double>()[i], want.data<double>()[i], bound) << what << " element " << i;
}

std::string explained(const std::string& text) {
  return get_target("native").compile(parse_module(text, "test"), "main", {})->explain();
}

TEST(LapackCalls, TrsmIsATriangularSolve) {
  for (const int n : {3, 40}) {
    for (int form = 0; form < 24; ++form) {
      const int side = (form & 1) != 0 ? 'L' : 'R', uplo = (form & 2) != 0 ? 'L' : 'U',
                diag = (form & 4) != 0 ? 'U' : 'N',
                trans = form < 8    ? 'N'
                        : form < 16 ? 'T'
                                    : 'C';
      const Shape a_shape = {2, n, n}, b_shape = side == 'L' ? Shape{2, n, 5} : Shape{2, 5, n};
      const std::string a = Type::tensor(ElementType::kF64, a_shape).str(),
                        b = Type::tensor(ElementType::kF64, b_shape).str();
      const std::string text =
          "func.func @main(%a: " + a + ", %b: " + b + ") -> " + b +
          " {\n  %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = " +
          std::to_string(diag) + " : ui8, side = " + std::to_string(side) +
          " : ui8, trans_x = " + std::to_string(trans) + " : ui8, uplo = " + std::to_string(uplo) + " : ui8}} : (" + a +
          ", " + b + ") -> " + b + "\n  return %0 : " + b + "\n}";
      const OnBoth r = on_both(text, {random_matrices(a_shape, true), random_matrices(b_shape, false)});
      expect_near(r.native[0], r.eval[0], 1e-14, text);
      EXPECT_EQ(explained(text).find("host"), std::string::npos) << text;
    }
  }
}

std::string potrf(const std::string& type, const std::string& info, char uplo) {
  return "func.func @main(%a: " + type + ") -> (" + type + ", " + info +
         ") {\n  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = " +
         std::to_string(static_cast<int>(uplo)) + " : ui8}} : (" + type + ") -> (" + type + ", " + info +
         ")\n  return %0#0, %0#1 : " + type + ", " + info + "\n}";
}

TEST(LapackCalls, PotrfIsACholeskyBesideTheOtherTriangle) {
  for (const int n : {4, 30}) {
    for (const char uplo : {'L', 'U'}) {
      const Shape shape = {3, n, n};
      const std::string text = potrf(Type::tensor(ElementType::kF64, shape).str(), "tensor<3xi32>", uplo);
      const OnBoth r = on_both(text, {random_matrices(shape, true)});
      expect_near(r.native[0], r.eval[0], 1e-14, text);
      expect_same_bits(r.native[1], r.eval[1], text);
      EXPECT_EQ(explained(text).find("host"), std::string::npos) << text;
    }
  }
}

TEST(LapackCalls, PotrfSaysWhereAMatrixIsNotPositiveDefinite) {
  Tensor a = random_matrices({2, 20, 20}, true);
  a.mutable_data<double>()[20 * 20 + 7 * 20 + 7] = -1;  // of the second matrix
  const OnBoth r = on_both(potrf("tensor<2x20x20xf64>", "tensor<2xi32>", 'L'), {a});
  expect_same_bits(r.native[1], r.eval[1], "info");
  EXPECT_EQ(r.native[1].data<int32_t>()[0], 0);
  EXPECT_EQ(r.native[1].data<int32_t>()[1], 8);
  for (size_t i = 0; i < 20; ++i) {
    for (size_t j = 0; j < 7 && j <= i; ++j) {
      const size_t at = 400 + i * 20 + j;
      EXPECT_NEAR(r.native[0].data<double>()[at], r.eval[0].data<double>()[at], 1e-14) << i << ", " << j;
    }
  }
  EXPECT_TRUE(std::isnan(r.native[0].data<double>()[400 + 7 * 20 + 7]));
}

TEST(LapackCalls, OthersRunByTheirHandlers) {
  const std::string text = R"(
func.func @main(%a: tensor<5x5xf64>) -> (tensor<5x5xf64>, tensor<5xi32>, tensor<i32>) {
  %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) : (tensor<5x5xf64>) -> (tensor<5x5xf64>, tensor<5xi32>, tensor<i32>)
  return %0#0, %0#1, %0#2 : tensor<5x5xf64>, tensor<5xi32>, tensor<i32>
})";
  const OnBoth r = on_both(text, {random_matrices({5, 5}, false)});
  for (size_t i = 0; i < 3; ++i) expect_same_bits(r.native[i], r.eval[i], text);
}

}  // namespace
}  // namespace weft::test
