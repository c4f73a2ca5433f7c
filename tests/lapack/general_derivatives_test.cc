// Derivatives and lanes of calls for general eigenvalues, tridiagonal systems, QR with pivots and products with Q; lanes of reductions to
// canonical forms.
#include "ops/linear_algebra/matrix_algebra.h"
#include "tests/lapack/call_sample.h"

namespace weft::test {
namespace {

using Letters = std::vector<std::pair<std::string, char>>;

/// Eigenvalues of a matrix with one real and two complex ones, or with three real ones.
Call geev(ElementType element, char left, char right, double larger_diagonal, std::vector<size_t> kept) {
  const Letters letters = {{"compute_left", left}, {"compute_right", right}};
  if (element == kComplex)
    return {"lapack_zgeev_ffi", {{3, 3}}, {{3}, {3, 3}, {3, 3}, {}}, std::move(kept), letters, {3},
            larger_diagonal,    kComplex};
  return {"lapack_dgeev_ffi",
          {{3, 3}},
          {{3}, {3}, {3, 3}, {3, 3}, {}},
          std::move(kept),
          letters,
          {4},
          larger_diagonal,
          ElementType::kF64,
          {},
          nullptr,
          {2, 3}};
}

TEST(GeneralDerivatives, Eigenvalues) {
  for (const double larger : {0.0, 4.0}) {
    expect_laws(geev(ElementType::kF64, 'N', 'N', larger, {0, 1}));
    expect_laws(geev(kComplex, 'N', 'N', larger, {0}));
  }
}

TEST(GeneralDerivatives, Eigenvectors) {
  for (const double larger : {0.0, 4.0}) {
    expect_laws(geev(ElementType::kF64, 'V', 'V', larger, {0, 1, 2, 3}));
    expect_laws(geev(ElementType::kF64, 'N', 'V', larger, {3}));
    expect_laws(geev(kComplex, 'V', 'V', larger, {0, 1, 2}));
    expect_laws(geev(kComplex, 'V', 'N', larger, {1}));
  }
}

TEST(GeneralDerivatives, VectorsThatAreNotComputedHaveNone) {
  auto module = sample_module(sample_of(geev(ElementType::kF64, 'N', 'V', 0, {2})));
  const size_t where[] = {0};
  EXPECT_THROW(jvp(*module, "f", where, "g"), Unsupported);
}

TEST(GeneralDerivatives, TridiagonalSolve) {
  const Shapes in = {{4}, {4}, {4}, {4, 2}};
  const auto middle_larger = [](const Call& call) {
    // The diagonal of the system, which is a vector: 4 more.
    Sample s = sample_of(call);
    s.emit = [emit = s.emit](OpBuilder& b, std::span<const Value> x) {
      const Value operands[] = {x[0], b.add(x[1], b.splat(b.type(x[1]), 5)), x[2], x[3]};
      return emit(b, operands);
    };
    return s;
  };
  for (const ElementType e : {ElementType::kF64, kComplex}) {
    const std::string name = e == kComplex ? "lapack_zgtsv_ffi" : "lapack_dgtsv_ffi";
    for (const Sample& s : {middle_larger({name, in, {{4}, {4}, {4}, {4, 2}, {}}, {3}, {}, {4}, 0, e}),
                            middle_larger({name,
                                           {{2, 3}, {2, 3}, {2, 3}, {2, 3, 1}},
                                           {{2, 3}, {2, 3}, {2, 3}, {2, 3, 1}, {2}},
                                           {3},
                                           {},
                                           {4},
                                           0,
                                           e}),
                            middle_larger({"tridiagonal_solve_perturbed_ffi", in, {{4, 2}}, {0}, {}, {}, 0, e})}) {
      SCOPED_TRACE(s.label);
      expect_derivative_laws(s, 1e-12);
      expect_lanes_commute(s);
      expect_lane_laws(s, 1e-12);
    }
  }
}

TEST(GeneralDerivatives, QrWithPivots) {
  for (const ElementType e : {ElementType::kF64, kComplex}) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{4, 2}, {3, 3}, {2, 4}}) {
      const Type a = Type::tensor(e, {m, n}), order = Type::tensor(ElementType::kI32, {n}),
                 tau = Type::tensor(e, {std::min(m, n)});
      const Sample s{"geqp3 " + a.str(), {{a, {}}}, [=](OpBuilder& b, std::span<const Value> x) {
                       const Value operands[] = {x[0], b.zeros(order)};
                       const Type types[] = {a.with_shape(b.type(x[0]).shape()), order, tau};
                       const std::string name = e == kComplex ? "lapack_zgeqp3_ffi" : "lapack_dgeqp3_ffi";
                       return b.create("stablehlo.custom_call", operands, Attrs{{"call_target_name", name}}, types);
                     }};
      SCOPED_TRACE(s.label);
      expect_derivative_laws(s, 1e-12);
      expect_lanes_commute(s);
      expect_lane_laws(s, 1e-12);
    }
  }
}

