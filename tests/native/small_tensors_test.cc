// Loops on tensors of few elements: on scalars they calculate what kernels and the evaluator do.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ir/target.h"
#include "tests/native/on_both.h"

namespace weft::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor numbers(ElementType e, const Shape& shape, const std::vector<double>& values) {
  Tensor t(e, shape);
  for (int64_t i = 0; i < t.size(); ++i) {
    const double v = values[static_cast<size_t>(i) % values.size()];
    switch (e) {
      case ElementType::kF64: t.mutable_data<double>()[i] = v; break;
      case ElementType::kF32: t.mutable_data<float>()[i] = static_cast<float>(v); break;
      case ElementType::kI64: t.mutable_data<int64_t>()[i] = static_cast<int64_t>(v); break;
      default: t.mutable_data<int32_t>()[i] = static_cast<int32_t>(v); break;
    }
  }
  return t;
}

/// A loop of `trips` turns with one carry of `type`; `body` makes %next of %x and of the counter %i.
std::string loop(const std::string& arguments, const std::string& type, const std::string& body, int trips = 3) {
  return "func.func @main(" + arguments + ") -> " + type +
         " {\n  %zero = stablehlo.constant dense<0> : tensor<i64>\n  %one = stablehlo.constant dense<1> : tensor<i64>\n"
         "  %end = stablehlo.constant dense<" +
         std::to_string(trips) +
         "> : tensor<i64>\n"
         "  %w:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i64>, " +
         type +
         "\n  cond {\n    %c = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
         "    stablehlo.return %c : tensor<i1>\n  } do {\n" +
         body + "\n    %j = stablehlo.add %i, %one : tensor<i64>\n    stablehlo.return %j, %next : tensor<i64>, " +
         type + "\n  }\n  return %w#1 : " + type + "\n}";
}

size_t kernels_of(const std::string& text) {
  const std::shared_ptr<const Module> module = parse_module(text, "test");
  const std::string account = get_target("native").compile(module, "main", {})->explain();
  size_t count = 0;
  for (size_t at = account.find("  kernel "); at != std::string::npos; at = account.find("  kernel ", at + 1)) ++count;
  return count;
}

void expect_same(const std::string& text, const std::vector<Tensor>& args) {
  CompileOptions kernels;
  kernels.disabled = {"small_tensors"};
  const OnBoth scalars = on_both(text, args), plain = on_both(text, args, kernels);
  for (size_t i = 0; i < scalars.native.size(); ++i) {
    expect_same_bits(scalars.native[i], scalars.eval[i], text);
    expect_same_bits(plain.native[i], scalars.eval[i], text);
  }
}

TEST(NativeSmallTensors, MovesAndArithmetic) {
  const std::string type = "tensor<2x3xf64>";
  const std::vector<std::string> bodies = {
      "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>\n"
      "%next = stablehlo.reshape %t : (tensor<3x2xf64>) -> tensor<2x3xf64>",
      "%r = stablehlo.reverse %x, dims = [1] : tensor<2x3xf64>\n%next = stablehlo.subtract %r, %start : "
      "tensor<2x3xf64>",
      "%a = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xf64>) -> tensor<2x2xf64>\n"
      "%b = stablehlo.slice %x [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>\n"
      "%next = stablehlo.concatenate %b, %a, dim = 1 : (tensor<2x1xf64>, tensor<2x2xf64>) -> tensor<2x3xf64>",
      "%s = stablehlo.slice %x [1:2, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>\n"
      "%b = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<1x3xf64>) -> tensor<2x3xf64>\n"
      "%m = stablehlo.maximum %b, %x : tensor<2x3xf64>\n%next = stablehlo.multiply %m, %b : tensor<2x3xf64>",
      "%k = stablehlo.iota dim = 1 : tensor<2x3xi64>\n%f = stablehlo.convert %k : (tensor<2x3xi64>) -> "
      "tensor<2x3xf64>\n"
      "%p = stablehlo.compare GT, %x, %f : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xi1>\n"
      "%next = stablehlo.select %p, %f, %x : tensor<2x3xi1>, tensor<2x3xf64>",
      "%lo = stablehlo.constant dense<-0.5> : tensor<f64>\n%hi = stablehlo.constant dense<2.5> : tensor<f64>\n"
      "%c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>\n"
      "%k = stablehlo.clamp %lo, %x, %hi : (tensor<f64>, tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xf64>\n"
      "%next = stablehlo.divide %c, %k : tensor<2x3xf64>",
  };
  for (const std::string& body : bodies) {
    const std::string text = loop("%start: " + type, type, body);
    expect_same(text, {numbers(ElementType::kF64, {2, 3}, {1.5, -0.25, 3, -0.0, 7, kInf})});
    EXPECT_EQ(kernels_of(text), 0) << text;
  }
}

