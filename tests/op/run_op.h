// One op on given tensors, through the builder and the evaluator.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "eval/evaluator.h"
#include "ops/builder.h"
#include "ops/record.h"

namespace weft::test {

using Emit = std::function<std::vector<Value>(OpBuilder&, std::span<const Value>)>;

inline std::vector<Tensor> run_op(const std::vector<Tensor>& args, const Emit& emit) {
  Module module;
  Function& f = module.add(std::make_unique<Function>("f"));
  std::vector<Value> values;
  for (const Tensor& t : args) values.push_back(f.add_arg(f.body(), Type::tensor(t.element_type(), t.shape())));
  OpBuilder b(f, f.body(), &module);
  b.yield(emit(b, values));
  verify(module);
  return evaluate(module, "f", args);
}

/// Small integers as doubles: sums of products are exact, so that results can be compared for equality.
inline Tensor small_integers(std::mt19937& random, Shape shape) {
  Tensor t(ElementType::kF64, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i)
    t.mutable_data<double>()[i] = static_cast<double>(static_cast<int>(random() % 9) - 4);
  return t;
}

inline std::vector<double> values(const Tensor& t) {
  const auto d = t.data<double>();
  return {d.begin(), d.end()};
}

/// Row-major position of an index; -1 when it lies outside.
inline int64_t position(const std::vector<int64_t>& index, std::span<const int64_t> shape) {
  int64_t p = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) return -1;
    p = p * shape[d] + index[d];
  }
  return p;
}

/// Calls f with every index of a shape, in row-major order.
inline void for_each_index(const std::vector<int64_t>& shape,
                           const std::function<void(const std::vector<int64_t>&)>& f) {
  std::vector<int64_t> index(shape.size(), 0);
  const std::function<void(size_t)> loop = [&](size_t d) {
    if (d == shape.size()) return f(index);
    for (index[d] = 0; index[d] < shape[d]; ++index[d]) loop(d + 1);
  };
  loop(0);
}

}  // namespace weft::test
