// Bounds of indices that the entry knows from checks, conditions and counters: what they leave out must not be missed.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/native/on_both.h"
#include "weft/error.h"
#include "weft/interrupt.h"

namespace weft::test {
namespace {

Tensor line(const std::vector<double>& values) {
  Tensor t(ElementType::kF64, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, t.mutable_data<double>());
  return t;
}

/// Sums x[PLACE(i)] over a loop from `first` while i DIRECTION last, by `step`; `inside` is written before the element is read at %z.
std::string sum_of_elements(const std::string& direction, const std::string& step, const std::string& inside) {
  return R"(
func.func @main(%x: tensor<4xf64>, %first: tensor<i64>, %last: tensor<i64>) -> (tensor<f64>, tensor<i64>) {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %step = stablehlo.constant dense<)" +
         step + R"(> : tensor<i64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %r:2 = stablehlo.while(%i = %first, %s = %zero) : tensor<i64>, tensor<f64>
  cond {
    %go = stablehlo.compare )" +
         direction + R"(, %i, %last : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    )" + inside +
         R"(
    %p = stablehlo.dynamic_slice %x, %z, sizes = [1] : (tensor<4xf64>, tensor<i64>) -> tensor<1xf64>
    %e = stablehlo.reshape %p : (tensor<1xf64>) -> tensor<f64>
    %t = stablehlo.add %s, %e : tensor<f64>
    %j = stablehlo.add %i, %step : tensor<i64>
    stablehlo.return %j, %t : tensor<i64>, tensor<f64>
  }
  return %r#1, %r#0 : tensor<f64>, tensor<i64>
})";
}

/// The same with constant ends.
std::string with_ends(std::string text, const std::string& first, const std::string& last) {
  const std::string head = "func.func @main(%x: tensor<4xf64>, %first: tensor<i64>, %last: tensor<i64>)";
  text.replace(text.find(head), head.size(), "func.func @main(%x: tensor<4xf64>)");
  text.insert(text.find("{\n") + 2, "  %first = stablehlo.constant dense<" + first +
                                        "> : tensor<i64>\n  %last = stablehlo.constant dense<" + last +
                                        "> : tensor<i64>\n");
  return text;
}

constexpr const char* kFromZero = "%z = stablehlo.add %i, %i : tensor<i64>";
constexpr const char* kFromOne = "%z = stablehlo.subtract %i, %one : tensor<i64>";
constexpr const char* kChecked = R"(%z = stablehlo.subtract %i, %one : tensor<i64>
    %low = stablehlo.compare GE, %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %high = stablehlo.compare LE, %i, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %in = stablehlo.and %low, %high : tensor<i1>
    "weft.check"(%in, %i) {message = "index {}"} : (tensor<i1>, tensor<i64>) -> ())";
/// A branch knows more than what follows it.
constexpr const char* kBranch = R"(%small = stablehlo.compare LT, %i, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %z = "stablehlo.if"(%small) ({
      stablehlo.return %i : tensor<i64>
    }, {
      %d = stablehlo.add %i, %i : tensor<i64>
      stablehlo.return %d : tensor<i64>
    }) : (tensor<i1>) -> tensor<i64>)";

const Tensor kLine = line({1, 20, 300, 4000});

void expect_both(const std::string& text, const std::vector<Tensor>& args) {
  const OnBoth got = on_both(text, args);
  for (size_t i = 0; i < got.native.size(); ++i)
    expect_same_bits(got.native[i], got.eval[i], text + "result " + std::to_string(i));
}

TEST(Bounds, ElementsBeyondTheEndsAreThoseAtTheEnds) {
  const auto number = [](int64_t n) { return Tensor::scalar_of<int64_t>(n); };
  for (const char* inside : {kFromZero, kFromOne, kBranch}) {
    for (const auto& [first, last] : std::vector<std::pair<int, int>>{{0, 3}, {1, 4}, {-3, 9}, {4, 5}}) {
      for (const char* direction : {"LT", "LE", "NE"}) {
        const std::string text = sum_of_elements(direction, "1", inside);
        expect_both(text, {kLine, number(first), number(last)});
        expect_both(with_ends(text, std::to_string(first), std::to_string(last)), {kLine});
      }
    }
    const std::string down = sum_of_elements("GE", "-1", inside);
    expect_both(down, {kLine, number(6), number(-2)});
    expect_both(with_ends(down, "6", "-2"), {kLine});
    expect_both(with_ends(down, "4", "1"), {kLine});
  }
}