TEST(NativeSmallTensors, ProductsAndReductions) {
  for (const std::string e : {"f64", "f32", "i32"}) {
    const ElementType element = e == "f64" ? ElementType::kF64 : e == "f32" ? ElementType::kF32 : ElementType::kI32;
    const std::string m = "tensor<3x3x" + e + ">", v = "tensor<3x" + e + ">", s = "tensor<" + e + ">";
    const std::string zero =
        "%z = stablehlo.constant dense<" + std::string(e == "i32" ? "0" : "0.0") + "> : " + s + "\n";
    // Whole numbers: every order of sums has the same bits.
    const std::vector<std::string> bodies = {
        "%next = stablehlo.dot_general %x, %start, contracting_dims = [1] x [0] : (" + m + ", " + m + ") -> " + m,
        "%next = stablehlo.dot_general %start, %x, contracting_dims = [0] x [1] : (" + m + ", " + m + ") -> " + m,
        zero + "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (" + m + ", " + s +
            ") -> " + v +
            "\n%d = stablehlo.dot_general %x, %r, batching_dims = [0] x [0], contracting_dims = [] x [] : (" + m +
            ", " + v + ") -> " + m + "\n%next = stablehlo.subtract %d, %x : " + m,
        zero + "%r = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0, 1] : (" + m +
            ", " + s + ") -> " + s + "\n%b = stablehlo.broadcast_in_dim %r, dims = [] : (" + s + ") -> " + m +
            "\n%next = stablehlo.subtract %b, %x : " + m,
    };
    for (const std::string& body : bodies)
      expect_same(loop("%start: " + m, m, body), {numbers(element, {3, 3}, {1, -2, 3, 0, 2, -1, 4, 1, -3})});
  }
}

TEST(NativeSmallTensors, TheFirstLargestElementByAReductionOfTwo) {
  const std::string text = loop(
      "%start: tensor<4xf64>", "tensor<4xf64>",
      "%k = stablehlo.iota dim = 0 : tensor<4xi64>\n%z = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>\n"
      "%r:2 = \"stablehlo.reduce\"(%x, %k, %z, %zero) ({\n^bb0(%a: tensor<f64>, %ai: tensor<i64>, %b: tensor<f64>, "
      "%bi: "
      "tensor<i64>):\n  %g = stablehlo.compare GE, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
      "  %v = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f64>\n  %w = stablehlo.select %g, %ai, %bi : "
      "tensor<i1>, "
      "tensor<i64>\n  stablehlo.return %v, %w : tensor<f64>, tensor<i64>\n}) {dimensions = array<i64: 0>} : "
      "(tensor<4xf64>, tensor<4xi64>, tensor<f64>, tensor<i64>) -> (tensor<f64>, tensor<i64>)\n"
      "%n = stablehlo.constant dense<-1.0> : tensor<1xf64>\n"
      "%next = stablehlo.dynamic_update_slice %x, %n, %r#1 : (tensor<4xf64>, tensor<1xf64>, tensor<i64>) -> "
      "tensor<4xf64>");
  expect_same(text, {numbers(ElementType::kF64, {4}, {2, 5, 5, 1})});
  EXPECT_EQ(kernels_of(text), 0);
}

/// Starts are clamped, of the small tensor as of parts of a large one, also where a part is as wide as two.
TEST(NativeSmallTensors, PlacesThatAreComputed) {
  for (const std::string start : {"-4", "0", "1", "2", "9"}) {
    const std::string at =
        "%s = stablehlo.constant dense<" + start + "> : tensor<i64>\n%at = stablehlo.add %s, %i : tensor<i64>\n";
    expect_same(
        loop("%start: tensor<3xf64>", "tensor<3xf64>",
             at + "%p = stablehlo.dynamic_slice %x, %at, sizes = [1] : (tensor<3xf64>, tensor<i64>) -> tensor<1xf64>\n"
                  "%q = stablehlo.add %p, %p : tensor<1xf64>\n%back = stablehlo.subtract %one, %at : tensor<i64>\n"
                  "%next = stablehlo.dynamic_update_slice %x, %q, %back : (tensor<3xf64>, tensor<1xf64>, tensor<i64>) "
                  "-> tensor<3xf64>"),
        {numbers(ElementType::kF64, {3}, {1, 2, 5})});
    expect_same(loop("%start: tensor<7x5xf64>", "tensor<7x5xf64>",
                     at + "%p = stablehlo.dynamic_slice %x, %at, %one, sizes = [2, 3] : (tensor<7x5xf64>, tensor<i64>, "
                          "tensor<i64>) -> tensor<2x3xf64>\n"
                          "%q = stablehlo.add %p, %p : tensor<2x3xf64>\n%far = stablehlo.add %at, %one : tensor<i64>\n"
                          "%next = stablehlo.dynamic_update_slice %x, %q, %far, %far : (tensor<7x5xf64>, "
                          "tensor<2x3xf64>, tensor<i64>, tensor<i64>) -> tensor<7x5xf64>"),
                {numbers(ElementType::kF64, {7, 5}, {1, 2, 5, 3, -1, 0.5, 8, -3, 11})});
    expect_same(
        loop("%start: tensor<3x2xf64>, %which: tensor<3xi64>", "tensor<3x2xf64>",
             at + "%b = stablehlo.broadcast_in_dim %at, dims = [] : (tensor<i64>) -> tensor<3xi64>\n"
                  "%k = stablehlo.add %which, %b : tensor<3xi64>\n"
                  "%next = \"stablehlo.gather\"(%x, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                  "collapsed_slice_dims = [0], "
                  "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf64>, "
                  "tensor<3xi64>) -> tensor<3x2xf64>"),
        {numbers(ElementType::kF64, {3, 2}, {1, 2, 5, 3, -1, 0.5}), numbers(ElementType::kI64, {3}, {2, 0, 1})});
  }
}

