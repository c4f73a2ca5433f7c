// Input that is no program, or one that no machine can run: an exit code and a message, never a death.
#include <random>

#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using BadInput = Command;

const char* const kAdd =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0 : "
    "tensor<2xf32>\n}\n";

TEST_F(BadInput, BytecodeSaysHowToPrintText) {
  for (const char* command : {"check ", "fmt ", "run ", "explain ", "transform --simplify "}) {
    Answer answer = weft(command + sample("program.mlirbc"));
    EXPECT_EQ(answer.code, 3) << command;
    EXPECT_EQ(answer.out, "");
    EXPECT_HAS(answer.error, "program.mlirbc: MLIR bytecode is not read yet");
    EXPECT_HAS(answer.error, "as_text()");
    answer = weft(command + sample("exported.bin"));
    EXPECT_EQ(answer.code, 3) << command;
    EXPECT_HAS(answer.error, "jax.export");
    EXPECT_HAS(answer.error, "mlir_module()");
  }
  EXPECT_EQ(weft("check - < " + sample("program.mlirbc")).code, 3);
}

TEST_F(BadInput, FilesThatAreNoPrograms) {
  const auto refused = [&](const std::string& name, const std::string& message) {
    const Answer answer = weft("check " + name);
    EXPECT_EQ(answer.code, 1) << name;
    EXPECT_HAS(answer.error, message);
  };
  refused(sample("f16_3.npy"), "not a program: got a .npy array, expected StableHLO text");
  refused(sample("stored.npz"), "not a program: got a zip archive");
  refused(std::string(WEFT_BINARY_DIR) + "/weft", "not a program: got a program or library of this machine");
  refused(file("zeros", std::string(4096, '\0')), "not a program: got the byte 0x00 at offset 0");
  refused(file("escape", std::string("module {}\x1b[2J")), "not a program: got the byte 0x1b at offset 9");
  refused((folder_ / "nothing").string(), "cannot read ");
  refused(folder_.string(), "Is a directory");
}

TEST_F(BadInput, TruncatedProgramsAreRefusedWhereTheyEnd) {
  const std::string whole = kAdd;
  // Behind the last brace's beginning everything is there; a text cut inside the function is never a program.
  for (size_t size = 1; size < whole.size() - 2; size += 3) {
    const Answer answer = weft("check " + file("cut.mlir", whole.substr(0, size)));
    EXPECT_TRUE(answer.code == 1 || answer.code == 3) << size << ": " << answer.code;
    EXPECT_HAS(answer.error, "cut.mlir:");
  }
}

TEST_F(BadInput, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    std::string noise(1 + random() % 3000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    // Half of them keep clear of what tells binary files, so that they reach the parser.
    if (i % 2)
      for (char& c : noise) c = static_cast<char>(' ' + static_cast<unsigned char>(c) % 95);
    const int code = weft("check " + file("noise", noise)).code;
    // Noise that looks like the name of an op is unsupported.
    EXPECT_TRUE(code == 1 || (i % 2 && code == 3)) << i << ": " << code;
    EXPECT_EQ(weft("run " + identity({"tensor<2xf32>"}) + " --input " + file("noise.npy", noise)).code, 1) << i;
    EXPECT_EQ(weft("run " + identity({"tensor<2xf32>"}) + " --input " + file("noise.npz", noise)).code, 1) << i;
  }
}

TEST_F(BadInput, DeepNesting) {
  constexpr size_t kDepth = 100000;
  std::string tuples, lists(kDepth, '['), regions = "func.func @main() {\n";
  for (size_t i = 0; i < kDepth; ++i) {
    tuples += "tuple<";
    regions += "\"stablehlo.while\"() ({\n";
  }
  const auto refused = [&](const std::string& text) {
    const Answer answer = weft("check " + file("deep.mlir", text));
    EXPECT_EQ(answer.code, 1) << answer.code;
    EXPECT_HAS(answer.error, "deep.mlir:");
    EXPECT_LT(answer.error.size(), 1000u);
  };
  refused("func.func @main(%x: " + tuples);
  refused("func.func @main() -> tensor<1xf32> {\n%0 = stablehlo.constant dense<" + lists);
  refused(regions);
  refused(std::string(kDepth, '('));
  std::string modules;
  for (size_t i = 0; i < kDepth; ++i) modules += "module {\n";
  refused(modules);
  EXPECT_EQ(weft("run " + identity({"tensor<1xf32>"}) + " --input \"$(printf '%0100000d' 0 | tr 0 '[')\"").code, 1);
}