TEST(GeneralDerivatives, ProductsWithQ) {
  for (const ElementType e : {ElementType::kF64, kComplex}) {
    for (const int left : {0, 1}) {
      for (const int transpose : {0, 1}) {
        const std::vector<int64_t> shape = left != 0 ? std::vector<int64_t>{4, 3} : std::vector<int64_t>{3, 4};
        const Sample s{"ormqr",
                       {{Type::tensor(e, {4, 2}), {}}, {Type::tensor(e, shape), {}}},
                       [=](OpBuilder& b, std::span<const Value> x) {
                         // Reflectors that are LAPACK's own: of the first operand.
                         const Type packed[] = {b.type(x[0]), Type::tensor(e, {2})};
                         const std::string letter = e == kComplex ? "z" : "d";
                         const std::vector<Value> qr =
                             b.create("stablehlo.custom_call", x.first(1),
                                      Attrs{{"call_target_name", "lapack_" + letter + "geqrf_ffi"}}, packed);
                         const Value operands[] = {qr[0], qr[1], x[1]};
                         const Type types[] = {b.type(x[1])};
                         const AttrEntries config = {{"left", OpaqueAttr{std::to_string(left) + " : i1"}},
                                                     {"transpose", OpaqueAttr{std::to_string(transpose) + " : i1"}}};
                         return b.create("stablehlo.custom_call", operands,
                                         Attrs{{"call_target_name",
                                                "lapack_" + letter + (e == kComplex ? "unmqr_ffi" : "ormqr_ffi")},
                                               {"mhlo.backend_config", config}},
                                         types);
                       }};
        SCOPED_TRACE("left " + std::to_string(left) + ", transpose " + std::to_string(transpose));
        expect_derivative_laws(s, 1e-12);
        expect_lanes_commute(s);
        expect_lane_laws(s, 1e-12);
      }
    }
  }
}

TEST(GeneralDerivatives, SingularValuesByQrSteps) {
  for (const ElementType e : {ElementType::kF64, kComplex}) {
    expect_laws({e == kComplex ? "lapack_zgesvd_ffi" : "lapack_dgesvd_ffi",
                 {{3, 2}},
                 {{3, 2}, {2}, {3, 2}, {2, 2}, {}},
                 {},
                 {{"mode", 'S'}},
                 {4},
                 1,
                 e,
                 {1},
                 [](OpBuilder& b, std::span<const Value> r) {
                   return std::vector{r[1], matrix_algebra::product(b, r[2], r[3])};
                 }});
  }
}

TEST(GeneralDerivatives, FormsHaveLanesAndSayThatTheyHaveNoDerivative) {
  const std::vector<Call> calls = {
      {"lapack_dgees_ffi", {{3, 3}}, {{3, 3}, {3, 3}, {3}, {3}, {}, {}}, {0, 1, 2, 3}, {{"mode", 'V'}}, {4, 5}},
      {"lapack_dgehrd_ffi", {{3, 3}}, {{3, 3}, {2}, {}}, {0, 1}, {}, {2}},
      {"lapack_dsytrd_ffi", {{3, 3}}, {{3, 3}, {3}, {2}, {2}, {}}, {0, 1, 2, 3}, {{"uplo", 'L'}}, {4}},
      {"lapack_zhetrd_ffi",
       {{2, 3, 3}},
       {{2, 3, 3}, {2, 3}, {2, 2}, {2, 2}, {2}},
       {0, 1, 2, 3},
       {{"uplo", 'U'}},
       {4},
       0,
       kComplex,
       {1, 2}}};
  for (const Call& call : calls) {
    const Sample sample = sample_of(call);
    SCOPED_TRACE(sample.label);
    expect_lane_laws(sample, 1e-12);
    auto module = sample_module(sample);
    const size_t where[] = {0};
    try {
      jvp(*module, "f", where, "g");
      FAIL();
    } catch (const Unsupported& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(call.target), std::string::npos) << message;
      EXPECT_NE(message.find("call geev, syevd, gesdd"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace weft::test
