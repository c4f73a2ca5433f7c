// `weft fmt`: printing, and files changed in place at once or not at all.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using Fmt = Command;

const char* const kMessy =
    "module{func.func @main( %x:tensor<f32> )->tensor<f32>{ // a comment\n return %x:tensor<f32>\n }}\n";

TEST_F(Fmt, StandardInput) {
  const std::string program = file("messy.mlir", kMessy);
  const Answer from_file = weft("fmt " + program), piped = weft("fmt - < " + program);
  EXPECT_EQ(from_file.code, 0) << from_file.error;
  EXPECT_EQ(piped.out, from_file.out);
  EXPECT_EQ(weft("fmt --generic - < " + program).out, weft("fmt --generic " + program).out);
  EXPECT_EQ(weft("run - --input 2.5 < " + program).out, "tensor<f32> = 2.5\n");
  EXPECT_EQ(weft("check -", "printf 'func.func @main() {' |").code, 1);
  EXPECT_HAS(weft("check -", "printf 'func.func @main() {' |").error, "<stdin>:1:");
}

TEST_F(Fmt, InPlace) {
  const std::string program = file("messy.mlir", kMessy), again = file("again.mlir", kMessy);
  const std::string expected = weft("fmt " + program).out;
  fs::permissions(program, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  fs::create_symlink(program, folder_ / "link.mlir");
  const Answer answer = weft("fmt -i " + (folder_ / "link.mlir").string() + " " + again);
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(read(program), expected);
  EXPECT_EQ(read(again), expected);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.mlir")) << "the file behind the link is written";
  EXPECT_EQ(fs::status(program).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  const auto before = fs::last_write_time(program);
  EXPECT_EQ(weft("fmt -i " + program).code, 0);
  EXPECT_EQ(fs::last_write_time(program), before) << "a file that is as it should be is left alone";
  EXPECT_TRUE(nothing_temporary_is_left());
}

TEST_F(Fmt, InPlaceChangesNothingOnFailure) {
  const std::string good = file("good.mlir", kMessy), bad = file("bad.mlir", "func.func @main() {");
  EXPECT_EQ(weft("fmt -i " + good + " " + bad).code, 1);
  EXPECT_EQ(read(good), kMessy);
  // A program too large for the limit on files, and one that would fit.
  std::string large = "func.func @main() {\n";
  for (int i = 0; i < 200; ++i)
    large += "%" + std::to_string(i) + "=stablehlo.constant dense<" + std::to_string(i) + ">:tensor<i32>\n";
  large += "return\n}\n";
  const std::string program = file("large.mlir", large);
  const Answer answer = weft("fmt -i " + good + " " + program, "ulimit -f 1;");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "large.mlir: File too large");
  EXPECT_EQ(read(good), kMessy);
  EXPECT_EQ(read(program), large);
  EXPECT_TRUE(nothing_temporary_is_left());
}

}  // namespace
