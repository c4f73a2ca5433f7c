// Large constants of ahead-of-time libraries: in the library or in a file beside it.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

using aot_test::Folder;
using aot_test::outcome_of;

/// r[i] = x[i] + i · scale, by a table of 30000 numbers.
std::unique_ptr<Module> program(double scale = 1) {
  std::string table;
  for (int i = 0; i < 30000; ++i) table += (i > 0 ? "," : "") + std::to_string(i * scale);
  return parse_module(R"(
func.func @model(%x: tensor<30000xf32>) -> tensor<30000xf32> {
  %t = stablehlo.constant dense<[)" +
                          table + R"(]> : tensor<30000xf32>
  %r = stablehlo.add %x, %t : tensor<30000xf32>
  return %r : tensor<30000xf32>
})",
                      "model.mlir");
}

const char* const kMain = R"(
#include <stdio.h>
#include "model.h"
static float x[MODEL_NUM_ARGS][30000], r[MODEL_NUM_RESULTS][30000];
int main(int argc, char** argv) {
  for (int i = 0; i < 30000; ++i) x[0][i] = 2;
  const void* args[] = {x[0]};
  void* results[] = {r[0]};
  int status = model_load(argc > 1 ? argv[1] : NULL);
  if (status == WEFT_OK) status = model(args, results, NULL);
  if (status != WEFT_OK) { printf("%d %s", status, model_error()); return 0; }
  int wrong = 0;
  for (int i = 0; i < 30000; ++i) wrong += r[0][i] != (float)(i + 2);
  printf("%d wrong", wrong);
#ifdef CHECK
  status = model_check_weights();
  if (status != WEFT_OK) printf(", %d %s", status, model_error());
#endif
  return 0;
})";

void build(const Folder& folder, const char* library, bool with_weights, double scale = 1) {
  BuildOptions options;
  options.library = folder / library;
  options.header = folder / "model.h";
  if (with_weights) options.weights = folder / "model.weights";
  options.partitions = 2;
  build_library(*program(scale), "model", options);
}

void compile(const Folder& folder, const char* library, bool checks) {
  write_file(folder / "main.c", kMain);
  const auto made =
      outcome_of("cc -std=c11 -Wall -Werror " + std::string(checks ? "-DCHECK " : "") + "-o " + (folder / "main") +
                 " " + (folder / "main.c") + " " + (folder / library) + " -lm -lpthread -Wl,-rpath," + (folder / ""));
  EXPECT_EQ(made.text, "");
}

TEST(Weights, InTheLibrary) {
  for (const char* library : {"lib.so", "lib.a", "lib.o"}) {
    const Folder folder;
    build(folder, library, false);
    compile(folder, library, false);
    EXPECT_GT(fs::file_size(folder / library), 120000u);
    EXPECT_EQ(outcome_of(folder / "main").text, "0 wrong") << library;
  }
}

TEST(Weights, InAFileBesideTheLibrary) {
  for (const char* library : {"lib.so", "lib.a", "lib.o"}) {
    const Folder folder, other;
    build(folder, library, true);
    compile(folder, library, true);
    EXPECT_LT(fs::file_size(folder / library), 120000u + (library == std::string("lib.so") ? 0u : 200000u));
    EXPECT_EQ(fs::file_size(folder / "model.weights"), 4096u + 120000u);
    // From any folder: the file is looked for beside the library, or what it is linked into.
    EXPECT_EQ(outcome_of("cd / && " + (folder / "main")).text, "0 wrong") << library;
    EXPECT_EQ(outcome_of("cd " + (folder / "") + " && PATH=.:$PATH main").text, "0 wrong") << library;
    fs::rename(folder / "model.weights", other / "moved");
    EXPECT_EQ(outcome_of("MODEL_WEIGHTS=" + (other / "moved") + " " + (folder / "main")).text, "0 wrong");
    EXPECT_EQ(outcome_of((folder / "main") + " " + (other / "moved")).text, "0 wrong");
  }
}

TEST(Weights, AWrongFileIsAnErrorThatSaysWhy) {
  const Folder folder;
  build(folder, "lib.so", true);
  compile(folder, "lib.so", true);
  const std::string file = folder / "model.weights", bytes = read_file(file);
  const auto refused = [&](const std::string& why) {
    const std::string said = outcome_of(folder / "main").text;
    EXPECT_EQ(said, "9 model: the weights in " + file + " cannot be used: " + why + " (MODEL_WEIGHTS names the file)");
  };
  fs::remove(file);
  refused("No such file or directory");
  write_file(file, bytes.substr(0, 100000));
  refused("got 100000 bytes, expected 124096");
  write_file(file, bytes + "more");
  refused("got 124100 bytes, expected 124096");
  write_file(file, "short");
  refused("it is no file of weights");
  write_file(file, std::string(bytes.size(), 'x'));
  refused("it is no file of weights");
  std::string changed = bytes;
  changed[8] = 2;
  write_file(file, changed);
  refused("got version 2, expected 1");
  const Folder other;
  build(other, "lib.so", true, 2);
  write_file(file, read_file(other / "model.weights"));
  refused("they belong to another build");
  fs::remove(file);
  fs::create_directory(file);
  refused("it is no file of weights");
  fs::remove(file);
  // What was changed inside is found by whoever asks for it.
  changed = bytes;
  changed[50000] ^= 1;
  write_file(file, changed);
  const std::string said = outcome_of(folder / "main").text;
  EXPECT_NE(said.find("wrong, 9 model: the weights in model.weights cannot be used: their contents were changed"),
            std::string::npos)
      << said;
}

TEST(Weights, TheSameBytesWhereverTheyAreBuilt) {
  const Folder here, there;
  for (const Folder* folder : {&here, &there}) build(*folder, "lib.so", true);
  for (const char* file : {"lib.so", "model.weights", "model.h"})
    EXPECT_TRUE(read_file(here / file) == read_file(there / file)) << file;
}

}  // namespace
}  // namespace weft
