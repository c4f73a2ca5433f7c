// Code generation on several threads: the same bytes as on one.
#include <gtest/gtest.h>

#include <thread>

#include "native/compile.h"
#include "native/native_target.h"
#include "text/parse.h"

namespace weft::test {
namespace {

/// A program of so many kernels that none is like another.
std::string kernels(int count) {
  std::string text = "func.func @main(%x: tensor<64xf32>) -> (tensor<f32>";
  for (int i = 1; i < count; ++i) text += ", tensor<f32>";
  text += ") {\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n";
  std::string results, types;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), to = std::to_string(i + 2);
    text += "  %s" + n + " = stablehlo.slice %x [1:" + to + "] : (tensor<64xf32>) -> tensor<" + std::to_string(i + 1) +
            "xf32>\n  %r" + n + " = stablehlo.reduce(%s" + n +
            " init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<" + std::to_string(i + 1) +
            "xf32>, tensor<f32>) -> tensor<f32>\n";
    results += (i == 0 ? "%r" : ", %r") + n;
    types += i == 0 ? "tensor<f32>" : ", tensor<f32>";
  }
  return text + "  return " + results + " : " + types + "\n}\n";
}

TEST(CodeGeneration, BytesDoNotDependOnTheNumberOfThreads) {
  const auto module = parse_module(kernels(30), "test");
  codegen::KernelOptions kernel_options;
  CompileOptions options;
  options.cache = "off";
  options.compile_threads = 1;
  const auto one = native::compile_program(*module, "main", options, kernel_options, "weft_entry").objects;
  EXPECT_GT(one.size(), 2U);  // several modules, of which threads could take one each
  for (int threads : {2, 5}) {
    options.compile_threads = threads;
    EXPECT_EQ(native::compile_program(*module, "main", options, kernel_options, "weft_entry").objects, one) << threads;
  }
}

TEST(CodeGeneration, ProgramsAreCompiledAtTheSameTime) {
  std::vector<std::thread> threads;
  std::vector<float> got(4);
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([&got, i] {
      CompileOptions options;
      options.compile_threads = 2;
      const int count = 20 + static_cast<int>(i);
      const auto program = native_target().compile(parse_module(kernels(count), "test"), "main", options);
      Tensor x(ElementType::kF32, {64});
      for (int k = 0; k < 64; ++k) x.mutable_data<float>()[k] = 1;
      got[i] = program->run(std::vector<Tensor>{x}).back().scalar<float>();
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], 20 + static_cast<float>(i));
}

}  // namespace
}  // namespace weft::test
