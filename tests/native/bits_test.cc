// bitcast_convert natively between widths, sub-byte and complex elements included: against memcpy where elements are whole bytes, and
// the evaluator elsewhere.
#include <complex>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

std::string cast(const std::string& from, const std::string& to) {
  return "func.func @main(%a: " + from + ") -> " + to + " {\n  %0 = stablehlo.bitcast_convert %a : (" + from + ") -> " +
         to + "\n  return %0 : " + to + "\n}";
}

TEST(NativeBits, ComplexNumbersKeepTheirBytes) {
  const Tensor wide = Tensor::of<std::complex<double>>({{1.5, -2.25}, {1e300, -0.0}, {3, 4}}, {3});
  const OnBoth split = on_both(cast("tensor<3xcomplex<f64>>", "tensor<3x2xcomplex<f32>>"), {wide});
  EXPECT_EQ(0, std::memcmp(split.native[0].raw(), wide.raw(), wide.size_bytes()));
  const OnBoth joined = on_both(cast("tensor<3x2xcomplex<f32>>", "tensor<3xcomplex<f64>>"), {split.native[0]});
  EXPECT_EQ(0, std::memcmp(joined.native[0].raw(), wide.raw(), wide.size_bytes()));
}

TEST(NativeBits, BooleansAndNibbles) {
  std::vector<uint16_t> numbers = {0x8001, 0xbeef, 0, 0xffff};
  const Tensor words = Tensor::of(numbers, {4});
  const OnBoth bits = on_both(cast("tensor<4xui16>", "tensor<4x16xi1>"), {words});
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(bits.native[0].data<bool>()[i], (numbers[i / 16] >> (i % 16) & 1) != 0) << i;
  const OnBoth back = on_both(cast("tensor<4x16xi1>", "tensor<4xui16>"), {bits.native[0]});
  expect_same_bits(back.native[0], words, "booleans to words");
  for (const std::string nibble : {"i4", "ui4"}) {
    const OnBoth r = on_both(cast("tensor<4xui16>", "tensor<4x4x" + nibble + ">"), {words});
    expect_same_bits(r.native[0], r.eval[0], "words to " + nibble);
    const OnBoth j = on_both(cast("tensor<4x4x" + nibble + ">", "tensor<4xui16>"), {r.eval[0]});
    expect_same_bits(j.native[0], words, nibble + " to words");
  }
  const OnBoth none = on_both(cast("tensor<0x2xui8>", "tensor<0xi16>"), {Tensor::of<uint8_t>({}, {0, 2})});
  EXPECT_EQ(none.native[0].size(), 0);
}

}  // namespace
}  // namespace weft::test
