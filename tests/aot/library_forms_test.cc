// Forms of ahead-of-time output: objects, archives and shared libraries, and what all of them promise.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "native/aot/build_library.h"
#include "tests/aot/c_program.h"
#include "text/parse.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

using aot_test::Folder;

std::string output_of(const std::string& command) {
  const auto [text, status] = aot_test::outcome_of(command);
  return status == 0 ? text : text + "\nexit status " + std::to_string(WEXITSTATUS(status));
}

/// r[i] = a[i] + i, by a table of 40000 numbers; and what takes threads, workspace and a stack of calls of the runtime.
std::unique_ptr<Module> program() {
  std::string table;
  for (int i = 0; i < 40000; ++i) table += (i > 0 ? "," : "") + std::to_string(i) + ".0";
  return parse_module(R"(
func.func @offset(%a: tensor<40000xf32>) -> (tensor<40000xf32>, tensor<40000xf32>) {
  %t = stablehlo.constant dense<[)" +
                          table + R"(]> : tensor<40000xf32>
  %r = stablehlo.add %a, %t : tensor<40000xf32>
  %s = "stablehlo.sort"(%r) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<40000xf32>) -> tensor<40000xf32>
  return %r, %s : tensor<40000xf32>, tensor<40000xf32>
})",
                      "offset.mlir");
}

const char* const kMain = R"(
#include <stdio.h>
#include "offset.h"
static float a[40000], r[40000], s[40000];
int main(int argc, char** argv) {
  for (int i = 0; i < 40000; ++i) a[i] = 1;
  const void* args[] = {a};
  void* results[] = {r, s};
  offset_set_threads(argc > 1 ? 2 : 0);
  (void)argv;
  int status = offset(args, results, 0);
  if (status) { puts(offset_error()); return status; }
  int wrong = 0;
  for (int i = 0; i < 40000; ++i) wrong += r[i] != i + 1 || s[i] != 40000 - i;
  printf("%d wrong", wrong);
  return 0;
})";

std::string build_and_run(const Folder& folder, const char* library) {
  BuildOptions options;
  options.library = folder / library;
  options.header = folder / "offset.h";
  options.partitions = 2;
  build_library(*program(), "offset", options);
  write_file(folder / "main.c", kMain);
  const std::string built = output_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") +
                                      " " + options.library + " -lm -lpthread -Wl,-rpath," + (folder / ""));
  EXPECT_EQ(built, "");
  return output_of(folder / "main");
}

TEST(LibraryForms, ObjectArchiveAndSharedLibrary) {
  for (const char* library : {"lib.o", "lib.a", "lib.so"}) {
    const Folder folder;
    EXPECT_EQ(build_and_run(folder, library), "0 wrong") << library;
    // Only the documented functions are to be seen, so that two programs fit into one.
    const std::string nm =
        *fs::path(library).extension().c_str() != 0 && std::string(library) == "lib.so" ? "nm -D" : "nm -g";
    const std::string names =
        output_of(nm + " --defined-only " + (folder / library) + " | grep -v : | sed 's/.* //' | sort | tr '\\n' ' '");
    EXPECT_NE(names.find("offset offset_error offset_interrupt offset_load offset_register_custom_call "
                         "offset_set_threads offset_threads offset_workspace_bytes "),
              std::string::npos)
        << names;
    EXPECT_EQ(names.find("weft"), std::string::npos) << names;
    // What is missing comes from libc, libm and libpthread: nothing of C++ or of Weft.
    const std::string missing = output_of(nm + " -u " + (folder / library));
    for (const char* foreign : {"_Z", "weft", "__cxa_throw", "GOMP", "LLVM", "cblas", "dnnl"})
      EXPECT_EQ(missing.find(foreign), std::string::npos) << library << " needs " << foreign << ":\n" << missing;
    const std::string needed = output_of("readelf -d " + (folder / "main") + " | grep NEEDED");
    for (const char* foreign : {"stdc++", "gomp", "LLVM", "weft"})
      EXPECT_EQ(needed.find(foreign), std::string::npos) << needed;
  }
}

TEST(LibraryForms, TheSameBytesWhereverTheyAreBuilt) {
  for (const char* library : {"lib.o", "lib.a", "lib.so"}) {
    const Folder here, there;
    for (const Folder* folder : {&here, &there}) {
      BuildOptions options;
      options.library = *folder / library;
      options.partitions = 2;
      build_library(*program(), "offset", options);
    }
    EXPECT_TRUE(read_file(here / library) == read_file(there / library)) << library;
  }
}

TEST(LibraryForms, RefuseALesserCpuByName) {
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "offset.h";
  options.cpu = "x86-64-v3";
  build_library(*program(), "offset", options);
  write_file(folder / "main.c", kMain);
  EXPECT_EQ(output_of("cc -std=c11 -o " + (folder / "main") + " " + (folder / "main.c") + " " + options.library +
                      " -Wl,-rpath," + (folder / "")),
            "");
  const std::string refused = output_of("WEFT_CPU=x86-64-v2 " + (folder / "main"));
  EXPECT_NE(refused.find("offset was compiled for x86-64-v3 and needs "), std::string::npos) << refused;
  EXPECT_NE(refused.find("exit status 5"), std::string::npos) << refused;
}

/// Objects of each level on emulated CPUs without its features.
TEST(LibraryForms, LevelsOnEmulatedCpus) {
  if (std::system("qemu-x86_64 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "qemu-user is not installed";
  const struct {
    const char *level, *cpu, *missing;
  } cases[] = {{"x86-64", "qemu64", nullptr},   {"x86-64-v3", "max", nullptr},     {"x86-64-v3", "Nehalem", "avx"},
               {"x86-64-v4", "max", "avx512f"}, {"x86-64-v2", "Nehalem", nullptr}, {"x86-64-v2", "qemu64", "sse4.2"}};
  for (const auto& c : cases) {
    const Folder folder;
    BuildOptions options;
    options.library = folder / "lib.so";
    options.header = folder / "offset.h";
    options.cpu = c.level;
    options.partitions = 2;
    build_library(*program(), "offset", options);
    write_file(folder / "main.c", kMain);
    EXPECT_EQ(output_of("cc -std=c11 -o " + (folder / "main") + " " + (folder / "main.c") + " " + options.library +
                        " -Wl,-rpath," + (folder / "")),
              "");
    const std::string said = output_of("qemu-x86_64 -cpu " + std::string(c.cpu) + " " + (folder / "main"));
    if (c.missing == nullptr) {
      EXPECT_NE(said.find("0 wrong"), std::string::npos) << c.level << " on " << c.cpu << ": " << said;
    } else {
      EXPECT_NE(said.find("offset was compiled for " + std::string(c.level) + " and needs "), std::string::npos)
          << said;
      EXPECT_NE(said.find("exit status 5"), std::string::npos) << c.level << " on " << c.cpu << ": " << said;
    }
  }
}

}  // namespace
}  // namespace weft
