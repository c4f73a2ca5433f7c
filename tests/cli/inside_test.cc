// `weft explain`, `weft bench` and `weft diff`: what was compiled, how long it takes, whether targets agree.
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using Inside = Command;

const char* const kProgram =
    R"(func.func @main(%x: tensor<512x256xf32>, %w: tensor<256x128xf32>) -> tensor<512x128xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x128xf32>) -> tensor<512x128xf32>
  %1 = stablehlo.tanh %0 : tensor<512x128xf32>
  %2 = stablehlo.exponential %1 : tensor<512x128xf32>
  return %2 : tensor<512x128xf32>
}
)";

TEST_F(Inside, ExplainGivesKernelsLinesAndMemory) {
  const Answer answer = weft("explain " + file("p.mlir", kProgram));
  ASSERT_EQ(answer.code, 0) << answer.error;
  EXPECT_HAS(answer.out, "stablehlo.tanh stablehlo.exponential");
  EXPECT_HAS(answer.out, "lines 3-4");
  // Arguments 512·256·4 + 256·128·4, results 512·128·4.
  EXPECT_HAS(answer.out, "arguments 655360, results 262144, constants 0");
}

TEST_F(Inside, DumpsOfOneKernel) {
  const std::string program = file("p.mlir", kProgram);
  const std::string account = weft("explain " + program).out;
  const size_t at = account.find("kernel k_");
  ASSERT_NE(at, std::string::npos) << account;
  const std::string symbol = account.substr(at + 7, account.find(' ', at + 7) - at - 7);
  const Answer ir = weft("explain " + program + " --dump llvm --kernel " + symbol);
  ASSERT_EQ(ir.code, 0) << ir.error;
  EXPECT_HAS(ir.out, "define internal void @" + symbol);
  EXPECT_EQ(ir.out.find("weft_entry"), std::string::npos) << "only the kernel asked for";
  const Answer code = weft("explain " + program + " --dump asm --kernel " + symbol);
  ASSERT_EQ(code.code, 0) << code.error;
  EXPECT_HAS(code.out, symbol + ":\n");
  EXPECT_HAS(code.out, "ret");
  EXPECT_HAS(weft("explain " + program + " --dump simplified").out, "stablehlo.tanh");
  const Answer missing = weft("explain " + program + " --dump asm --kernel k_none");
  EXPECT_EQ(missing.code, 1);
  EXPECT_HAS(missing.error, "there is no function k_none");
  EXPECT_EQ(weft("explain " + program + " --kernel " + symbol).code, 2);
}

TEST_F(Inside, PageStandsAlone) {
  const std::string program = file("p.mlir", kProgram), page = (folder_ / "p.html").string();
  const Answer answer = weft("explain " + program + " --html " + page);
  ASSERT_EQ(answer.code, 0) << answer.error;
  const std::string html = read(page);
  EXPECT_HAS(html, "id=\"graph\"");
  EXPECT_HAS(html, "id=\"line5\"");
  EXPECT_HAS(html, "data-lines=\"3 4\"");
  EXPECT_EQ(html.find("http"), std::string::npos) << "nothing is fetched";
  if (std::system("command -v chromium > /dev/null") != 0) GTEST_SKIP() << "chromium is not installed";
  // The script marks the step named in the address: it ran.
  const size_t row = html.find("data-lines=\"3 4\"");
  const size_t id = html.rfind("id=\"step", row) + 4;
  const std::string step = html.substr(id, html.find('"', id) - id);
  const std::string dom = (folder_ / "dom.html").string();
  ASSERT_EQ(std::system(("chromium --headless --no-sandbox --disable-gpu --dump-dom 'file://" + page + "#" + step +
                         "' > " + dom + " 2> /dev/null")
                            .c_str()),
            0);
  EXPECT_HAS(read(dom), "<span id=\"line3\" class=\"on\">");
}

TEST_F(Inside, BenchCountsWhatFusionSaves) {
  const std::string program = file("p.mlir", kProgram), trace = (folder_ / "trace.json").string();
  const Answer answer = weft("bench " + program + " --seconds 0.05 --json --no-fuse --profile " + trace);
  ASSERT_EQ(answer.code, 0) << answer.error;
  const auto out = nlohmann::json::parse(answer.out);
  EXPECT_GT(out["median_s"].get<double>(), 0);
  EXPECT_GT(out["machine"]["f32_gflops"].get<double>(), 0);
  // Fused: the product and one kernel. Each step reads and writes its operands once.
  const double x = 512 * 256 * 4, w = 256 * 128 * 4, y = 512 * 128 * 4;
  EXPECT_EQ(out["bytes_moved"].get<double>(), x + w + y + 2 * y);
  EXPECT_EQ(out["no_fuse"]["bytes_moved"].get<double>(), x + w + y + 2 * y + 2 * y);
  bool has_product = false;
  for (const auto& step : out["steps"]) has_product |= step["flops"].get<double>() == 2.0 * 512 * 256 * 128;
  EXPECT_TRUE(has_product) << out["steps"].dump(1);
  const auto traced = nlohmann::json::parse(read(trace));
  const auto& events = traced["traceEvents"];
  ASSERT_GE(events.size(), 2u);
  for (const auto& e : events) {
    EXPECT_EQ(e["ph"].get<std::string>(), "X");
    EXPECT_GE(e["dur"].get<double>(), 0);
  }
}

TEST_F(Inside, BenchTimesTheStepsOfALoop) {
  const Answer answer =
      weft("bench - --seconds 0.05 --json", R"(printf '%s' 'func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%c = %i, %v = %x) : tensor<i32>, tensor<4096xf32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %p = stablehlo.compare LT, %c, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %d = stablehlo.add %c, %one : tensor<i32>
    %w = stablehlo.sine %v : tensor<4096xf32>
    stablehlo.return %d, %w : tensor<i32>, tensor<4096xf32>
  }
  return %r#1 : tensor<4096xf32>
}' |)");
  ASSERT_EQ(answer.code, 0) << answer.error;
  bool is_found = false;
  const auto out = nlohmann::json::parse(answer.out);
  for (const auto& step : out["steps"]) {
    if (step["kind"].get<std::string>() != "kernel") continue;
    is_found = true;
    EXPECT_EQ(step["runs"].get<int>(), 7);
  }
  EXPECT_TRUE(is_found) << answer.out;
}

TEST_F(Inside, DiffOfTargetsThatAgree) {
  const std::string program = file("p.mlir", kProgram);
  const Answer answer = weft("diff " + program + " --targets eval,native,native:no-fuse");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "eval and native: same\neval and native:no-fuse: same\n");
  EXPECT_EQ(weft("diff " + program + " --targets eval").code, 2);
  EXPECT_EQ(weft("diff " + program + " --targets eval,nowhere").code, 1);
}

}  // namespace
