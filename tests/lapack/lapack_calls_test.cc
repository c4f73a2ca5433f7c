// LAPACK's custom calls that ops express run as these ops, with the handler's values; the others by LAPACK on the planned memory.
#include <cmath>
#include <random>
#include <utility>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

Tensor random_matrices(Shape shape, bool is_dominant) {
  Tensor t(ElementType::kF64, std::move(shape));
  std::mt19937 random(4);
  std::uniform_real_distribution<double> real(-1, 1);
  const size_t rank = t.shape().size();
  const int64_t rows = t.shape()[rank - 2], columns = t.shape()[rank - 1];
  for (int64_t i = 0; i < t.size(); ++i) {
    const bool is_diagonal = i / columns % rows == i % columns;
    const double v = real(random);
    t.mutable_data<double>()[static_cast<size_t>(i)] = !is_dominant  ? v
                                                       : is_diagonal ? 2 + v
                                                                     : v / static_cast<double>(rows);
  }
  return t;
}

/// `of_any_sign`: eigenvectors, whose signs follow from rounding.
void expect_near(const Tensor& got, const Tensor& want, double bound, const std::string& what,
                 bool of_any_sign = false) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  for (size_t i = 0; i < static_cast<size_t>(want.size()); ++i) {
    const double a = got.data<double>()[i], b = want.data<double>()[i];
    EXPECT_NEAR(of_any_sign ? std::abs(a) : a, of_any_sign ? std::abs(b) : b, bound) << what << " element " << i;
  }
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

/// Complex numbers as pairs of real ones.
Tensor parts_of(const Tensor& t) {
  Tensor out(ElementType::kF64, {2 * t.size()});
  std::memcpy(out.mutable_data<double>(), t.raw(), t.size_bytes());
  return out;
}

/// A custom call whose results are all returned.
std::string call(const std::string& target, const std::string& config, const std::vector<Type>& in,
                 const std::vector<Type>& out) {
  std::string args, types, results, returned;
  for (size_t i = 0; i < in.size(); ++i) {
    const std::string comma = i > 0 ? ", " : "", number = std::to_string(i);
    args += comma + "%a" + number + ": " + in[i].str();
    types += comma + in[i].str();
    returned += comma + "%a" + number;
  }
  const std::string given = std::exchange(returned, "");
  for (size_t i = 0; i < out.size(); ++i) {
    results += (i > 0 ? ", " : "") + out[i].str();
    returned += (i > 0 ? ", " : "") + std::string("%r") + (out.size() > 1 ? "#" + std::to_string(i) : "");
  }
  return "func.func @main(" + args + ") -> (" + results + ") {\n  %r" +
         (out.size() > 1 ? ":" + std::to_string(out.size()) : "") + " = stablehlo.custom_call @" + target + "(" +
         given + ") {mhlo.backend_config = {" + config + "}} : (" + types + ") -> " +
         (out.size() > 1 ? "(" + results + ")" : results) + "\n  return " + returned + " : " + results + "\n}";
}

Type f64(std::vector<int64_t> shape) { return Type::tensor(ElementType::kF64, shape); }
Type i32(std::vector<int64_t> shape) { return Type::tensor(ElementType::kI32, shape); }

