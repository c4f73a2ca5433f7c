// Constants are read and written to the bit. Expected bits come from IEEE 754 and the formats' definitions, not from our printer.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "base/float_format.h"
#include "text/parse.h"
#include "text/print.h"

namespace weft {
namespace {

Literal constant(const std::string& dense, const std::string& type) {
  const auto module = parse_module("func.func @f() -> " + type + " {\n  %0 = stablehlo.constant " + dense + " : " +
                                       type + "\n  return %0 : " + type + "\n}\n",
                                   "c.mlir");
  const Function& f = module->get("f");
  return f.attrs(f.ops(f.body())[0]).literal("value");
}

uint64_t bits(const Literal& l, int64_t i = 0) {
  uint64_t b = 0;
  std::memcpy(&b, l.element(i), byte_size(l.type.element_type()));
  return b;
}

struct Element {
  const char* type;
  const char* text;
  uint64_t bits;
};
const Element kElements[] = {
    {"f32", "1.0", 0x3f800000},
    {"f32", "-0.0", 0x80000000},
    {"f32", "0x7FC00001", 0x7fc00001},
    {"f32", "0xFF800000", 0xff800000},
    {"f32", "1.0e-45", 0x00000001},
    {"f32", "1.0e+39", 0x7f800000},
    {"f32", "3.4028234663852886e+38", 0x7f7fffff},
    {"f64", "0.1", 0x3fb999999999999a},
    {"f64", "0x7FF0000000000001", 0x7ff0000000000001},
    {"f64", "4.9406564584124654e-324", 0x1},
    {"f16", "65504.0", 0x7bff},
    {"f16", "65520.0", 0x7c00},        // the midpoint past the largest half rounds to infinity
    {"f16", "1.00048828125", 0x3c00},  // a tie goes to even
    {"f16", "1.00048828125000001", 0x3c00},
    {"f16", "1.0005", 0x3c01},
    {"bf16", "1.00390625", 0x3f80},  // a tie goes to even
    {"bf16", "1.01171875", 0x3f82},
    {"f8E4M3FN", "448.0", 0x7e},
    {"f8E4M3FN", "1.0e3", 0x7f},        // no infinity: NaN
    {"f8E4M3FN", "0.001953125", 0x01},  // the smallest subnormal
    {"f8E5M2", "57344.0", 0x7b},
    {"f8E4M3FNUZ", "-0.0", 0x00},
    {"f4E2M1FN", "6.0", 0x7},
    {"f4E2M1FN", "2.5", 0x4},  // a tie between 2 and 3 goes to 2
    {"f8E8M0FNU", "8.0", 0x82},
    {"i1", "true", 1},
    {"i4", "-8", 0xf8},
    {"ui4", "15", 15},
    {"i8", "-128", 0x80},
    {"i8", "0xFF", 0xff},
    {"ui8", "255", 255},
    {"i32", "-1", 0xffffffff},
    {"i64", "-9223372036854775808", 0x8000000000000000},
    {"ui64", "18446744073709551615", 0xffffffffffffffff},
};

TEST(Constants, ElementsHaveTheirBits) {
  for (const Element& e : kElements) {
    const std::string type = "tensor<" + std::string(e.type) + ">";
    const Literal l = constant("dense<" + std::string(e.text) + ">", type);
    EXPECT_EQ(bits(l), e.bits) << e.type << " " << e.text;
    // What is printed reads as the same bits.
    EXPECT_EQ(bits(constant("dense<" + print_element(l.type.element_type(), l.element(0)) + ">", type)), e.bits)
        << e.type << " " << e.text;
  }
}

TEST(Constants, EveryPatternOfASmallFloatSurvivesPrinting) {
  for (const char* name : {"f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ",
                           "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f16", "bf16"}) {
    const ElementType type = *element_type_from_name(name);
    for (uint64_t b = 0; b < uint64_t{1} << bit_width(type); b += bit_width(type) == 16 ? 7 : 1) {
      const std::string text = print_element(type, &b);
      ASSERT_EQ(bits(constant("dense<" + text + ">", "tensor<" + std::string(name) + ">")), b) << name << " " << text;
    }
  }
}

TEST(Constants, SmallFloatsRoundToNearestEven) {
  // Halfway between neighbours goes to the even pattern; a little above goes up, a little below down.
  for (const char* name : {"f4E2M1FN", "f6E2M3FN", "f8E4M3FN", "f8E5M2", "f16", "bf16"}) {
    const ElementType type = *element_type_from_name(name);
    for (uint64_t b = 0; b < (bit_width(type) == 16 ? 2000u : 5u); ++b) {
      const double low = decode_float(type, b), high = decode_float(type, b + 1), middle = (low + high) / 2;
      EXPECT_EQ(encode_float(type, middle), b % 2 == 0 ? b : b + 1) << name << " " << b;
      EXPECT_EQ(encode_float(type, std::nextafter(middle, high)), b + 1) << name << " " << b;
      EXPECT_EQ(encode_float(type, std::nextafter(middle, low)), b) << name << " " << b;
    }
  }
}

TEST(Constants, HexHoldsLittleEndianElements) {
  const Literal l = constant("dense<\"0x0000803F000000C0\">", "tensor<2xf32>");
  EXPECT_EQ(l.elements.data<float>()[0], 1.0f);
  EXPECT_EQ(l.elements.data<float>()[1], -2.0f);
  const Literal splat = constant("dense<\"0x0000803F\">", "tensor<4xf32>");
  EXPECT_TRUE(splat.splat);
  EXPECT_EQ(bits(splat), 0x3f800000u);
  const Literal packed = constant("dense<\"0x0501\">", "tensor<9xi1>");
  const bool expected[] = {true, false, true, false, false, false, false, false, true};
  for (int64_t i = 0; i < 9; ++i) EXPECT_EQ(bits(packed, i), expected[i] ? 1u : 0u) << i;
}

TEST(Constants, ComplexAndEmpty) {
  const Literal c = constant("dense<[(1.0, -2.0), (0.0, 3.0)]>", "tensor<2xcomplex<f32>>");
  EXPECT_EQ(c.elements.data<std::complex<float>>()[0], std::complex<float>(1, -2));
  EXPECT_EQ(c.elements.data<std::complex<float>>()[1], std::complex<float>(0, 3));
  for (const char* text : {"dense<>", "dense<[]>", "dense<1.0>"}) {
    const Literal e = constant(text, "tensor<0xf32>");
    EXPECT_EQ(e.elements.size(), 0) << text;
    EXPECT_EQ(print_literal(e), "dense<> : tensor<0xf32>");
  }
}

TEST(Constants, LargeOnesPrintInHexAndReadBack) {
  std::string list;
  for (int i = 0; i < 1000; ++i) list += (i ? ", " : "") + std::to_string(i * 7 - 3000);
  const Literal l = constant("dense<[" + list + "]>", "tensor<1000xi32>");
  const std::string printed = print_literal(l);
  EXPECT_EQ(printed.substr(0, 9), "dense<\"0x");
  const Literal back = constant(printed.substr(0, printed.find(" : ")), "tensor<1000xi32>");
  EXPECT_TRUE(back == l);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(l.elements.data<int32_t>()[static_cast<size_t>(i)], i * 7 - 3000);
}

}  // namespace
}  // namespace weft
