// Bits depend on the partitions that a program was compiled for, never on the threads that run it.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "native/aot_runtime/weft_rt.h"
#include "native/native_target.h"
#include "text/parse.h"

extern "C" void omp_set_num_threads(int threads);  // what OMP_NUM_THREADS sets

namespace weft {
namespace {

const char* const kPrograms[] = {
    // A product and its reduction; a convolution; softmax; a sort; a sum of everything; sums by places; a running sum.
    R"(func.func @main(%a: tensor<300x257xf32>) -> tensor<300xf32> {
  %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<300x257xf32>, tensor<300x257xf32>) -> tensor<300x300xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300x300xf32>, tensor<f32>) -> tensor<300xf32>
  return %s : tensor<300xf32>
})",
    R"(func.func @main(%a: tensor<4x30x30x16xf32>, %w: tensor<3x3x16x24xf32>) -> tensor<4x28x28x24xf32> {
  %r = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x30x30x16xf32>, tensor<3x3x16x24xf32>) -> tensor<4x28x28x24xf32>
  return %r : tensor<4x28x28x24xf32>
})",
    R"(func.func @main(%a: tensor<500x300xf32>) -> tensor<500x300xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %a : tensor<500x300xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<500x300xf32>, tensor<f32>) -> tensor<500xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<500xf32>) -> tensor<500x300xf32>
  %r = stablehlo.divide %e, %b : tensor<500x300xf32>
  return %r : tensor<500x300xf32>
})",
    R"(func.func @main(%a: tensor<700000xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<700000xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
})",
    R"(func.func @main(%a: tensor<100000xf32>) -> tensor<100000xf32> {
  %r = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<100000xf32>) -> tensor<100000xf32>
  return %r : tensor<100000xf32>
})",
    R"(func.func @main(%a: tensor<300000xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<100xf32>
  %scale = stablehlo.constant dense<40.0> : tensor<300000xf32>
  %s = stablehlo.multiply %a, %scale : tensor<300000xf32>
  %i = stablehlo.convert %s : (tensor<300000xf32>) -> tensor<300000xi32>
  %j = stablehlo.reshape %i : (tensor<300000xi32>) -> tensor<300000x1xi32>
  %r = "stablehlo.scatter"(%zero, %j, %a) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<100xf32>, tensor<300000x1xi32>, tensor<300000xf32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
})",
    R"(func.func @main(%a: tensor<300000xf32>) -> tensor<300000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 300000>, padding = dense<[[299999, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<300000xf32>, tensor<f32>) -> tensor<300000xf32>
  return %r : tensor<300000xf32>
})"};

TEST(ThreadCount, LeavesTheBitsAlone) {
  std::mt19937 random(3);
  for (const char* text : kPrograms) {
    const std::shared_ptr<const Module> module = parse_module(text, "test.mlir");
    std::vector<Tensor> args;
    for (Type t : module->get("main").arg_types()) {
      Tensor& a = args.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
      std::generate_n(a.mutable_data<float>(), a.size(), [&] { return std::normal_distribution<float>()(random); });
    }
    for (const bool no_libraries : {false, true}) {
      CompileOptions options;
      options.partitions = 3;
      options.no_libraries = no_libraries;
      std::vector<Tensor> first;
      for (const int threads : {1, 2, 3}) {
        weft_rt_set_thread_count(threads);
        omp_set_num_threads(threads);
        // Compiled anew: what a library prepares may depend on the threads that it finds.
        const std::vector<Tensor> got = native_target().compile(module, "main", options)->run(args);
        if (first.empty()) first = got;
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(std::memcmp(got[i].raw(), first[i].raw(), got[i].size_bytes()), 0)
              << threads << " threads" << (no_libraries ? ", no libraries\n" : "\n") << text;
        }
      }
    }
  }
  weft_rt_set_thread_count(0);
}

}  // namespace
}  // namespace weft
