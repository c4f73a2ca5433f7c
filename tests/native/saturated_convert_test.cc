// Floats as integers in vectors: rounded towards zero, what does not fit becomes the nearest integer that there is, NaN becomes 0.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

template <class From, class To>
void expect(ElementType from, const char* from_name, ElementType to, const char* to_name) {
  // Numbers around each power of two, both signs, with fractions, and what is no number: 129 elements leave a partial vector.
  std::vector<From> x = {std::numeric_limits<From>::quiet_NaN(),
                         std::numeric_limits<From>::infinity(),
                         -std::numeric_limits<From>::infinity(),
                         From(0),
                         -From(0),
                         From(-0.9),
                         From(0.9)};
  for (int e = 0; x.size() < 129; e = (e + 1) % 66) {
    const From p = std::ldexp(From(1), e);
    for (const From v :
         {p, std::nextafter(p, From(0)), p + From(0.75), -p, std::nextafter(-p, From(0)), -p - From(1.5)}) {
      if (x.size() < 129) x.push_back(v);
    }
  }
  for (const bool shifted : {false, true}) {
    if (shifted) {
      for (size_t i = 7; i < x.size(); ++i) x[i] *= std::ldexp(From(1), i % 2 == 0 ? 20 : 41);
    }
    const std::string text = std::string("func.func @main(%x: tensor<129x") + from_name + ">) -> tensor<129x" +
                             to_name + "> {\n  %r = stablehlo.convert %x : (tensor<129x" + from_name +
                             ">) -> tensor<129x" + to_name + ">\n  return %r : tensor<129x" + to_name + ">\n}";
    Tensor in(from, {129});
    std::memcpy(in.raw(), x.data(), in.size_bytes());
    const Tensor got = native_target().compile(parse_module(text, "test"), "main")->run(std::vector<Tensor>{in})[0];
    EXPECT_EQ(got.element_type(), to);
    for (size_t i = 0; i < x.size(); ++i) {
      using Limits = std::numeric_limits<To>;
      const long double whole = std::trunc(static_cast<long double>(x[i]));
      const To want = std::isnan(x[i])                                   ? To(0)
                      : whole <= static_cast<long double>(Limits::min()) ? Limits::min()
                      : whole >= static_cast<long double>(Limits::max()) ? Limits::max()
                                                                         : static_cast<To>(whole);
      EXPECT_EQ(static_cast<const To*>(got.raw())[i], want) << from_name << " " << x[i] << " to " << to_name;
    }
  }
}

template <class From>
void expect_all(ElementType from, const char* name) {
  expect<From, int8_t>(from, name, ElementType::kI8, "i8");
  expect<From, uint8_t>(from, name, ElementType::kU8, "ui8");
  expect<From, int16_t>(from, name, ElementType::kI16, "i16");
  expect<From, uint16_t>(from, name, ElementType::kU16, "ui16");
  expect<From, int32_t>(from, name, ElementType::kI32, "i32");
  expect<From, uint32_t>(from, name, ElementType::kU32, "ui32");
  expect<From, int64_t>(from, name, ElementType::kI64, "i64");
  expect<From, uint64_t>(from, name, ElementType::kU64, "ui64");
}

TEST(SaturatedConvert, FromF32) { expect_all<float>(ElementType::kF32, "f32"); }
TEST(SaturatedConvert, FromF64) { expect_all<double>(ElementType::kF64, "f64"); }

}  // namespace
}  // namespace weft
