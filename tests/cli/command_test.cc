// The `weft` command from outside: exit codes, what goes to which stream, .npy files, the order of transforms.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

struct Answer {
  int code;
  std::string out, error;
};

class Command : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("weft_cli_" + std::to_string(getpid()) + "_" + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name, const std::string& text) {
    write(folder_ / name, text);
    return folder_ / name;
  }
  Answer weft(const std::string& arguments) {
    const std::string command = std::string(WEFT_BINARY_DIR) + "/weft " + arguments + " >" +
                                (folder_ / "out").string() + " 2>" + (folder_ / "err").string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder_ / "out"), read(folder_ / "err")};
  }
  fs::path folder_;
};

const char* const kSquare =
    "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n  %0 = stablehlo.multiply %x, %x : tensor<f64>\n  return %0 : "
    "tensor<f64>\n}\n";
const char* const kScale =
    "func.func @scale(%x: tensor<2x2xf32>, %b: tensor<2xbf16>) -> (tensor<2x2xf32>, tensor<2xbf16>) {\n  %0 = "
    "stablehlo.add %x, %x : tensor<2x2xf32>\n"
    "  return %0, %b : tensor<2x2xf32>, tensor<2xbf16>\n}\n";

TEST_F(Command, ExitCodesSayWhoseFaultItIs) {
  const std::string good = file("good.mlir", kSquare),
                    bad = file("bad.mlir", "func.func @main() {\n  return %x : tensor<f32>\n}\n"),
                    unknown =
                        file("unknown.mlir", "func.func @main() {\n  \"stablehlo.foo\"() : () -> ()\n  return\n}\n");
  EXPECT_EQ(weft("check " + good).code, 0);
  const Answer refused = weft("check " + bad);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.error.find("bad.mlir:2:10: error: %x is not defined here"), std::string::npos) << refused.error;
  EXPECT_NE(refused.error.find("\n    return %x : tensor<f32>\n           ^~"), std::string::npos) << refused.error;
  EXPECT_EQ(weft("check " + unknown).code, 3);
  EXPECT_EQ(weft("check").code, 2);
  EXPECT_EQ(weft("frobnicate").code, 2);
  EXPECT_EQ(weft("check " + (folder_ / "missing.mlir").string()).code, 1);
}

TEST_F(Command, RunPrintsResults) {
  const std::string square = file("square.mlir", kSquare);
  EXPECT_EQ(weft("run " + square + " --target eval --input 1.5").out, "tensor<f64> = 2.25\n");
  const std::string scale = file("scale.mlir", kScale);
  EXPECT_EQ(weft("run " + scale + " --target eval --input '[[1.0, 0.1], [-0.0, 0x7FC00000]]' --input '[1.5, 3.0]'").out,
            "tensor<2x2xf32> = [[2.0, 0.2], [-0.0, nan]]\ntensor<2xbf16> = [1.5, 3.0]\n");
  EXPECT_EQ(weft("run " + square + " --target eval").code, 1);
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data, int version = 1) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  const size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (size_t i = 0; i < (version == 1 ? 2u : 4u); ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

template <class T>
std::string bytes(std::initializer_list<T> values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.begin(), out.size());
  return out;
}

TEST_F(Command, ReadsAndWritesNpy) {
  const std::string scale = file("scale.mlir", kScale);
  const std::string x = file("x.npy", npy("<f4", "(2, 2)", bytes<float>({1, 2, 3, 4}))),
                    b = file("b.npy", npy("|V2", "(2,)", bytes<uint16_t>({0x3f80, 0x4000}), 2));
  const std::string out = (folder_ / "results").string();
  const Answer answer = weft("run " + scale + " --target eval --input " + x + " --input " + b + " --out " + out);
  ASSERT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(read(out + "/result0.npy"), npy("<f4", "(2,2,)", bytes<float>({2, 4, 6, 8})));
  EXPECT_EQ(read(out + "/result1.npy"), npy("|V2", "(2,)", bytes<uint16_t>({0x3f80, 0x4000})));
  const std::string wrong = file("wrong.npy", npy("<f8", "(2, 2)", bytes<double>({1, 2, 3, 4})));
  const Answer refused = weft("run " + scale + " --target eval --input " + wrong + " --input " + b);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("got f8[2, 2], expected f4[2, 2]"), std::string::npos) << refused.error;
  write(wrong, "\x93NUMPY\x01");
  EXPECT_EQ(weft("run " + scale + " --target eval --input " + wrong + " --input " + b).code, 1);
}

