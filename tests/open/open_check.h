// Compiles a program with open extents once and compares it, for several sets of argument types, with the evaluator on the program
// refined to those types.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "native/native_target.h"
#include "text/parse.h"
#include "transform/refine_shapes.h"

namespace weft {

/// Values between -2 and 2; integers between 0 and 3.
inline Tensor random_values(ElementType type, const Shape& shape, uint32_t seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> real(-2, 2);
  Tensor t(type, shape);
  for (int64_t i = 0; i < t.size(); ++i) {
    const double x = real(rng);
    const auto n = static_cast<int>(std::abs(x) * 2);
    switch (type) {
      case ElementType::kF32: t.mutable_data<float>()[i] = static_cast<float>(x); break;
      case ElementType::kF64: t.mutable_data<double>()[i] = x; break;
      case ElementType::kBF16: t.mutable_data<bf16>()[i] = bf16(static_cast<float>(x)); break;
      case ElementType::kI32: t.mutable_data<int32_t>()[i] = n; break;
      case ElementType::kI64: t.mutable_data<int64_t>()[i] = n; break;
      case ElementType::kI8: t.mutable_data<int8_t>()[i] = static_cast<int8_t>(n); break;
      case ElementType::kI1: t.mutable_data<bool>()[i] = x > 0; break;
      case ElementType::kU32: t.mutable_data<uint32_t>()[i] = static_cast<uint32_t>(n); break;
      default: ADD_FAILURE() << "no values of type " << name(type);
    }
  }
  return t;
}

inline void expect_close(const Tensor& got, const Tensor& want, double tolerance, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  ASSERT_EQ(got.element_type(), want.element_type()) << what;
  const auto compare = [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < got.size(); ++i) {
      const auto a = static_cast<double>(got.data<T>()[static_cast<size_t>(i)]);
      const auto b = static_cast<double>(want.data<T>()[static_cast<size_t>(i)]);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ASSERT_LE(std::fabs(a - b), tolerance * std::max(1.0, std::fabs(b)))
          << what << " element " << i << ": " << a << ", " << b;
    }
  };
  switch (got.element_type()) {
    case ElementType::kF32: return compare(float{});
    case ElementType::kF64: return compare(double{});
    default: ASSERT_EQ(0, std::memcmp(got.raw(), want.raw(), got.size_bytes())) << what;
  }
}

inline std::vector<Tensor> evaluate_refined(const Module& module, std::span<const Tensor> args) {
  Module copy;
  for (const auto& f : module.functions()) copy.add(clone_function(*f, f->name()));
  std::vector<Type> types;
  for (const Tensor& t : args) types.push_back(Type::tensor(t.element_type(), t.shape()));
  refine_shapes(copy, "main", types);
  return evaluate(copy, "main", args);
}

/// `shapes`: one list of argument shapes for each call; the executable is compiled once.
inline void check_open(const std::string& text, const std::vector<std::vector<Shape>>& shapes, double tolerance = 1e-5,
                       const CompileOptions& options = {}) {
  std::shared_ptr<Module> module = parse_module(text, "open");
  const auto executable = native_target().compile(module, "main", options);
  ASSERT_TRUE(executable->has_open_extents());
  const std::vector<Type> types = module->get("main").arg_types();
  uint32_t seed = 1;
  for (int round = 0; round < 2; ++round) {
    for (const std::vector<Shape>& call : shapes) {
      std::vector<Tensor> args;
      std::string what = "at";
      for (size_t i = 0; i < types.size(); ++i) {
        args.push_back(random_values(types[i].element_type(), call[i], seed++));
        what += " " + Type::tensor(types[i].element_type(), call[i]).str();
      }
      const std::vector<Tensor> want = evaluate_refined(*module, args), got = executable->run(args);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i)
        expect_close(got[i], want[i], tolerance, what + " result " + std::to_string(i));
    }
  }
  // Nothing was compiled anew for a call.
  EXPECT_EQ(executable->extent_calls().own, 0u);
}

}  // namespace weft
