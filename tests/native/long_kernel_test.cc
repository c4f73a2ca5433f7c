// Kernels of many mathematical functions: their code grows with the number of different functions, and gives the same bits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>

#include "ir/target.h"
#include "native/compile.h"
#include "tests/native/on_both.h"
#include "text/parse.h"

namespace weft::test {
namespace {

constexpr std::array kFunctions = {"sine", "exponential", "tanh", "cosine", "log_plus_one", "logistic", "sqrt"};

/// `rounds` times all functions, one after the other.
std::string chain(int rounds, const std::string& element, int64_t elements) {
  const std::string type =
      elements == 0 ? "tensor<" + element + ">" : "tensor<" + std::to_string(elements) + "x" + element + ">";
  std::string text = "func.func @main(%v0: " + type + ") -> " + type + " {\n";
  int n = 0;
  for (int r = 0; r < rounds; ++r) {
    for (const char* f : kFunctions) {
      text += "  %v" + std::to_string(n + 1) + " = stablehlo." + f + " %v" + std::to_string(n) + " : " + type + "\n";
      ++n;
    }
  }
  return text + "  return %v" + std::to_string(n) + " : " + type + "\n}\n";
}

size_t code_bytes(const std::string& text) {
  CompileOptions options;
  options.cache = "off";
  const auto module = parse_module(text, "test");
  size_t bytes = 0;
  for (const auto& object : native::compile_program(*module, "main", options, {}, "weft_entry").objects)
    bytes += object.size();
  return bytes;
}

TEST(LongKernels, CodeDoesNotRepeatFunctions) {
  for (const char* element : {"f32", "f64", "bf16", "f8E4M3FN"}) {
    // Twelve times the ops: calls, and spilled registers around them.
    EXPECT_LT(code_bytes(chain(36, element, 4096)), 4 * code_bytes(chain(3, element, 4096))) << element;
  }
}

TEST(LongKernels, CodeOfTheEntryDoesNotRepeatFunctions) {
  EXPECT_LT(code_bytes(chain(60, "f32", 0)), 3 * code_bytes(chain(10, "f32", 0)));
}

std::vector<Tensor> natively(const std::string& text, const Tensor& x) {
  return get_target("native").compile(parse_module(text, "test"), "main", {})->run({{x}});
}

void expect_as_rounds(Tensor x, const std::string& element) {
  const int64_t n = x.shape().empty() ? 0 : x.shape()[0];
  constexpr int kRounds = 16;
  const Tensor once = natively(chain(kRounds, element, n), x)[0];
  const auto round = get_target("native").compile(parse_module(chain(1, element, n), "test"), "main", {});
  for (int r = 0; r < kRounds; ++r) x = round->run({{x}})[0];
  expect_same_bits(once, x, element);
}

template <class T>
Tensor numbers(ElementType t, std::vector<int64_t> shape, int64_t count) {
  Tensor x(t, std::move(shape));
  for (int64_t i = 0; i < count; ++i) x.mutable_data<T>()[i] = T(std::sin(static_cast<double>(i) * 0.37) * 5);
  return x;
}

TEST(LongKernels, GiveWhatTheirPartsGive) {
  expect_as_rounds(numbers<float>(ElementType::kF32, {301}, 301), "f32");
  expect_as_rounds(numbers<double>(ElementType::kF64, {301}, 301), "f64");
  expect_as_rounds(numbers<std::complex<float>>(ElementType::kC64, {301}, 301), "complex<f32>");
  expect_as_rounds(numbers<double>(ElementType::kF64, {}, 1), "f64");
  Tensor half(ElementType::kBF16, {64});
  for (int i = 0; i < 64; ++i) {
    const auto bits = static_cast<uint16_t>(0x3e00 + 4 * i);
    std::memcpy(static_cast<std::byte*>(half.raw()) + 2 * i, &bits, 2);
  }
  expect_as_rounds(half, "bf16");
}

}  // namespace
}  // namespace weft::test
