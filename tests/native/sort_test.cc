// Sorts of every element type against the evaluator, bit for bit, and against the standard library; on one and on several parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "eval/evaluator.h"
#include "ir/target.h"
#include "ops/scalar/num.h"
#include "text/parse.h"

namespace weft::test {
namespace {

using Module = std::shared_ptr<const weft::Module>;

std::string tensor_type(const Shape& shape, ElementType t) {
  std::string out = "tensor<";
  for (int64_t n : shape) out += std::to_string(n) + "x";
  return out + std::string(name(t)) + ">";
}

/// main(%x0, …) sorts along `dimension` by the lines of `comparator`, which computes %c from %a0, %b0, %a1, …
Module sort_program(const Shape& shape, std::span<const ElementType> types, int64_t dimension,
                    const std::string& comparator) {
  std::string args, operands, params, in, out;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string k = std::to_string(i), t = tensor_type(shape, types[i]), s = tensor_type({}, types[i]);
    const std::string comma = i > 0 ? ", " : "";
    args += comma + "%x" + k + ": " + t;
    operands += comma + "%x" + k;
    params += comma + "%a" + k + ": " + s + ", %b" + k + ": " + s;
    in += comma + t;
  }
  const std::string n = std::to_string(types.size());
  std::string results;
  for (size_t i = 0; i < types.size(); ++i) results += (i > 0 ? ", %r#" : "%r#") + std::to_string(i);
  return parse_module("func.func @main(" + args + ") -> (" + in + ") {\n  %r:" + n + " = \"stablehlo.sort\"(" +
                          operands + ") <{dimension = " + std::to_string(dimension) +
                          " : i64, is_stable = true}> ({\n  ^bb0(" + params + "):\n" + comparator +
                          "    stablehlo.return %c : tensor<i1>\n  }) : (" + in + ") -> (" + in + ")\n  return " +
                          results + " : " + in + "\n}\n",
                      "test");
}

std::string compare(ElementType t, const std::string& direction, const std::string& type, int operand = 0,
                    const std::string& result = "%c") {
  const std::string k = std::to_string(operand), s = tensor_type({}, t);
  return "    " + result + " = stablehlo.compare " + direction + ", %a" + k + ", %b" + k + (type.empty() ? "" : ", ") +
         type + " : (" + s + ", " + s + ") -> tensor<i1>\n";
}

enum class Fill { kRandom, kTies, kSpecial, kSorted, kReversed };

Tensor random_tensor(ElementType t, const Shape& shape, Fill fill, std::mt19937& random) {
  Tensor x(t, shape);
  const double lowest = is_boolean(t) || !(is_float(t) || is_signed_integer(t)) ? 0 : -100;
  const double special[] = {std::numeric_limits<double>::quiet_NaN(),
                            -std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            0.0,
                            -0.0,
                            1.5,
                            -1.5};
  for (int64_t i = 0; i < x.size(); ++i) {
    if (!is_float(t) && fill == Fill::kRandom) {
      // All bits of the type.
      uint64_t bits = uint64_t{random()} << 32 | random();
      const int width = is_boolean(t) ? 1 : static_cast<int>(bit_width(t));
      if (width < 8)
        bits = is_signed_integer(t) ? static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - width)) >> (64 - width))
                                    : bits << (64 - width) >> (64 - width);
      std::memcpy(static_cast<std::byte*>(x.raw()) + static_cast<size_t>(i) * byte_size(t), &bits, byte_size(t));
      continue;
    }
    double v = 0;
    const int64_t rank = i * 100 / x.size();
    switch (fill) {
      case Fill::kRandom: v = std::normal_distribution<double>(0, 1000)(random); break;
      case Fill::kTies:
        v = std::floor(std::uniform_real_distribution<double>(std::max(lowest, -2.0), 2)(random));
        break;
      case Fill::kSpecial: v = special[random() % (is_float(t) ? 8 : 1)]; break;
      case Fill::kSorted: v = lowest + static_cast<double>(rank); break;
      case Fill::kReversed: v = lowest + 100 - static_cast<double>(rank); break;
    }
    if (!is_float(t) && fill == Fill::kSpecial) v = static_cast<double>(random() % 2);
    store_num(x.raw(), is_float(t) ? Num::of_real(t, v) : Num::of_bits(t, static_cast<int64_t>(v)), i);
  }
  return x;
}

