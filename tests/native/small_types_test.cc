// Elements of one byte and less, natively: every op on every pattern, against the evaluator.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/float_format.h"
#include "eval/evaluator.h"
#include "ir/target.h"
#include "text/parse.h"

namespace weft::test {
namespace {

using enum ElementType;

constexpr ElementType kFloats[] = {kF4E2M1FN,   kF6E2M3FN,      kF6E3M2FN, kF8E3M4,     kF8E4M3,   kF8E4M3FN,
                                   kF8E4M3FNUZ, kF8E4M3B11FNUZ, kF8E5M2,   kF8E5M2FNUZ, kF8E8M0FNU};
constexpr ElementType kIntegers[] = {kI2, kU2, kI4, kU4};

/// Every pattern of a type.
Tensor patterns(ElementType t) {
  const int64_t n = int64_t{1} << bit_width(t);
  Tensor out = Tensor::zeros(t, {n});
  for (int64_t i = 0; i < n; ++i) {
    auto byte = static_cast<uint8_t>(i);
    if (is_signed_integer(t) && i >= n / 2) byte = static_cast<uint8_t>(i - n);
    static_cast<uint8_t*>(out.raw())[i] = byte;
  }
  return out;
}

bool is_nan(ElementType t, const Tensor& x, int64_t i) {
  return is_small_float(t) && std::isnan(decode_float(t, static_cast<const uint8_t*>(x.raw())[i]));
}

/// `steps`: how far results may lie apart in the order of patterns.
void expect_same(const Tensor& got, const Tensor& want, bool exact, int steps, const std::string& text) {
  ASSERT_EQ(got.shape(), want.shape()) << text;
  ASSERT_EQ(got.element_type(), want.element_type()) << text;
  const size_t bytes = byte_size(want.element_type());
  for (int64_t i = 0; i < want.size(); ++i) {
    const size_t at = static_cast<size_t>(i) * bytes;
    const auto* g = static_cast<const uint8_t*>(got.raw()) + at;
    const auto* w = static_cast<const uint8_t*>(want.raw()) + at;
    if (std::memcmp(g, w, bytes) == 0) continue;
    const ElementType t = want.element_type();
    if (!exact && is_nan(t, got, i) && is_nan(t, want, i)) continue;
    if ((t == kF16 || t == kBF16) && std::isnan(decode_float(t, *reinterpret_cast<const uint16_t*>(g))) &&
        std::isnan(decode_float(t, *reinterpret_cast<const uint16_t*>(w))))
      continue;
    if (t == kF32 && std::isnan(got.data<float>()[static_cast<size_t>(i)]) &&
        std::isnan(want.data<float>()[static_cast<size_t>(i)]))
      continue;
    if (t == kF64 && std::isnan(got.data<double>()[static_cast<size_t>(i)]) &&
        std::isnan(want.data<double>()[static_cast<size_t>(i)]))
      continue;
    if (bytes == 1 && std::abs(*g - *w) <= steps) continue;
    if (t == kF8E8M0FNU && steps > 0 && *g % 255 == 0 && *w % 255 == 0) continue;  // below the smallest comes NaN
    FAIL() << text << "element " << i << " of " << want.size() << ": got " << int(*g) << ", expected " << int(*w);
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Runs `body`, in which T is the element type and N the number of its patterns, on all patterns.
void check(ElementType t, const std::string& result, const std::string& body, bool exact = false, int steps = 0) {
  const Tensor x = patterns(t);
  std::string text =
      "func.func @main(%x: tensor<NxT>) -> " + result + " {\n" + body + "  return %r : " + result + "\n}\n";
  text = replaced(replaced(text, "xT>", "x" + std::string(name(t)) + ">"), "<T>", "<" + std::string(name(t)) + ">");
  text = replaced(replaced(text, "NxN", std::to_string(x.size()) + "x" + std::to_string(x.size())), "<Nx",
                  "<" + std::to_string(x.size()) + "x");
  const std::shared_ptr<const Module> module = parse_module(text, "test");
  const std::vector<Tensor> want = evaluate(*module, "main", std::vector<Tensor>{x});
  const std::vector<Tensor> got = get_target("native").compile(module, "main")->run(std::vector<Tensor>{x});
  expect_same(got[0], want[0], exact, steps, text);
}

const char kPairs[] =
    "  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<NxT>) -> tensor<NxNxT>\n"
    "  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<NxT>) -> tensor<NxNxT>\n";

TEST(SmallFloatsNatively, AreMovedBitByBit) {
  for (ElementType t : kFloats) {
    SCOPED_TRACE(name(t));
    check(t, "tensor<NxT>", "  %r = stablehlo.reverse %x, dims = [0] : tensor<NxT>\n", true);
    check(t, "tensor<NxNxT>", "  %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<NxT>) -> tensor<NxNxT>\n",
          true);
  }
}

TEST(SmallFloatsNatively, ConvertToEveryTypeAndBack) {
  for (ElementType t : kFloats) {
    SCOPED_TRACE(name(t));
    for (ElementType u : {kI1, kI8, kU8, kI32, kU64, kI64, kF16, kBF16, kF32, kF64, kF8E4M3FN, kF8E5M2FNUZ, kF4E2M1FN,
                          kF8E8M0FNU, kI4, kU2}) {
      const std::string to(name(u));
      check(t, "tensor<NxT>",
            "  %c = stablehlo.convert %x : (tensor<NxT>) -> tensor<Nx" + to +
                ">\n  %r = stablehlo.convert %c : (tensor<Nx" + to + ">) -> tensor<NxT>\n");
      check(t, "tensor<Nx" + to + ">", "  %r = stablehlo.convert %x : (tensor<NxT>) -> tensor<Nx" + to + ">\n");
    }
  }
}

TEST(SmallFloatsNatively, RoundWideNumbersOnce) {
  // Numbers next to the middle of two neighbours: through f32 they would fall onto it.
  for (ElementType t : kFloats) {
    for (const char* wide : {"f64", "i64", "ui64", "i32"}) {
      const bool is_real = wide[0] == 'f';
      std::string text = std::string("func.func @main(%x: tensor<6x") + wide + ">) -> tensor<6x" +
                         std::string(name(t)) + "> {\n  %r = stablehlo.convert %x : (tensor<6x" + wide +
                         ">) -> tensor<6x" + std::string(name(t)) + ">\n  return %r : tensor<6x" +
                         std::string(name(t)) + ">\n}\n";
      const std::shared_ptr<const Module> module = parse_module(text, "test");
      const auto compare = [&](const Tensor& x) {
        expect_same(get_target("native").compile(module, "main")->run(std::vector<Tensor>{x})[0],
                    evaluate(*module, "main", std::vector<Tensor>{x})[0], false, 0, text);
      };
      if (is_real) {
        for (double step : {0.125, 0.0625, 0.03125, 0.25, 0.5}) {
          const double nudge = 0x1p-40;
          compare(Tensor::of<double>({1 + step / 2, 1 + step / 2 + nudge, 1 + step / 2 - nudge, -1 - 1.5 * step - nudge,
                                      -1 - 1.5 * step, -1 - 1.5 * step + nudge},
                                     {6}));
        }
      } else if (std::string(wide) == "i32") {
        compare(Tensor::of<int32_t>({0x7fffffff, 0x48000001, 0x48000000, -0x48000001, -0x47ffffff, 1}, {6}));
        compare(Tensor::of<int32_t>({0x6800, 0x6801, 0x67ff, -0x6801, -0x7801, 0x7801}, {6}));
      } else if (std::string(wide) == "i64") {
        const int64_t big = 0x4800000000000000;
        compare(Tensor::of<int64_t>({big, big + 1, big - 1, -big - 1, -big + 1, INT64_MIN}, {6}));
      } else {
        const uint64_t big = 0x9000000000000000u;
        compare(Tensor::of<uint64_t>({big, big + 1, big - 1, ~uint64_t{0}, 3, 0}, {6}));
      }
    }
  }
}

TEST(SmallFloatsNatively, ArithmeticOnAllPairsIsExact) {
  for (ElementType t : kFloats) {
    SCOPED_TRACE(name(t));
    for (const char* op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum"}) {
      check(t, "tensor<NxNxT>", kPairs + std::string("  %r = stablehlo.") + op + " %a, %b : tensor<NxNxT>\n");
    }
    for (const char* direction : {"EQ", "NE", "LT", "GE"}) {
      check(t, "tensor<NxNxi1>",
            kPairs + std::string("  %r = stablehlo.compare ") + direction +
                ", %a, %b : (tensor<NxNxT>, tensor<NxNxT>) -> tensor<NxNxi1>\n");
    }
  }
}

TEST(SmallFloatsNatively, ExactFunctionsOfAllPatterns) {
  for (ElementType t : kFloats) {
    SCOPED_TRACE(name(t));
    for (const char* op :
         {"abs", "negate", "sign", "ceil", "floor", "round_nearest_even", "round_nearest_afz", "sqrt"}) {
      check(t, "tensor<NxT>", std::string("  %r = stablehlo.") + op + " %x : tensor<NxT>\n");
    }
    check(t, "tensor<Nxi1>", "  %r = stablehlo.is_finite %x : (tensor<NxT>) -> tensor<Nxi1>\n");
    check(t, "tensor<NxT>", "  %r = stablehlo.reduce_precision %x, format = e2m1 : tensor<NxT>\n");
  }
}

TEST(SmallFloatsNatively, FunctionsOfAllPatternsRoundAlike) {
  for (ElementType t : kFloats) {
    SCOPED_TRACE(name(t));
    for (const char* op : {"exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh", "sine",
                           "cosine", "tan", "cbrt", "rsqrt"}) {
      check(t, "tensor<NxT>", std::string("  %r = stablehlo.") + op + " %x : tensor<NxT>\n");
    }
    for (const char* op : {"power", "atan2"}) {
      check(t, "tensor<NxNxT>", kPairs + std::string("  %r = stablehlo.") + op + " %a, %b : tensor<NxNxT>\n", false, 1);
    }
  }
}

TEST(SmallFloatsNatively, BitcastBothWays) {
  for (ElementType t : kFloats) {
    const std::string integer = bit_width(t) == 8 ? "ui8" : bit_width(t) == 4 ? "ui4" : "";
    if (integer.empty()) continue;
    check(t, "tensor<NxT>",
          "  %c = stablehlo.bitcast_convert %x : (tensor<NxT>) -> tensor<Nx" + integer +
              ">\n  %r = stablehlo.bitcast_convert %c : (tensor<Nx" + integer + ">) -> tensor<NxT>\n",
          true);
    check(t, "tensor<Nx" + integer + ">",
          "  %r = stablehlo.bitcast_convert %x : (tensor<NxT>) -> tensor<Nx" + integer + ">\n", true);
  }
}

TEST(SmallFloatsNatively, ReduceSortAndMultiply) {
  for (ElementType t : kFloats) {
    SCOPED_TRACE(name(t));
    const std::string zero = t == kF8E8M0FNU ? "1.0" : "0.0";
    for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
      check(t, "tensor<T>",
            "  %z = stablehlo.constant dense<" + zero +
                "> : tensor<T>\n  %r = stablehlo.reduce(%x init: %z) applies stablehlo." + op +
                " across dimensions = [0] : (tensor<NxT>, tensor<T>) -> tensor<T>\n");
    }
    check(t, "tensor<NxNxT>",
          kPairs + std::string("  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<NxNxT>, "
                               "tensor<NxNxT>) -> tensor<NxNxT>\n"));
    check(t, "tensor<NxT>",
          "  %r = \"stablehlo.sort\"(%x) ({\n  ^bb0(%p: tensor<T>, %q: tensor<T>):\n    %l = stablehlo.compare GT, %p, "
          "%q : "
          "(tensor<T>, tensor<T>) -> tensor<i1>\n    stablehlo.return %l : tensor<i1>\n  }) {dimension = 0 : i64} : "
          "(tensor<NxT>) -> tensor<NxT>\n");
  }
}

TEST(SmallFloatsNatively, ScalarsInLoopsAndConstants) {
  for (ElementType t : kFloats) {
    SCOPED_TRACE(name(t));
    check(t, "tensor<T>",
          "  %s = stablehlo.slice %x [3:4] : (tensor<NxT>) -> tensor<1xT>\n  %a = stablehlo.reshape %s : (tensor<1xT>) "
          "-> "
          "tensor<T>\n  %one = stablehlo.constant dense<1.0> : tensor<T>\n  %i0 = stablehlo.constant dense<0> : "
          "tensor<i32>\n"
          "  %w:2 = stablehlo.while(%i = %i0, %v = %a) : tensor<i32>, tensor<T> cond {\n    %n = stablehlo.constant "
          "dense<5> "
          ": tensor<i32>\n    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    "
          "stablehlo.return %c : tensor<i1>\n  } do {\n    %k = stablehlo.constant dense<1> : tensor<i32>\n    %j = "
          "stablehlo.add %i, %k : tensor<i32>\n    %m = stablehlo.add %v, %one : tensor<T>\n    stablehlo.return %j, "
          "%m : "
          "tensor<i32>, tensor<T>\n  }\n  %r = stablehlo.add %w#1, %one : tensor<T>\n");
  }
}

TEST(SmallIntegersNatively, ArithmeticOnAllPairs) {
  for (ElementType t : kIntegers) {
    SCOPED_TRACE(name(t));
    for (const char* op : {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "xor",
                           "shift_left", "shift_right_logical", "shift_right_arithmetic"}) {
      check(t, "tensor<NxNxT>", kPairs + std::string("  %r = stablehlo.") + op + " %a, %b : tensor<NxNxT>\n");
    }
    for (const char* op : {"sign", "not", "popcnt", "count_leading_zeros", "negate"}) {
      if (!is_signed_integer(t) && op == std::string("sign")) continue;
      check(t, "tensor<NxT>", std::string("  %r = stablehlo.") + op + " %x : tensor<NxT>\n");
    }
    for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
      check(t, "tensor<T>",
            "  %z = stablehlo.constant dense<1> : tensor<T>\n  %r = stablehlo.reduce(%x init: %z) applies stablehlo." +
                std::string(op) + " across dimensions = [0] : (tensor<NxT>, tensor<T>) -> tensor<T>\n");
    }
    check(t, "tensor<NxNxT>",
          kPairs + std::string("  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<NxNxT>, "
                               "tensor<NxNxT>) -> tensor<NxNxT>\n"));
    for (ElementType u : {kI1, kI8, kU8, kI64, kF16, kF32, kF64, kF8E4M3FN, kI2, kU4}) {
      const std::string to(name(u));
      check(t, "tensor<Nx" + to + ">", "  %r = stablehlo.convert %x : (tensor<NxT>) -> tensor<Nx" + to + ">\n");
    }
  }
}

}  // namespace
}  // namespace weft::test
