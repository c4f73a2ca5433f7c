// The cache of compiled programs on disk: what is found there, and what is made anew.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "fake_plugin.h"
#include "pjrt/executable.h"
#include "pjrt/pjrt_target.h"
#include "plugin_path.h"
#include "text/parse.h"

namespace weft {
namespace {

constexpr const char* kTwice =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %y = stablehlo.add %x, %x : tensor<2xf32>  return %y : "
    "tensor<2xf32> }";
constexpr const char* kSquare =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %y = stablehlo.multiply %x, %x : tensor<2xf32>  return %y : "
    "tensor<2xf32> }";

class PluginCodeCache : public testing::Test {
 protected:
  void SetUp() override { client_ = pjrt::client_of(FakePlugin::path()); }
  void TearDown() override { FakePlugin().set("fault", ""); }

  std::unique_ptr<Executable> compile(const char* text, const std::string& folder,
                                      std::vector<std::pair<size_t, size_t>> donations = {}) {
    CompileOptions options;
    options.cache = folder;
    options.donations = std::move(donations);
    options.timing = [this](const CompileStage& stage) { said_ = stage.unit; };
    return pjrt::compile_program(client_, *parse_module(text, "test"), "main", options);
  }
  float run(const char* text, const std::string& folder) {
    const Tensor x = Tensor::of<float>({3, 4}, {2});
    return compile(text, folder)->run(std::span(&x, 1))[0].data<float>()[1];
  }
  int compiled() const { return FakePlugin().count("compiled"); }
  int loaded() const { return FakePlugin().count("loaded"); }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    for (const auto& e : std::filesystem::directory_iterator(folder_ / "c")) out.push_back(e.path());
    return out;
  }

  std::shared_ptr<const pjrt::Client> client_;
  const TemporaryFolder folder_;
  std::string said_;
};

TEST_F(PluginCodeCache, FindsWhatWasCompiled) {
  const int before = compiled(), loads = loaded();
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_EQ(said_, "compiled: not there");
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_EQ(said_, "found in the cache");
  EXPECT_EQ(compiled() - before, 1);
  EXPECT_EQ(loaded() - loads, 1);
}

TEST_F(PluginCodeCache, TellsProgramsDonationsAndPluginsApart) {
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_EQ(run(kSquare, folder_ / "c"), 16);
  compile(kTwice, folder_ / "c", {{0, 0}});
  EXPECT_EQ(files().size(), 3U);
  const std::string copy = folder_ / "libother_plugin.so";
  std::filesystem::copy_file(FakePlugin::path(), copy);
  const auto other = pjrt::Client::open(pjrt::Plugin::load(copy), {});
  CompileOptions options;
  options.cache = folder_ / "c";
  pjrt::compile_program(other, *parse_module(kTwice, "test"), "main", options);
  EXPECT_EQ(files().size(), 4U);
}

TEST_F(PluginCodeCache, IsOffUnlessAFolderIsNamed) {
  const int before = compiled();
  run(kTwice, "off");
  run(kTwice, "off");
  EXPECT_EQ(compiled() - before, 2);
  EXPECT_EQ(said_, "compiled");
}

TEST_F(PluginCodeCache, MakesAnewWhatIsDamaged) {
  run(kTwice, folder_ / "c");
  const std::filesystem::path file = files().at(0);
  const std::string whole = read_file(file);
  for (const size_t kept : {size_t{0}, size_t{20}, whole.size() - 1}) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, kept);
    EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
    EXPECT_EQ(said_, "compiled: damaged, made anew");
  }
  std::string flipped = whole;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << flipped;
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_EQ(read_file(file), whole);
}

TEST_F(PluginCodeCache, CompilesWhatThePluginDoesNotLoad) {
  run(kTwice, folder_ / "c");
  FakePlugin().set("fault", "load");
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_NE(said_.find("made by another version"), std::string::npos) << said_;
}

TEST_F(PluginCodeCache, KeepsNothingOfAPluginThatCannotSerialise) {
  FakePlugin().set("fault", "serialize");
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c"));
}

TEST_F(PluginCodeCache, RunsWhereTheFolderCannotBeWritten) {
  std::ofstream(folder_ / "file") << "no folder";
  EXPECT_EQ(run(kTwice, folder_ / "file"), 8);
  EXPECT_NE(said_.find("cannot write"), std::string::npos) << said_;
}

TEST_F(PluginCodeCache, ServesAPluginForThisCpu) {
  if (plugin_path().empty()) GTEST_SKIP() << "no PJRT plugin: tools/get_pjrt_plugin.sh build/plugins";
  client_ = pjrt::client_of(plugin_path());
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_EQ(run(kTwice, folder_ / "c"), 8);
  EXPECT_EQ(said_, "found in the cache");
}

}  // namespace
}  // namespace weft