std::vector<Tensor> run_native(const Module& module, std::span<const Tensor> args, int partitions) {
  CompileOptions options;
  options.partitions = partitions;
  return get_target("native").compile(module, "main", options)->run(args);
}

void expect_same(std::span<const Tensor> got, std::span<const Tensor> expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), expected[i].shape()) << what;
    EXPECT_EQ(std::memcmp(got[i].raw(), expected[i].raw(), got[i].size_bytes()), 0) << what << ", result " << i;
  }
}

void expect_as_evaluated(const Module& module, std::span<const Tensor> args, std::span<const int> partitions,
                         const std::string& what) {
  const std::vector<Tensor> expected = evaluate(*module, "main", args);
  for (int parts : partitions)
    expect_same(run_native(module, args, parts), expected, what + " on " + std::to_string(parts) + " parts");
}

constexpr ElementType kTypes[] = {ElementType::kI1,   ElementType::kI4,  ElementType::kU4,  ElementType::kI8,
                                  ElementType::kU8,   ElementType::kI16, ElementType::kU16, ElementType::kI32,
                                  ElementType::kU32,  ElementType::kI64, ElementType::kU64, ElementType::kF16,
                                  ElementType::kBF16, ElementType::kF32, ElementType::kF64};
constexpr Fill kFills[] = {Fill::kRandom, Fill::kTies, Fill::kSpecial, Fill::kSorted, Fill::kReversed};

TEST(NativeSort, EveryTypeAndLength) {
  std::mt19937 random(1);
  const int parts[] = {2};
  int variant = 0;
  for (ElementType t : kTypes) {
    for (int64_t n : {0, 1, 2, 3, 15, 16, 17, 33, 64, 191, 193, 257, 3001}) {
      const std::string direction = variant % 2 == 0 ? "LT" : "GT";
      const std::string type = is_float(t) ? (variant % 3 == 0 ? "FLOAT" : "TOTALORDER") : "";
      const ElementType alone[] = {t}, carrying[] = {t, kTypes[static_cast<size_t>(variant) % std::size(kTypes)]};
      const std::span<const ElementType> types = variant % 5 < 3 ? std::span<const ElementType>(alone) : carrying;
      const Fill fill = kFills[static_cast<size_t>(variant / 2) % std::size(kFills)];
      ++variant;
      std::vector<Tensor> args;
      for (ElementType e : types) args.push_back(random_tensor(e, {n}, args.empty() ? fill : Fill::kRandom, random));
      expect_as_evaluated(sort_program({n}, types, 0, compare(t, direction, type)), args, parts,
                          std::string(name(t)) + ", " + std::to_string(n) + " elements, " + direction + " " + type);
    }
  }
}

TEST(NativeSort, EveryDimension) {
  std::mt19937 random(2);
  const int parts[] = {1, 3};
  for (const Shape& shape : {Shape{5, 7, 11}, Shape{40, 300, 3}, Shape{3, 0, 4}, Shape{1, 1, 1}, Shape{2000, 1, 9}}) {
    for (int64_t d = 0; d < 3; ++d) {
      for (ElementType t : {ElementType::kF32, ElementType::kI64}) {
        const ElementType types[] = {t, ElementType::kI32};
        const Tensor args[] = {random_tensor(t, shape, Fill::kTies, random),
                               random_tensor(ElementType::kI32, shape, Fill::kRandom, random)};
        for (size_t operands : {size_t{1}, size_t{2}})
          expect_as_evaluated(sort_program(shape, std::span(types).first(operands), d, compare(t, "LT", "")),
                              std::span(args).first(operands), parts, "dimension " + std::to_string(d));
      }
    }
  }
}