TEST_F(Command, TransformsApplyFromLeftToRight) {
  const std::string square = file("square.mlir", kSquare);
  // d/dx x² = 2x, over lanes; the value stays in front.
  Answer t = weft("transform " + square + " --grad main:0 --with-value --vectorize main:0 --lanes 3");
  ASSERT_EQ(t.code, 0) << t.error;
  const std::string lanes = file("lanes.mlir", t.out);
  EXPECT_EQ(weft("run " + lanes + " --target eval --input '[1.0, 2.0, 3.0]'").out,
            "tensor<3xf64> = [1.0, 4.0, 9.0]\ntensor<3xf64> = [2.0, 4.0, 6.0]\n");
  // The second derivative, beside the function.
  t = weft("transform " + square + " --grad main:0 --as g --grad g:0 --as h");
  ASSERT_EQ(t.code, 0) << t.error;
  const std::string second = file("second.mlir", t.out);
  EXPECT_EQ(weft("run " + second + " --target eval --entry h --input 5.0").out, "tensor<f64> = 2.0\n");
  EXPECT_EQ(weft("run " + second + " --target eval --entry main --input 5.0").out, "tensor<f64> = 25.0\n");
  EXPECT_EQ(weft("transform " + square + " --vectorize main:0").code, 1);
  EXPECT_EQ(weft("transform " + square + " --grad main:7").code, 1);
}

TEST_F(Command, FmtIsAFixedPoint) {
  const std::string square = file("square.mlir", kSquare);
  for (const std::string form : {"", " --generic"}) {
    const Answer once = weft("fmt " + square + form);
    ASSERT_EQ(once.code, 0) << once.error;
    EXPECT_EQ(weft("fmt " + file("again.mlir", once.out).string() + form).out, once.out);
  }
}

TEST_F(Command, TestCountsProgramsAndRecords) {
  fs::create_directories(folder_ / "programs");
  write(folder_ / "programs/holds.mlir",
        "func.func @main() {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n  check.expect_eq_const %0, "
        "dense<1.0> : tensor<f32>\n  return\n}\n");
  write(folder_ / "programs/fails.mlir",
        "func.func @main() {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n  check.expect_eq_const %0, "
        "dense<2.0> : tensor<f32>\n  return\n}\n");
  write(folder_ / "programs/refused.mlir",
        "func.func @main() {\n  return %x : tensor<f32>  // error: %x is not defined\n}\n");
  write(folder_ / "programs/not_refused.mlir", "func.func @main() {\n  return  // error: nothing is wrong here\n}\n");
  fs::create_directories(folder_ / "records");
  write(folder_ / "records/manifest.jsonl",
        "{\"id\": \"square\", \"file\": \"square.mlir\", \"data\": \"square.bin\", \"n_in\": 1, \"n_out\": 1, "
        "\"tensors\": [{\"name\": \"in0\", \"dtype\": \"float64\", "
        "\"shape\": [], \"offset\": 0, \"nbytes\": 8}, {\"name\": \"out0\", \"dtype\": \"float64\", \"shape\": [], "
        "\"offset\": 8, \"nbytes\": 8, \"xla_err_vs_f64\": "
        "{\"abs\": NaN}}]}\n{\"id\": \"unknown\", \"kind\": \"verify-ok\", \"suite\": \"s\"}\n");
  write(folder_ / "records/square.mlir", kSquare);
  write(folder_ / "records/square.bin", bytes<double>({3, 9}));
  write(folder_ / "records/unknown.mlir", "func.func @main() {\n  \"stablehlo.foo\"() : () -> ()\n  return\n}\n");
  const Answer answer =
      weft("test --target eval " + (folder_ / "programs").string() + " " + (folder_ / "records").string());
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(answer.out.ends_with("\n3 passed, 2 failed, 1 skipped\n")) << answer.out;
  EXPECT_NE(answer.out.find("fails.mlir:3: [check.expect_eq_const] values differ"), std::string::npos) << answer.out;
  write(folder_ / "records/square.bin", bytes<double>({3, 9.0001}));
  EXPECT_TRUE(
      weft("test --target eval " + (folder_ / "records").string()).out.ends_with("\n0 passed, 1 failed, 1 skipped\n"));
}

}  // namespace