TEST_F(BadInput, WrongArguments) {
  const std::string program =
      file("two.mlir",
           "func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) -> tensor<2xf32> {\n  return %x : "
           "tensor<2xf32>\n}\n");
  const auto refused = [&](const std::string& inputs, const std::string& message) {
    const Answer answer = weft("run " + program + inputs);
    EXPECT_EQ(answer.code, 1) << inputs;
    EXPECT_EQ(answer.out, "");
    EXPECT_HAS(answer.error, message);
  };
  refused("",
          "@main: no input for argument 0 (tensor<2xf32>): got 0 inputs, expected 2 (arg0: tensor<2xf32>, arg1: "
          "tensor<i32>)");
  refused(" --input '[1, 2]'", "@main: no input for argument 1 (tensor<i32>): got 1 input, expected 2");
  refused(" --input arg1=1", "@main: no input for argument 0 (tensor<2xf32>)");
  refused(" --input '[1, 2]' --input 1 --input 2", "got more inputs than arguments, expected 2");
  refused(" --input '[1, 2, 3]' --input 1", "--input 0:1:");
  refused(" --input '[1, x]' --input 1", "\n  [1, x]\n      ^\n");
  refused(" --input '[1, 2' --input 1", "--input 0:1:");
  refused(" --input '[1, 2]' --input 1.5", "--input 1:1:");
  refused(" --input '[1, 2]' --input 5000000000", "--input 1:1:");
  refused(" --input '[1, 2]' --input '1 2'", "--input 1:1:");
  refused(" --input weights=1 --input 1",
          "@main has no argument weights: expected arg0: tensor<2xf32>, arg1: tensor<i32>");
  refused(" --entry f --input 1", "@f");
}

TEST_F(BadInput, ShapesThatNoMemoryHolds) {
  const std::string argument = identity({"tensor<1000000000000xf32>"});
  const std::string inside =
      file("inside.mlir",
           "func.func @main(%x: tensor<f32>) -> tensor<1000000000000xf32> {\n  %0 = "
           "stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000000000000xf32>\n  return "
           "%0 : tensor<1000000000000xf32>\n}\n");
  // The large value is not a result: a sort cannot be fused away.
  const std::string within =
      file("within.mlir",
           "func.func @main(%x: tensor<f32>) -> tensor<1xf32> {\n"
           "  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000000000000xf32>\n"
           "  %1 = \"stablehlo.sort\"(%0) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
           "    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
           "    stablehlo.return %c : tensor<i1>\n  }) {dimension = 0 : i64} : (tensor<1000000000000xf32>) -> "
           "tensor<1000000000000xf32>\n"
           "  %2 = stablehlo.slice %1 [0:1] : (tensor<1000000000000xf32>) -> tensor<1xf32>\n  return %2 : "
           "tensor<1xf32>\n}\n");
  const std::string constant =
      file("constant.mlir",
           "func.func @main() -> tensor<1000000000000xf32> {\n  %0 = stablehlo.constant dense<1.0> : "
           "tensor<1000000000000xf32>\n  return %0 : tensor<1000000000000xf32>\n}\n");
  // The number of elements is 0 in 64 bits.
  const std::string overflow =
      file("overflow.mlir",
           "func.func @main(%x: tensor<f32>) -> tensor<4294967296x4294967296xf32> {\n  %0 = "
           "stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> "
           "tensor<4294967296x4294967296xf32>\n  return %0 : tensor<4294967296x4294967296xf32>\n}\n");
  for (const std::string target : {" --target eval", " --target native"}) {
    for (const std::string& call : {argument + " --input 1.0", inside + " --input 1.0", within + " --input 1.0",
                                    constant, overflow + " --input 1.0"}) {
      const Answer answer = weft("run " + call + target);
      EXPECT_EQ(answer.code, 1) << call << target << answer.error;
      EXPECT_HAS(answer.error, call.starts_with(overflow) ? "too large for any memory" : "out of memory");
    }
  }
  EXPECT_HAS(weft("run " + inside + " --input 1.0").error, "result 0 of type tensor<1000000000000xf32> needs 3.6 TiB");
  EXPECT_HAS(weft("run " + within + " --input 1.0 --target eval").error,
             "within.mlir:2:8: error: [stablehlo.broadcast_in_dim] out of memory: a tensor needs 3.6 TiB");
  // None of this stands in the way of reading and printing such programs.
  for (const std::string& program : {argument, inside, within, constant}) {
    EXPECT_EQ(weft("check " + program).code, 0);
    EXPECT_EQ(weft("fmt " + program).code, 0);
  }
  EXPECT_EQ(
      weft("check " + file("digits.mlir", "func.func @main(%x: tensor<99999999999999999999xf32>) { return }")).code, 1);
}

TEST_F(BadInput, StandardOutputThatIsFull) {
  const std::string program = file("add.mlir", kAdd);
  for (const std::string& call : {"fmt " + program, "run " + program + " --input '[1, 2]'"}) {
    const Answer answer = weft(call + " > /dev/full");
    EXPECT_EQ(answer.code, 1) << call;
    EXPECT_HAS(answer.error, "cannot write standard output");
  }
}

}  // namespace