TEST(NativeSort, LongLinesOnSeveralParts) {
  std::mt19937 random(3);
  const int parts[] = {1, 2, 3};
  for (ElementType t : {ElementType::kF32, ElementType::kI64, ElementType::kI16}) {
    for (int64_t n : {32768, 65537}) {
      for (const char* type : {"FLOAT", "TOTALORDER"}) {
        if (!is_float(t) && std::string(type) == "FLOAT") continue;
        for (Fill fill : kFills) {
          const ElementType types[] = {t, ElementType::kI32};
          const Tensor args[] = {random_tensor(t, {n}, fill, random),
                                 random_tensor(ElementType::kI32, {n}, Fill::kRandom, random)};
          const size_t operands = 1 + random() % 2;
          const std::string comparator = compare(t, "GT", is_float(t) ? type : "");
          expect_as_evaluated(sort_program({n}, std::span(types).first(operands), 0, comparator),
                              std::span(args).first(operands), parts,
                              std::string(name(t)) + " " + type + ", " + std::to_string(n) + " elements");
        }
      }
    }
  }
}

TEST(NativeSort, SeveralKeys) {
  std::mt19937 random(4);
  const int parts[] = {1, 2};
  for (ElementType first : {ElementType::kF32, ElementType::kI8, ElementType::kF64}) {
    for (int64_t n : {2, 50, 1000, 40000}) {
      const ElementType types[] = {first, ElementType::kU64, ElementType::kF32};
      const Tensor args[] = {random_tensor(first, {n}, Fill::kTies, random),
                             random_tensor(ElementType::kU64, {n}, Fill::kTies, random),
                             random_tensor(ElementType::kF32, {n}, Fill::kRandom, random)};
      const std::string comparator = compare(first, "GT", "", 0, "%g") + compare(first, "EQ", "", 0, "%e") +
                                     compare(ElementType::kU64, "LT", "", 1, "%l") +
                                     "    %t = stablehlo.and %e, %l : tensor<i1>\n"
                                     "    %c = stablehlo.or %g, %t : tensor<i1>\n";
      const Module module = sort_program({n}, types, 0, comparator);
      EXPECT_NE(get_target("native").compile(module, "main")->explain().find("then ui64 of operand 1 ascending"),
                std::string::npos);
      expect_as_evaluated(module, args, parts, std::to_string(n) + " elements");
    }
  }
}

// By the rest of a division, and by comparators that are no order: these are compared as the evaluator compares them.
TEST(NativeSort, CompiledComparators) {
  std::mt19937 random(5);
  const int parts[] = {1, 2, 3};
  const std::string by_rest =
      "    %m = stablehlo.constant dense<7> : tensor<i32>\n"
      "    %p = stablehlo.remainder %a0, %m : tensor<i32>\n    %q = stablehlo.remainder %b0, %m : tensor<i32>\n"
      "    %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>\n";
  const std::string by_magnitude =
      "    %p = stablehlo.abs %a0 : tensor<f16>\n    %q = stablehlo.abs %b0 : tensor<f16>\n"
      "    %v = stablehlo.convert %p : (tensor<f16>) -> tensor<f32>\n"
      "    %w = stablehlo.convert %q : (tensor<f16>) -> tensor<f32>\n"
      "    %c = stablehlo.compare GT, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>\n";
  // Negative ones by their rest, in front of the others; those by where they are in a table of two orders.
  const std::string by_branches =
      "    %z = stablehlo.constant dense<0> : tensor<i32>\n    %seven = stablehlo.constant dense<7> : tensor<i32>\n"
      "    %n = stablehlo.compare LT, %a0, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    %m = stablehlo.compare LT, %b0, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    %d = stablehlo.compare NE, %n, %m : (tensor<i1>, tensor<i1>) -> tensor<i1>\n"
      "    %c = \"stablehlo.if\"(%d) ({\n      stablehlo.return %n : tensor<i1>\n    }, {\n"
      "      %k = stablehlo.convert %n : (tensor<i1>) -> tensor<i32>\n"
      "      %j:2 = \"stablehlo.case\"(%k) ({\n        stablehlo.return %b0, %a0 : tensor<i32>, tensor<i32>\n      }, "
      "{\n"
      "        %p = stablehlo.remainder %a0, %seven : tensor<i32>\n"
      "        %q = stablehlo.remainder %b0, %seven : tensor<i32>\n"
      "        stablehlo.return %p, %q : tensor<i32>, tensor<i32>\n      }) : (tensor<i32>) -> (tensor<i32>, "
      "tensor<i32>)\n"
      "      %l = stablehlo.compare LT, %j#0, %j#1 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "      stablehlo.return %l : tensor<i1>\n    }) : (tensor<i1>) -> tensor<i1>\n";
  const ElementType i32[] = {ElementType::kI32}, f16[] = {ElementType::kF16, ElementType::kF64};
  for (int64_t n : {1, 2, 3, 17, 300, 8193}) {
    const Tensor integers[] = {random_tensor(ElementType::kI32, {n}, Fill::kRandom, random)};
    const Tensor floats[] = {random_tensor(ElementType::kF16, {n}, Fill::kSpecial, random),
                             random_tensor(ElementType::kF64, {n}, Fill::kRandom, random)};
    const std::string what = std::to_string(n) + " elements";
    expect_as_evaluated(sort_program({n}, i32, 0, by_rest), integers, parts, what);
    expect_as_evaluated(sort_program({n}, i32, 0, by_branches), integers, parts, what);
    expect_as_evaluated(sort_program({n}, f16, 0, by_magnitude), floats, parts, what);
    if (n > 1000) continue;  // the evaluator calls regions one by one
    expect_as_evaluated(sort_program({n}, i32, 0, compare(ElementType::kI32, "LE", "")), integers, parts, what);
    expect_as_evaluated(sort_program({n}, i32, 0, "    %c = stablehlo.constant dense<true> : tensor<i1>\n"), integers,
                        parts, what);
  }
}

