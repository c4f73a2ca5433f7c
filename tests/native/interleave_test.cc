// Reads whose places along the vector are quotients: interior padding and repeated elements, bit by bit against the evaluator.
#include <gtest/gtest.h>

#include <string>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

std::string tensor(int64_t n, const std::string& element) {
  return "tensor<" + std::to_string(n) + "x" + element + ">";
}

/// 0, 1, 2, … modulo a prime.
Tensor numbers(ElementType t, const Shape& shape) {
  Tensor x(t, shape);
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t v = i % 97;
    switch (t) {
      case ElementType::kF32: x.mutable_data<float>()[i] = static_cast<float>(v) + 0.5f; break;
      case ElementType::kF64: x.mutable_data<double>()[i] = static_cast<double>(v) + 0.25; break;
      default: x.mutable_data<int8_t>()[i] = static_cast<int8_t>(v); break;
    }
  }
  return x;
}

struct Element {
  ElementType type;
  const char* text;
  const char* zero;
};
const Element kElements[] = {
    {ElementType::kF32, "f32", "7.0"}, {ElementType::kF64, "f64", "7.0"}, {ElementType::kI8, "i8", "7"}};

TEST(Interleave, InteriorPadding) {
  for (const Element& e : kElements) {
    for (int64_t n : {5, 64, 1000, 40001}) {
      for (int64_t interior : {1, 2, 3, 7}) {
        for (int64_t low : {int64_t{0}, int64_t{1}, interior + 2, int64_t{-3}}) {
          const int64_t size = low + 2 + (n - 1) * (interior + 1) + 1;
          const std::string out = tensor(size, e.text), in = tensor(n, e.text);
          const std::string text = "func.func @main(%x: " + in + ") -> " + out +
                                   " {\n  %z = stablehlo.constant dense<" + e.zero + "> : tensor<" + e.text +
                                   ">\n  %y = stablehlo.pad %x, %z, low = [" + std::to_string(low) +
                                   "], high = [2], interior = [" + std::to_string(interior) + "] : (" + in +
                                   ", tensor<" + e.text + ">) -> " + out + "\n  return %y : " + out + "\n}\n";
          const OnBoth got = on_both(text, {numbers(e.type, {n})});
          expect_same_bits(got.native[0], got.eval[0], text);
        }
      }
    }
  }
}

TEST(Interleave, RepeatedElements) {
  for (const Element& e : kElements) {
    for (int64_t repeats : {2, 3, 8, 64, 128, 100}) {
      for (int64_t n : {9, 1024, 3001}) {
        const std::string in = tensor(n, e.text), out = tensor(n * repeats, e.text);
        const std::string wide = "tensor<" + std::to_string(n) + "x" + std::to_string(repeats) + "x" + e.text + ">";
        const std::string text = "func.func @main(%x: " + in + ", %w: " + out + ") -> " + out +
                                 " {\n  %b = stablehlo.broadcast_in_dim %x, dims = [0] : (" + in + ") -> " + wide +
                                 "\n  %r = stablehlo.reshape %b : (" + wide + ") -> " + out +
                                 "\n  %y = stablehlo.add %r, %w : " + out + "\n  return %y : " + out + "\n}\n";
        const OnBoth got = on_both(text, {numbers(e.type, {n}), numbers(e.type, {n * repeats})});
        expect_same_bits(got.native[0], got.eval[0], text);
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
