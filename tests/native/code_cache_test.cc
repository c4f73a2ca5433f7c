// The persistent cache of generated code: when it is asked, what it survives, and that it never decides whether a program runs.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file_cache.h"
#include "native/cache/code_cache.h"
#include "native/native_target.h"
#include "text/parse.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "weft-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }

  static std::string program(double factor) {
    return "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  %c = stablehlo.constant dense<" +
           std::to_string(factor) +
           "> : tensor<8xf32>\n  %y = stablehlo.multiply %x, %c : tensor<8xf32>\n"
           "  %z = stablehlo.add %y, %x : tensor<8xf32>\n  return %z : tensor<8xf32>\n}";
  }

  /// Compiles and runs; what the cache said. The result must be right in any case.
  std::string run(double factor, const std::vector<std::string>& disabled = {}) {
    CompileOptions options;
    options.cache = folder_;
    options.disabled = disabled;
    std::string said;
    bool generated = false;
    options.timing = [&](const CompileStage& stage) {
      if (stage.name == "cache") said = stage.unit;
      if (stage.name == "LLVM IR" || stage.name == "machine code") generated = true;
    };
    const auto executable = native_target().compile(parse_module(program(factor), "test"), "main", options);
    const Tensor got = executable->run(std::vector<Tensor>{Tensor::of<float>({0, 1, 2, 3, 4, 5, 6, 7}, {8})})[0];
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(got.data<float>()[i], static_cast<float>(i) * (static_cast<float>(factor) + 1)) << said;
    }
    EXPECT_EQ(generated, said != "found") << said;
    return said;
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::directory_iterator(folder_)) out.push_back(e.path());
    return out;
  }

  std::string folder_;
};

TEST_F(CodeCacheTest, FindsWhatItStored) {
  EXPECT_EQ(run(3), "stored");
  EXPECT_EQ(run(3), "found");
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(CodeCacheTest, TellsProgramsAndOptionsApart) {
  EXPECT_EQ(run(3), "stored");
  EXPECT_EQ(run(4), "stored");  // another constant
  EXPECT_EQ(run(3, {"fuse"}), "stored");
  EXPECT_EQ(run(3), "found");
  EXPECT_EQ(run(4), "found");
}

TEST_F(CodeCacheTest, DamagedEntriesAreMadeAnew) {
  EXPECT_EQ(run(3), "stored");
  const fs::path entry = entries().at(0);
  const auto size = fs::file_size(entry);
  for (const uintmax_t left : {uintmax_t{0}, uintmax_t{5}, size / 2, size - 1}) {
    fs::resize_file(entry, left);
    EXPECT_EQ(run(3), "stored") << left;
    EXPECT_EQ(run(3), "found") << left;
  }
  for (const uintmax_t at : {uintmax_t{0}, uintmax_t{20}, size / 2, size - 1}) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char c = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(c ^ 1));
    file.close();
    EXPECT_EQ(run(3), "stored") << at;
    EXPECT_EQ(run(3), "found") << at;
  }
}

TEST_F(CodeCacheTest, SaysWhatItCannotWrite) {
  folder_ += "/file";
  std::ofstream(folder_) << "no folder";
  EXPECT_NE(run(3).find("cannot write"), std::string::npos);
  folder_.resize(folder_.size() - 5);
}

TEST_F(CodeCacheTest, ReadsFromAFolderThatIsReadOnly) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  EXPECT_EQ(run(3), "stored");
  chmod(folder_.c_str(), 0500);
  EXPECT_EQ(run(3), "found");
  EXPECT_NE(run(4).find("cannot write"), std::string::npos);
}

TEST_F(CodeCacheTest, RunsNoCodeFromAFolderThatOthersWriteTo) {
  EXPECT_EQ(run(3), "stored");
  chmod(folder_.c_str(), 0777);
  EXPECT_NE(run(3), "found");
}

TEST_F(CodeCacheTest, ProcessesShareIt) {
  std::vector<pid_t> children;
  for (int k = 0; k < 4; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 10; ++i) run(i % 3);
      _exit(HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(entries().size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(i), "found");
}

TEST_F(CodeCacheTest, TheOldestGoWhenItIsFull) {
  const size_t bytes = 100000;
  const native::CodeCache cache(FileCache(folder_, 10 * bytes));
  native::CachedCode code;
  code.objects.emplace_back(bytes);
  for (uint64_t i = 0; i < 30; ++i) {
    cache.store({i, 0}, code);
    EXPECT_EQ(cache.problem(), "");
    // The first is used again and again; time stamps are made to differ.
    EXPECT_TRUE(cache.load({0, 0})) << i;
    size_t age = 100;
    for (const auto& path : entries()) {
      if (path.filename().string().starts_with("0000000000000000")) continue;
      fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(age));
    }
  }
  EXPECT_LE(entries().size(), 10U);
  EXPECT_TRUE(cache.load({29, 0}));
  EXPECT_FALSE(cache.load({1, 0}));
  code.objects[0].resize(5 * bytes);
  cache.store({99, 0}, code);
  EXPECT_EQ(cache.problem(), "too large to be kept");
}

TEST_F(CodeCacheTest, OffIsOff) {
  const std::string folder = folder_;
  folder_ = "off";
  EXPECT_EQ(run(3), "");
  folder_ = folder;
  EXPECT_TRUE(entries().empty());
}

}  // namespace
}  // namespace weft::test