TEST(NativeSort, AgreesWithTheStandardLibrary) {
  std::mt19937 random(6);
  const ElementType types[] = {ElementType::kF32, ElementType::kI32};
  for (int64_t n : {100, 5000, 200000}) {
    Tensor x = random_tensor(ElementType::kF32, {n}, Fill::kTies, random), at(ElementType::kI32, {n});
    std::iota(at.mutable_data<int32_t>(), at.mutable_data<int32_t>() + n, 0);
    const auto places = at.data<int32_t>();
    std::vector<int32_t> order(places.begin(), places.end());
    const auto v = x.data<float>();
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return v[static_cast<size_t>(a)] > v[static_cast<size_t>(b)]; });
    const Tensor args[] = {x, at};
    const auto got = run_native(sort_program({n}, types, 0, compare(types[0], "GT", "")), args, 2);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(got[1].data<int32_t>()[i], order[static_cast<size_t>(i)]) << i;
      ASSERT_EQ(got[0].data<float>()[i], v[order[static_cast<size_t>(i)]]) << i;
    }
  }
}

Module top_k_program(const Shape& shape, ElementType t, int64_t k) {
  Shape out = shape;
  out.back() = k;
  const std::string from = tensor_type(shape, t), to = tensor_type(out, t), at = tensor_type(out, ElementType::kI32);
  return parse_module("func.func @main(%x: " + from + ") -> (" + to + ", " + at +
                          ") {\n  %v, %i = chlo.top_k(%x, k = " + std::to_string(k) + ") : " + from + " -> (" + to +
                          ", " + at + ")\n  return %v, %i : " + to + ", " + at + "\n}\n",
                      "test");
}

TEST(NativeTopK, IsTheEvaluators) {
  std::mt19937 random(7);
  const int parts[] = {1, 2, 3};
  for (ElementType t :
       {ElementType::kF32, ElementType::kI8, ElementType::kBF16, ElementType::kF64, ElementType::kU32}) {
    for (const Shape& shape : {Shape{1}, Shape{1000}, Shape{3, 7000}, Shape{100000}, Shape{2, 0}, Shape{40, 130}}) {
      for (int64_t k : {0, 1, 5, 100, 40000}) {
        if (k > shape.back()) continue;
        const Fill fill = kFills[random() % std::size(kFills)];
        const Tensor args[] = {random_tensor(t, shape, fill, random)};
        expect_as_evaluated(
            top_k_program(shape, t, k), args, parts,
            std::string(name(t)) + ", k = " + std::to_string(k) + " of " + std::to_string(shape.back()));
      }
    }
  }
}