TEST(Bounds, ChecksThatFailAreNotLeftOut) {
  const auto said = [](const std::string& text, const std::vector<Tensor>& args) -> std::string {
    try {
      return std::to_string(
          get_target("native").compile(parse_module(text, "test"), "main", {})->run(args)[0].scalar<double>());
    } catch (const UserError& e) { return e.what(); }
  };
  const std::string up = sum_of_elements("LE", "1", kChecked), down = sum_of_elements("GE", "-1", kChecked);
  EXPECT_EQ(said(with_ends(up, "1", "4"), {kLine}), "4321.000000");
  EXPECT_EQ(said(with_ends(down, "4", "1"), {kLine}), "4321.000000");
  EXPECT_NE(said(with_ends(up, "1", "5"), {kLine}).find("index 5"), std::string::npos);
  EXPECT_NE(said(with_ends(up, "0", "4"), {kLine}).find("index 0"), std::string::npos);
  EXPECT_NE(said(with_ends(down, "4", "0"), {kLine}).find("index 0"), std::string::npos);
  for (int64_t last : {4, 5}) {
    const std::string got = said(up, {kLine, Tensor::scalar_of<int64_t>(1), Tensor::scalar_of(last)});
    EXPECT_EQ(got.find("index 5") != std::string::npos, last == 5) << got;
  }
}

TEST(Bounds, OfCountersThatWrapAround) {
  // 101 + 100 is -55 in eight bits, where the counter is still at most 127.
  expect_both(R"(
func.func @main(%x: tensor<4xf64>) -> tensor<f64> {
  %first = stablehlo.constant dense<1> : tensor<i8>
  %step = stablehlo.constant dense<100> : tensor<i8>
  %last = stablehlo.constant dense<127> : tensor<i8>
  %turns = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %most = stablehlo.constant dense<6> : tensor<i64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %r:3 = stablehlo.while(%i = %first, %k = %turns, %s = %zero) : tensor<i8>, tensor<i64>, tensor<f64>
  cond {
    %in = stablehlo.compare LE, %i, %last : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %early = stablehlo.compare LT, %k, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %go = stablehlo.and %in, %early : tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %p = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xf64>, tensor<i8>) -> tensor<1xf64>
    %e = stablehlo.reshape %p : (tensor<1xf64>) -> tensor<f64>
    %t = stablehlo.add %s, %e : tensor<f64>
    %j = stablehlo.add %i, %step : tensor<i8>
    %l = stablehlo.add %k, %one : tensor<i64>
    stablehlo.return %j, %l, %t : tensor<i8>, tensor<i64>, tensor<f64>
  }
  return %r#2 : tensor<f64>
})",
              {kLine});
}

TEST(Bounds, LoopsLongerThanBetweenTwoPolls) {
  const auto program = get_target("native").compile(
      parse_module(sum_of_elements("LT", "1", "%z = stablehlo.and %i, %one : tensor<i64>"), "test"), "main", {});
  for (int64_t n : {4095, 4096, 4097, 8192, 10001}) {
    const std::vector<Tensor> got =
        program->run(std::vector{kLine, Tensor::scalar_of<int64_t>(0), Tensor::scalar_of(n)});
    EXPECT_EQ(got[0].scalar<double>(), static_cast<double>((n + 1) / 2 + n / 2 * 20)) << n;
    EXPECT_EQ(got[1].scalar<int64_t>(), n);
  }
}

TEST(Bounds, EndlessCountingIsInterrupted) {
  // By twos from an even number to an odd one.
  const auto program = get_target("native").compile(
      parse_module(sum_of_elements("NE", "2", "%z = stablehlo.and %i, %one : tensor<i64>"), "test"), "main", {});
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      interrupt();
    }
  });
  EXPECT_THROW(program->run(std::vector{kLine, Tensor::scalar_of<int64_t>(0), Tensor::scalar_of<int64_t>(1)}),
               UserError);
  done = true;
  other.join();
}

}  // namespace
}  // namespace weft::test
