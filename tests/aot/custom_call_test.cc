// Handlers, checks and prints of ahead-of-time libraries, from C programs.
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

using aot_test::Folder;

std::string output_of(const std::string& command) { return aot_test::outcome_of(command).text; }

/// Builds the program's @main as `prog` and runs a C program with it.
std::string run(const std::string& text, const std::string& c_source) {
  const Folder folder;
  BuildOptions options;
  options.library = folder / "lib.so";
  options.header = folder / "lib.h";
  options.symbol = "prog";
  build_library(*parse_module(text, "/somewhere/prog.mlir"), "main", options);
  write_file(folder / "main.c", "#include <stdio.h>\n#include \"lib.h\"\n" + c_source);
  const std::string built = output_of("cc -std=c11 -Wall -Werror -o " + (folder / "main") + " " + (folder / "main.c") +
                                      " " + (folder / "lib.so") + " -Wl,-rpath," + (folder / ""));
  return built + output_of(folder / "main");
}

TEST(AheadOfTimeCalls, HandlersOfALibrary) {
  const std::string text = R"(func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    %1 = stablehlo.custom_call @user.negate(%0) {backend_config = "quietly"} : (tensor<3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  })";
  EXPECT_EQ(run(text, R"(
    static int negate(const weft_call* call) {
      const float* x = call->operands[0].data;
      float* y = call->results[0].data;
      printf("%s %s %d\n", call->target, call->config, (int)call->operands[0].shape[0]);
      if (x[0] == 8) { snprintf(call->message, call->message_bytes, "no eights"); return 1; }
      for (int i = 0; i < 3; ++i) y[i] = -x[i];
      return 0;
    }
    int main(void) {
      float x[3] = {1, 2, 3}, y[3];
      const void* args[] = {x};
      void* results[] = {y};
      int status = prog(args, results, 0);
      printf("%d %s\n", status, prog_error());
      prog_register_custom_call("user.negate", negate, 0);
      status = prog(args, results, 0);
      printf("%d %g %g %g\n", status, y[0], y[1], y[2]);
      x[0] = 4;
      status = prog(args, results, 0);
      printf("%d %s\n", status, prog_error());
      return 0;
    })"),
            "1 prog.mlir:3: there is no handler for @user.negate: register one with the library's function\n"
            "user.negate quietly 3\n0 -2 -4 -6\n"
            "user.negate quietly 3\n1 prog.mlir:3: @user.negate: no eights\n");
}

TEST(AheadOfTimeCalls, ChecksSayWhereAndWithWhat) {
  const std::string text = R"(func.func @main(%x: tensor<2x2xf64>, %i: tensor<i32>, %z: tensor<complex<f32>>) {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "weft.check"(%p, %i, %z) {site = "bounds", message = "index {} of {}"} : (tensor<i1>, tensor<i32>, tensor<complex<f32>>) -> ()
    %w = stablehlo.constant dense<1.5> : tensor<2x2xf64>
    %q = stablehlo.compare LE, %x, %w : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xi1>
    "weft.check"(%q, %x) {message = "too large: {}"} : (tensor<2x2xi1>, tensor<2x2xf64>) -> ()
    check.expect_almost_eq_const %x, dense<1.0> : tensor<2x2xf64>
    interpreter.print %i : tensor<i32>
    return
  })";
  EXPECT_EQ(run(text, R"(
    int main(void) {
      double x[4] = {1, 1, 1, 1};
      int i = 2, s;
      float z[2] = {1.5, -2};
      const void* args[] = {x, &i, z};
      printf("%d\n", prog(args, 0, 0));
      fflush(stdout);
      i = 5;
      s = prog(args, 0, 0); printf("%d %s\n", s, prog_error());
      i = 0;
      x[2] = 1e20;
      s = prog(args, 0, 0); printf("%d %s\n", s, prog_error());
      x[2] = 1.25;
      s = prog(args, 0, 0); printf("%d %s\n", s, prog_error());
      return 0;
    })"),
            "tensor<i32> 2\n0\n"
            "1 prog.mlir:4: bounds: index 5 of (1.5, -2.0)\n"
            "1 prog.mlir:7: too large: 1e+20 at [1, 0]\n"
            "1 prog.mlir:8: [check.expect_almost_eq_const] values differ at [1, 0]: got 1.25, expected 1.0 (1 of 4 "
            "differ)\n");
}

}  // namespace
}  // namespace weft