TEST(NativeTopK, TiesGoToTheLowerIndex) {
  Tensor x(ElementType::kI32, {50000});
  for (int64_t i = 0; i < 50000; ++i) x.mutable_data<int32_t>()[i] = static_cast<int32_t>(i % 5);
  const Tensor args[] = {x};
  const auto got = run_native(top_k_program({50000}, ElementType::kI32, 30), args, 2);
  for (int64_t j = 0; j < 30; ++j) {
    EXPECT_EQ(got[0].data<int32_t>()[j], 4);
    EXPECT_EQ(got[1].data<int32_t>()[j], 5 * j + 4);
  }
}

// What reads only the first elements of a sort makes it a selection; NaN, which < does not order, must not disturb that.
TEST(NativeTopK, SlicesOfASort) {
  std::mt19937 random(8);
  const int parts[] = {1, 2};
  for (const char* type : {"TOTALORDER", "FLOAT"}) {
    const Module module = parse_module(
        "func.func @main(%x: tensor<6x9000xf32>, %i: tensor<6x9000xi32>) -> (tensor<6x12xf32>, tensor<6x2xi32>) {\n"
        "  %r:2 = \"stablehlo.sort\"(%x, %i) <{dimension = 1 : i64}> ({\n"
        "  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):\n"
        "    %g = stablehlo.compare GT, %a, %b, " +
            std::string(type) +
            " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %g : tensor<i1>\n"
            "  }) : (tensor<6x9000xf32>, tensor<6x9000xi32>) -> (tensor<6x9000xf32>, tensor<6x9000xi32>)\n"
            "  %v = stablehlo.slice %r#0 [0:6, 0:12] : (tensor<6x9000xf32>) -> tensor<6x12xf32>\n"
            "  %w = stablehlo.slice %r#1 [0:6, 3:9:3] : (tensor<6x9000xi32>) -> tensor<6x2xi32>\n"
            "  return %v, %w : tensor<6x12xf32>, tensor<6x2xi32>\n}\n",
        "test");
    EXPECT_NE(get_target("native").compile(module, "main")->explain().find("the first 12 of 9000"), std::string::npos);
    for (Fill fill : kFills) {
      const Tensor args[] = {random_tensor(ElementType::kF32, {6, 9000}, fill, random),
                             random_tensor(ElementType::kI32, {6, 9000}, Fill::kRandom, random)};
      expect_as_evaluated(module, args, parts, type);
    }
  }
}

TEST(NativeTopK, Approximate) {
  std::mt19937 random(9);
  const Module module = parse_module(
      "func.func @above(%a: tensor<bf16>, %b: tensor<bf16>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {\n"
      "  %g = stablehlo.compare GT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>\n"
      "  return %g : tensor<i1>\n}\n"
      "func.func @main(%x: tensor<3000x4xbf16>) -> (tensor<20x4xbf16>, tensor<20x4xi32>) {\n"
      "  %i = stablehlo.iota dim = 0 : tensor<3000x4xi32>\n"
      "  %n = stablehlo.constant dense<0xFF80> : tensor<bf16>\n  %m = stablehlo.constant dense<-1> : tensor<i32>\n"
      "  %r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %n, %m) {called_computations = [@above], "
      "mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 20 : i64}} : (tensor<3000x4xbf16>, tensor<3000x4xi32>, "
      "tensor<bf16>, tensor<i32>) -> (tensor<20x4xbf16>, tensor<20x4xi32>)\n"
      "  return %r#0, %r#1 : tensor<20x4xbf16>, tensor<20x4xi32>\n}\n",
      "test");
  const Tensor args[] = {random_tensor(ElementType::kBF16, {3000, 4}, Fill::kRandom, random)};
  const int parts[] = {1, 2};
  expect_as_evaluated(module, args, parts, "ApproxTopK");
}

}  // namespace
}  // namespace weft::test