/// Inner loops of few turns are written out, others stay; branches give elements.
TEST(NativeSmallTensors, LoopsAndBranchesInside) {
  for (const std::string turns : {"0", "1", "8", "9"}) {
    const std::string text =
        loop("%start: tensor<2xf64>", "tensor<2xf64>",
             "%n = stablehlo.constant dense<" + turns +
                 "> : tensor<i64>\n"
                 "%v:2 = stablehlo.while(%k = %zero, %y = %x) : tensor<i64>, tensor<2xf64>\n cond {\n"
                 "  %d = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n  stablehlo.return "
                 "%d : tensor<i1>\n} do {\n"
                 "  %f = stablehlo.convert %k : (tensor<i64>) -> tensor<f64>\n"
                 "  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f64>) -> tensor<2xf64>\n"
                 "  %y2 = stablehlo.subtract %b, %y : tensor<2xf64>\n  %k2 = stablehlo.add %k, %one : tensor<i64>\n"
                 "  stablehlo.return %k2, %y2 : tensor<i64>, tensor<2xf64>\n}\n"
                 "%p = stablehlo.compare EQ, %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
                 "%next = \"stablehlo.if\"(%p) ({\n  %r = stablehlo.reverse %v#1, dims = [0] : tensor<2xf64>\n"
                 "  stablehlo.return %r : tensor<2xf64>\n}, {\n  stablehlo.return %v#1 : tensor<2xf64>\n}) : "
                 "(tensor<i1>) -> tensor<2xf64>");
    expect_same(text, {numbers(ElementType::kF64, {2}, {1.25, -3})});
    EXPECT_EQ(kernels_of(text), 0) << text;
  }
}

TEST(NativeSmallTensors, ThirtySixElementsAreSmallAndOneMoreIsNot) {
  for (const int64_t n : {1, 36, 37}) {
    const std::string type = "tensor<" + std::to_string(n) + "xf64>";
    const std::string text = loop("%start: " + type, type, "%next = stablehlo.subtract %x, %start : " + type);
    expect_same(text, {numbers(ElementType::kF64, {n}, {0.5, -1.5, 1.25})});
    EXPECT_EQ(kernels_of(text), n > 36 ? 1 : 0);
  }
}

/// Sixteen hyperbolic tangents are faster in vectors, and so is a long chain on as many elements.
TEST(NativeSmallTensors, WhatVectorsDoFasterStaysInKernels) {
  const std::string type = "tensor<16xf64>";
  EXPECT_EQ(kernels_of(loop("%start: " + type, type, "%next = stablehlo.tanh %x : " + type)), 1);
  std::string chain, last = "%x";
  for (int i = 0; i < 20; ++i) {
    const std::string name = i < 19 ? "%a" + std::to_string(i) : "%next";
    chain += name + " = stablehlo." + (i % 2 == 0 ? "multiply " : "add ") + last + ", %start : " + type + "\n";
    last = name;
  }
  EXPECT_EQ(kernels_of(loop("%start: " + type, type, chain)), 1);
}

TEST(NativeSmallTensors, ChecksOfEveryElement) {
  const std::string text = loop("%start: tensor<3xi64>", "tensor<3xi64>",
                                "%l = stablehlo.constant dense<12> : tensor<3xi64>\n"
                                "%ok = stablehlo.compare LT, %x, %l : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>\n"
                                "\"weft.check\"(%ok) {message = \"too large\"} : (tensor<3xi1>) -> ()\n"
                                "%next = stablehlo.add %x, %x : tensor<3xi64>");
  expect_same(text, {numbers(ElementType::kI64, {3}, {1, 2, -2})});
  for (const std::vector<double>& bad : {std::vector<double>{3, 0, 0}, {0, 0, 3}})
    EXPECT_THROW(on_both(text, {numbers(ElementType::kI64, {3}, bad)}), UserError);
}

}  // namespace
}  // namespace weft::test