// The routines themselves are the evaluator's: what is looked at is that each matrix of a batch is computed, wherever it lies.
TEST(LapackCalls, BatchesRunInPlaceWithoutTheHost) {
  for (const int64_t count : {1, 2, 7}) {
    const Type a = f64({count, 6, 5}), square = f64({count, 5, 5});
    const Type complex_square = Type::tensor(ElementType::kC128, std::vector<int64_t>{count, 5, 5});
    const struct {
      std::string text;
      std::vector<Tensor> args;
    } calls[] = {
        {call("lapack_dgetrf_ffi", "", {a}, {a, i32({count, 5}), i32({count})}),
         {random_matrices({count, 6, 5}, false)}},
        {call("lapack_dgeqrf_ffi", "", {a}, {a, f64({count, 5})}), {random_matrices({count, 6, 5}, false)}},
        {call("lapack_dorgqr_ffi", "", {a, f64({count, 4})}, {a}),
         {random_matrices({count, 6, 5}, false), random_matrices({count, 4}, false)}},
        {call("lapack_dgesdd_ffi", "mode = 83 : ui8", {a},
              {a, f64({count, 5}), f64({count, 6, 5}), f64({count, 5, 5}), i32({count})}),
         {random_matrices({count, 6, 5}, false)}},
        {call("lapack_dsyevd_ffi", "mode = 86 : ui8, uplo = 76 : ui8", {square},
              {square, f64({count, 5}), i32({count})}),
         {random_matrices({count, 5, 5}, true)}},
        {call("lapack_dsyevr_ffi", "mode = 86 : ui8, uplo = 85 : ui8", {square},
              {square, f64({count, 5}), i32({count})}),
         {random_matrices({count, 5, 5}, true)}},
        {call("lapack_dgeev_ffi", "compute_left = 86 : ui8, compute_right = 86 : ui8", {square},
              {f64({count, 5}), f64({count, 5}), complex_square, complex_square, i32({count})}),
         {random_matrices({count, 5, 5}, false)}},
        {call("lapack_dgtsv_ffi", "", {f64({count, 5}), f64({count, 5}), f64({count, 5}), f64({count, 5, 3})},
              {f64({count, 5}), f64({count, 5}), f64({count, 5}), f64({count, 5, 3}), i32({count})}),
         {random_matrices({count, 5}, false), random_matrices({count, 5}, true), random_matrices({count, 5}, false),
          random_matrices({count, 5, 3}, false)}},
        {call("Eigh", "", {square}, {square, f64({count, 5})}), {random_matrices({count, 5, 5}, true)}},
    };
    for (const auto& each : calls) {
      CompileOptions options;
      options.partitions = 2;
      options.check_memory_plan = true;
      const OnBoth r = on_both(each.text, each.args, options);
      ASSERT_EQ(r.native.size(), r.eval.size());
      for (size_t i = 0; i < r.eval.size(); ++i) {
        // The library sums in another order with another number of threads.
        const bool of_any_sign = i == 0 && each.text.find("syevr") != std::string::npos;
        if (r.eval[i].element_type() == ElementType::kF64)
          expect_near(r.native[i], r.eval[i], 1e-13, each.text, of_any_sign);
        else if (r.eval[i].element_type() == ElementType::kI32) expect_same_bits(r.native[i], r.eval[i], each.text);
        else expect_near(parts_of(r.native[i]), parts_of(r.eval[i]), 1e-12, each.text);
      }
      EXPECT_EQ(explained(each.text).find("host"), std::string::npos) << each.text;
    }
  }
}

TEST(LapackCalls, OfOneMatrixSayInARegisterHowItWent) {
  const std::string text = call("lapack_dgetrf_ffi", "", {f64({3, 3})}, {f64({3, 3}), i32({3}), i32({})});
  const OnBoth r = on_both(text, {Tensor::zeros(ElementType::kF64, {3, 3})});
  EXPECT_EQ(r.native[2].data<int32_t>()[0], 1);  // zeros: the first pivot
  for (size_t i = 0; i < 3; ++i) expect_same_bits(r.native[i], r.eval[i], text);
}

TEST(LapackCalls, RefuseShapesThatTheRoutineWouldWriteBeyond) {
  const auto refused = [](const std::string& text, const std::vector<Tensor>& args) -> std::string {
    const std::shared_ptr<const Module> module = parse_module(text, "test");
    std::string eval;
    try {
      evaluate(*module, "main", args);
    } catch (const Unsupported& error) { eval = error.what(); }
    try {
      get_target("native").compile(module, "main", {})->run(args);
    } catch (const Unsupported& error) {
      EXPECT_EQ(error.what(), eval);
      return eval;
    }
    return "nothing was refused";
  };
  EXPECT_NE(refused(call("lapack_dgetrf_ffi", "", {f64({3, 3})}, {f64({3, 3}), i32({2}), i32({})}),
                    {Tensor::zeros(ElementType::kF64, {3, 3})})
                .find("type of result 1: got tensor<2xi32>, expected tensor<3xi32>"),
            std::string::npos);
  EXPECT_NE(refused(call("lapack_dsyevd_ffi", "", {f64({3, 4})}, {f64({3, 4}), f64({3}), i32({})}),
                    {Tensor::zeros(ElementType::kF64, {3, 4})})
                .find("type of operand 0"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::test
