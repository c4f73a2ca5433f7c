// LAPACK's calls by LAPACK and written out in StableHLO's ops, and small matrices to compare them with.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "eval/evaluator.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "transform/portable.h"

namespace weft::test::portable {

using enum ElementType;
using Complex = std::complex<double>;
using Numbers = std::vector<Complex>;

inline constexpr ElementType kElements[] = {kF32, kF64, kC64, kC128};

inline ElementType real_of(ElementType e) { return e == kC64 ? kF32 : e == kC128 ? kF64 : e; }
inline double eps(ElementType e) { return real_of(e) == kF32 ? 1.2e-7 : 2.3e-16; }
inline std::string lapack(ElementType e, const std::string& real, const std::string& complex_name = "") {
  const std::string letter = e == kF32 ? "s" : e == kF64 ? "d" : e == kC64 ? "c" : "z";
  return "lapack_" + letter + (is_complex(e) && !complex_name.empty() ? complex_name : real) + "_ffi";
}

template <class F>
void with_type(ElementType e, F&& f) {
  switch (e) {
    case kF32: return f(float{});
    case kF64: return f(double{});
    case kC64: return f(std::complex<float>{});
    case kC128: return f(Complex{});
    default: return f(int32_t{});
  }
}

inline Numbers numbers(const Tensor& t) {
  Numbers out;
  with_type(t.element_type(), [&](auto zero) {
    for (const auto& v : t.data<decltype(zero)>()) out.emplace_back(v);
  });
  return out;
}
inline Tensor tensor(ElementType e, Shape shape, const Numbers& values) {
  Tensor t(e, std::move(shape));
  with_type(e, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, Complex>)
        t.mutable_data<T>()[i] = T(static_cast<typename T::value_type>(values[i].real()),
                                   static_cast<typename T::value_type>(values[i].imag()));
      else t.mutable_data<T>()[i] = static_cast<T>(values[i].real());
    }
  });
  return t;
}
inline Tensor random(ElementType e, const Shape& shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  Numbers values(static_cast<size_t>(num_elements(shape)));
  for (Complex& v : values) v = {real(generator), is_complex(e) ? real(generator) : 0};
  return tensor(e, shape, values);
}

struct Matrix {
  int64_t rows = 0, columns = 0;
  Numbers values;
  Complex& at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
  Complex at(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * columns + j)]; }
};
inline Matrix zeros(int64_t m, int64_t n) { return {m, n, Numbers(static_cast<size_t>(m * n))}; }
inline Matrix identity(int64_t n) {
  Matrix out = zeros(n, n);
  for (int64_t i = 0; i < n; ++i) out.at(i, i) = 1;
  return out;
}
/// Matrix number `batch` of a tensor.
inline Matrix matrix(const Tensor& t, int64_t batch) {
  const size_t rank = t.shape().size();
  Matrix out = zeros(t.shape()[rank - 2], t.shape()[rank - 1]);
  const Numbers all = numbers(t);
  std::copy_n(all.begin() + batch * out.rows * out.columns, out.rows * out.columns, out.values.begin());
  return out;
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out = zeros(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t j = 0; j < b.columns; ++j) out.at(i, j) += a.at(i, k) * b.at(k, j);
  return out;
}
inline Matrix adjoint(const Matrix& a) {
  Matrix out = zeros(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) out.at(j, i) = std::conj(a.at(i, j));
  return out;
}
inline double distance(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return INFINITY;
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= out)) out = d;
  }
  return out;
}
inline void expect_near(const Matrix& got, const Matrix& want, double bound, const std::string& what) {
  EXPECT_LE(distance(got.values, want.values), bound) << what;
}
inline void expect_near(const Tensor& got, const Tensor& want, double bound, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  EXPECT_LE(distance(numbers(got), numbers(want)), bound) << what;
}

using Config = std::vector<std::pair<std::string, std::string>>;
struct Both {
  std::vector<Tensor> ours, lapacks;
};
inline std::shared_ptr<Module> program(const std::string& target, const std::vector<Tensor>& operands,
                                       const std::vector<Type>& results, const Config& config) {
  auto f = std::make_unique<Function>("main");
  std::vector<Value> args;
  for (const Tensor& t : operands) args.push_back(f->add_arg(f->body(), Type::tensor(t.element_type(), t.shape())));
  OpBuilder b(*f, f->body());
  AttrEntries entries;
  for (const auto& [name, value] : config) entries.emplace_back(name, OpaqueAttr{value});
  const std::vector<Value> out = b.create(
      "stablehlo.custom_call", args, Attrs{{"call_target_name", target}, {"mhlo.backend_config", entries}}, results);
  b.yield(out);
  auto module = std::make_shared<Module>();
  module->add(std::move(f));
  return module;
}
inline Both run(const std::string& target, const std::vector<Tensor>& operands, const std::vector<Type>& results,
                const Config& config = {}) {
  const std::shared_ptr<Module> module = program(target, operands, results, config);
  const std::shared_ptr<Module> portable = portable_program(*module, "main");
  verify(*portable);
  const Function& f = portable->get("main");
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    EXPECT_NE(f.def(OpId{i}).mnemonic, "stablehlo.custom_call") << target;
    EXPECT_TRUE(f.def(OpId{i}).mnemonic.starts_with("stablehlo.") || f.def(OpId{i}).mnemonic == "func.return")
        << f.def(OpId{i}).mnemonic;
  }
  return {evaluate(*portable, "main", operands), evaluate(*module, "main", operands)};
}
inline std::string letter(char c) { return std::to_string(static_cast<int>(c)) + " : ui8"; }
inline Type of(ElementType e, std::vector<int64_t> shape) { return Type::tensor(e, std::move(shape)); }

}  // namespace weft::test::portable
