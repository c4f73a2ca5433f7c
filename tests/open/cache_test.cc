// Code for all extents is kept in the persistent cache: a second compilation generates nothing and gives the same values.
#include <unistd.h>

#include <filesystem>
#include <set>

#include "tests/open/open_check.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = R"(
func.func @main(%x: tensor<?x6xf32>, %w: tensor<6x3xf32>, %i: tensor<?xi32>) -> (tensor<?x3xf32>, tensor<6xf32>, tensor<?xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x6xf32>, tensor<6x3xf32>) -> tensor<?x3xf32>
  %t = stablehlo.tanh %p : tensor<?x3xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x6xf32>, tensor<f32>) -> tensor<6xf32>
  %r = "stablehlo.sort"(%i) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %q = stablehlo.remainder %a, %three : tensor<i32>
    %u = stablehlo.remainder %b, %three : tensor<i32>
    %c = stablehlo.compare LT, %q, %u : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?xi32>) -> tensor<?xi32>
  return %t, %s, %r : tensor<?x3xf32>, tensor<6xf32>, tensor<?xi32>
})";

class OpenCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "weft-open-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What the cache said; the results must be right in any case.
  std::string run(const std::vector<std::string>& disabled = {}, bool is_guarded = false) const {
    const std::shared_ptr<Module> module = parse_module(kProgram, "open");
    CompileOptions options;
    options.cache = folder_;
    options.disabled = disabled;
    options.guard_pages = is_guarded;
    std::string said;
    std::set<std::string> stages;
    options.timing = [&](const CompileStage& stage) {
      if (stage.name == "cache") said = stage.unit;
      stages.insert(stage.name);
    };
    const auto executable = native_target().compile(module, "main", options);
    EXPECT_EQ(stages.contains("machine code"), said != "found");
    for (int64_t n : {5, 0, 70}) {
      const std::vector<Tensor> args = {random_values(ElementType::kF32, {n, 6}, 1),
                                        random_values(ElementType::kF32, {6, 3}, 2),
                                        random_values(ElementType::kI32, {n}, 3)};
      const std::vector<Tensor> want = evaluate_refined(*module, args), got = executable->run(args);
      for (size_t i = 0; i < got.size(); ++i) expect_close(got[i], want[i], 1e-5, said);
    }
    return said;
  }

  std::string folder_;
};

TEST_F(OpenCache, FindsWhatItStored) {
  EXPECT_EQ(run(), "stored");
  EXPECT_EQ(run(), "found");
}

TEST_F(OpenCache, OtherOptionsAreOtherCode) {
  EXPECT_EQ(run(), "stored");
  EXPECT_EQ(run({"open_rows"}), "stored");
  EXPECT_EQ(run({}, true), "stored");
  EXPECT_EQ(run({"open_rows"}), "found");
}

TEST_F(OpenCache, WhatIsDamagedIsMadeAgain) {
  EXPECT_EQ(run(), "stored");
  for (const auto& entry : fs::directory_iterator(folder_)) fs::resize_file(entry.path(), 100);
  EXPECT_NE(run(), "found");
}

}  // namespace
}  // namespace weft
