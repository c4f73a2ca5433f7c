// Calls of compiled programs: places that the caller gives, prepared calls, limits and interrupts.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "native/native_target.h"
#include "text/parse.h"
#include "weft/interrupt.h"
#include "weft/memory.h"

namespace weft {
namespace {

std::unique_ptr<Executable> compile(const std::string& text, const CompileOptions& options = {}) {
  return native_target().compile(parse_module(text, "test.mlir"), "main", options);
}

const char* const kAdd = R"(
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.add %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
})";

/// Counts up to the argument.
const char* const kCount = R"(
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r = stablehlo.while(%i = %zero) : tensor<i64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %x = stablehlo.xor %i, %one : tensor<i64>
    %y = stablehlo.xor %x, %one : tensor<i64>
    %j = stablehlo.add %y, %one : tensor<i64>
    stablehlo.return %j : tensor<i64>
  }
  return %r : tensor<i64>
})";

TEST(Bind, RunsOnWhatThePlacesHoldNow) {
  const auto add = compile(kAdd);
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, r[4] = {};
  const void* args[] = {a, b};
  void* results[] = {r};
  const auto call = add->bind(args, results);
  call->run();
  EXPECT_EQ(r[3], 44.0F);
  a[3] = 5;
  call->run();
  EXPECT_EQ(r[3], 45.0F);
}

TEST(Bind, TellsOfResultsThatOverlap) {
  const auto add = compile(kAdd);
  float a[8] = {}, b[4] = {};
  const auto message = [&](const void* x, const void* y, void* r) -> std::string {
    const void* args[] = {x, y};
    void* results[] = {r};
    try {
      add->bind(args, results);
    } catch (const UserError& error) { return error.what(); }
    return "";
  };
  EXPECT_EQ(message(a, a, b), "");  // arguments may
  EXPECT_EQ(message(a, b, a + 4), "");
  EXPECT_NE(message(a, b, a + 3).find("result 0 of @main overlaps argument 0"), std::string::npos);
  EXPECT_NE(message(b, a, a).find("overlaps argument 1"), std::string::npos);
}

TEST(Call, PlacesMayLieAtAnyAddress) {
  const auto program = compile(R"(
func.func @main(%a: tensor<1000xf32>, %b: tensor<7xcomplex<f64>>, %c: tensor<64x64xf32>) -> (tensor<1000xf32>, tensor<7xcomplex<f64>>, tensor<64x64xf32>) {
  %x = stablehlo.add %a, %a : tensor<1000xf32>
  %y = stablehlo.add %b, %b : tensor<7xcomplex<f64>>
  %z = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %x, %y, %z : tensor<1000xf32>, tensor<7xcomplex<f64>>, tensor<64x64xf32>
})");
  const size_t sizes[] = {4000, 112, 16384};
  std::vector<std::vector<char>> in, out;
  for (size_t n : sizes) {
    in.emplace_back(n + 64);
    out.emplace_back(n + 64);
  }
  std::vector<char> first[3];
  for (size_t shift = 0; shift < 9; ++shift) {
    const void* args[3];
    void* results[3];
    for (size_t i = 0; i < 3; ++i) {
      for (size_t k = 0; k < sizes[i]; ++k) in[i][k + shift] = static_cast<char>(k % 4 == 3 ? 0x3f : k * 7);
      args[i] = in[i].data() + shift;
      results[i] = out[i].data() + shift;
    }
    for (const bool is_bound : {false, true}) {
      for (auto& o : out) std::ranges::fill(o, 0);
      if (is_bound) {
        program->bind(args, results)->run();
      } else {
        program->invoke(args, results);
      }
      for (size_t i = 0; i < 3; ++i) {
        const std::vector<char> got(out[i].begin() + static_cast<long>(shift),
                                    out[i].begin() + static_cast<long>(shift + sizes[i]));
        if (first[i].empty()) first[i] = got;
        EXPECT_TRUE(got == first[i]) << "result " << i << " at " << shift;
      }
    }
  }
}

TEST(Call, ADonatedArgumentHasTheAddressOfItsResult) {
  CompileOptions options;
  options.donations = {{0, 0}};
  const auto add = compile(kAdd, options);
  float a[4] = {1, 2, 3, 4}, b[4] = {1, 1, 1, 1}, other[4] = {};
  const void* args[] = {a, b};
  void* elsewhere[] = {other};
  EXPECT_THROW(add->invoke(args, elsewhere), UserError);
  EXPECT_THROW(add->bind(args, elsewhere), UserError);
  void* results[] = {a};
  add->invoke(args, results);
  EXPECT_EQ(a[3], 5.0F);
}

TEST(MemoryLimit, NamesNeedAndLimit) {
  const char* text = R"(
func.func @main(%a: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %r = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %r : tensor<1000x1000xf32>
})";
  CompileOptions options;
  options.no_libraries = true;
  options.memory_limit = 7000000;
  try {
    compile(text, options);
    ADD_FAILURE() << "8 MB of arguments and results were let through";
  } catch (const UserError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("the limit is 6.7 MiB"), std::string::npos) << what;
    EXPECT_NE(what.find("arguments 3.8 MiB, results 3.8 MiB"), std::string::npos) << what;
  }
  options.memory_limit = size_t{1} << 30;
  const MemoryUse use = compile(text, options)->memory_use();
  EXPECT_EQ(use.arguments, 4000000U);
  EXPECT_EQ(use.results, 4000000U);
  options.donations = {{0, 0}};
  EXPECT_EQ(compile(text, options)->memory_use().results, 0U);
}

TEST(Interrupt, EndsTheCallsThatRunAndNoLaterOnes) {
  const auto count = compile(kCount);
  const int64_t forever = INT64_MAX;
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      int64_t result = 0;
      const void* args[] = {&forever};
      void* results[] = {&result};
      try {
        count->invoke(args, results);
      } catch (const UserError& error) {
        if (std::string(error.what()).find("interrupted: @main") != std::string::npos) ++ended;
      }
    });
  }
  // Calls that have not begun yet are not concerned: ask until all have ended.
  while (ended < 3) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    interrupt();
  }
  for (std::thread& t : threads) t.join();
  const std::vector<Tensor> args = {Tensor::scalar_of<int64_t>(1000)};
  EXPECT_EQ(count->run(args)[0].scalar<int64_t>(), 1000);
}

TEST(IdleMemory, IsGivenBack) {
  CompileOptions options;
  options.no_libraries = true;
  options.disabled = {"fuse"};
  const auto program = compile(R"(
func.func @main(%a: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %x = stablehlo.sine %a : tensor<1000000xf32>
  %y = stablehlo.add %x, %a : tensor<1000000xf32>
  %z = stablehlo.multiply %y, %x : tensor<1000000xf32>
  return %z : tensor<1000000xf32>
})",
                               options);
  const std::vector<Tensor> args = {Tensor(ElementType::kF32, {1000000})};
  program->run(args);
  EXPECT_GE(release_idle_memory(), 4000000U);
  program->run(args);
}

TEST(GuardPages, GiveTheSameResults) {
  CompileOptions options;
  options.guard_pages = true;
  const auto plain = compile(kAdd), guarded = compile(kAdd, options);
  float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, r[4] = {};
  const void* args[] = {a, b};
  void* results[] = {r};
  guarded->invoke(args, results);
  EXPECT_EQ(r[0], 6.0F);
  EXPECT_EQ(r[3], 12.0F);
}

}  // namespace
}  // namespace weft
