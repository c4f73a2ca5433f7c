// Calls of LAPACK as samples, held to the laws of every op.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/op/sample_laws.h"

namespace weft::test {

inline constexpr ElementType kComplex = ElementType::kC128;
using Shapes = std::vector<std::vector<int64_t>>;

/// A call on f64 matrices of random numbers. Of its results those in `kept` are returned.
struct Call {
  std::string target;
  Shapes operands, results;
  std::vector<size_t> kept;
  std::vector<std::pair<std::string, char>> letters = {};
  std::vector<size_t> integers = {};  // results of i32
  double larger_diagonal = 0;         // added to the diagonal of operand 0
  ElementType element = ElementType::kF64;
  std::vector<size_t> reals = {};  // results of f64 where the others are complex
  /// What is made of the results; missing: those kept.
  std::function<std::vector<Value>(OpBuilder&, std::span<const Value>)> after = nullptr;
  std::vector<size_t> complexes = {};  // results that are complex where the others are not
};

inline Sample sample_of(const Call& call) {
  Sample s;
  s.label = call.target;
  for (const auto& shape : call.operands) {
    s.label += " " + Type::tensor(call.element, shape).str();
    s.operands.push_back({Type::tensor(call.element, shape), {}});
  }
  s.emit = [call](OpBuilder& b, std::span<const Value> x) {
    std::vector<Value> operands(x.begin(), x.end());
    if (call.larger_diagonal != 0) {
      const Type t = b.type(x[0]);
      std::vector<double> diagonal;
      for (int64_t i = 0; i < t.num_elements(); ++i) {
        const int64_t n = t.dim(t.rank() - 1), row = i / n % t.dim(t.rank() - 2);
        diagonal.push_back(row == i % n ? call.larger_diagonal + static_cast<double>(row) : 0);
      }
      const Value added =
          b.constant(Literal::dense(Tensor::of<double>(diagonal, Shape(t.shape().begin(), t.shape().end()))));
      operands[0] = b.add(x[0], b.convert(added, call.element));
    }
    AttrEntries config;
    for (const auto& [name, letter] : call.letters)
      config.emplace_back(name, OpaqueAttr{std::to_string(static_cast<int>(letter)) + " : ui8"});
    std::vector<Type> types;
    for (size_t r = 0; r < call.results.size(); ++r) {
      const bool is_integer = std::ranges::find(call.integers, r) != call.integers.end();
      const bool is_real = std::ranges::find(call.reals, r) != call.reals.end();
      types.push_back(Type::tensor(is_integer                                                     ? ElementType::kI32
                                   : is_real                                                      ? ElementType::kF64
                                   : std::ranges::find(call.complexes, r) != call.complexes.end() ? kComplex
                                                                                                  : call.element,
                                   call.results[r]));
    }
    const std::vector<Value> all =
        b.create("stablehlo.custom_call", operands,
                 Attrs{{"call_target_name", call.target}, {"mhlo.backend_config", config}}, types);
    if (call.after) return call.after(b, all);
    std::vector<Value> out;
    for (size_t r : call.kept) out.push_back(all[r]);
    return out;
  };
  return s;
}

inline void expect_laws(const Call& call) {
  const Sample sample = sample_of(call);
  SCOPED_TRACE(sample.label);
  expect_derivative_laws(sample, 1e-12);  // of triangles by our own ops
  expect_lanes_commute(sample);
  expect_lane_laws(sample, 1e-12);
}

}  // namespace weft::test
