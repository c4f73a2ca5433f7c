// Loops over lanes whose condition and body sum alike: the sums are carried, so both see the same bits.
#include "transform/loop_conditions.h"

#include <gtest/gtest.h>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ops/record.h"
#include "text/parse.h"
#include "transform/simplify.h"

namespace weft {
namespace {

/// Lanes of three numbers are halved as long as the sum of their squares exceeds 1; each lane has its own trip count.
const char* const kHalving = R"(
func.func @main(%x: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %0:2 = stablehlo.while(%v = %x, %n = %zero) : tensor<4x3xf64>, tensor<4xi32>
  cond {
    %s = stablehlo.multiply %v, %v : tensor<4x3xf64>
    %z = stablehlo.constant dense<0.0> : tensor<f64>
    %sum = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %one = stablehlo.constant dense<1.0> : tensor<4xf64>
    %p = stablehlo.compare GT, %sum, %one : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %f = stablehlo.constant dense<false> : tensor<i1>
    %any = stablehlo.reduce(%p init: %f) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %any : tensor<i1>
  } do {
    %half = stablehlo.constant dense<0.5> : tensor<4x3xf64>
    %h = stablehlo.multiply %v, %half : tensor<4x3xf64>
    %i = stablehlo.constant dense<1> : tensor<4xi32>
    %m = stablehlo.add %n, %i : tensor<4xi32>
    %s = stablehlo.multiply %v, %v : tensor<4x3xf64>
    %z = stablehlo.constant dense<0.0> : tensor<f64>
    %sum = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %one = stablehlo.constant dense<1.0> : tensor<4xf64>
    %p = stablehlo.compare GT, %sum, %one : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %q = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<4xi1>) -> tensor<4x3xi1>
    %w = stablehlo.select %q, %h, %v : tensor<4x3xi1>, tensor<4x3xf64>
    %k = stablehlo.select %p, %m, %n : tensor<4xi1>, tensor<4xi32>
    stablehlo.return %w, %k : tensor<4x3xf64>, tensor<4xi32>
  }
  return %0#0, %0#1 : tensor<4x3xf64>, tensor<4xi32>
})";

size_t float_sums(const Function& f, RegionId region) {
  size_t n = 0;
  for (OpId op : f.ops(region))
    n += f.def(op).mnemonic == "stablehlo.reduce" && f.type(f.result(op)).element_type() == ElementType::kF64;
  return n;
}

TEST(LoopConditions, SumsOfTheConditionAndTheBodyAreCarried) {
  auto module = parse_module(kHalving, "halving.mlir");
  const Tensor x = Tensor::of<double>({3, 4, 12, 0.1, 0.2, 0.3, 1, 0, 0, 100, 0, 7}, {4, 3});
  // 13 > 1: halved four times, |x| = 13/16; 0.14 and exactly 1 stay; 100.2 is halved seven times.
  const std::vector<int32_t> trips = {4, 0, 0, 7};
  const auto shared = share_conditions(module->get("main"));
  ASSERT_NE(shared, nullptr);
  const auto f = simplify(*shared, nullptr);
  size_t loops = 0;
  for (OpId op : f->ops(f->body())) {
    if (f->def(op).mnemonic != "stablehlo.while") continue;
    ++loops;
    EXPECT_EQ(float_sums(*f, f->regions(op)[0]), 0u);
    EXPECT_EQ(float_sums(*f, f->regions(op)[1]), 1u);
  }
  EXPECT_EQ(loops, 1u);
  Module other;
  other.add(clone_function(*f, "main"));
  verify(other);
  for (const Module* m : {module.get(), &other}) {
    const auto got = evaluate(*m, "main", std::vector<Tensor>{x});
    EXPECT_EQ(std::vector<int32_t>(got[1].data<int32_t>().begin(), got[1].data<int32_t>().end()), trips);
    EXPECT_EQ(got[0].data<double>()[0], 3.0 / 16);
    EXPECT_EQ(got[0].data<double>()[9], 100.0 / 128);
    EXPECT_EQ(got[0].data<double>()[6], 1);
  }
}

TEST(LoopConditions, WhatOnlyTheConditionSumsStays) {
  const std::string text = R"(
func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = stablehlo.while(%v = %x) : tensor<3xf64>
  cond {
    %z = stablehlo.constant dense<0.0> : tensor<f64>
    %sum = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %p = stablehlo.compare GT, %sum, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %h = stablehlo.multiply %v, %v : tensor<3xf64>
    stablehlo.return %h : tensor<3xf64>
  }
  return %0 : tensor<3xf64>
})";
  auto module = parse_module(text, "sum.mlir");
  EXPECT_EQ(share_conditions(module->get("main")), nullptr);
}

}  // namespace
}  // namespace weft
