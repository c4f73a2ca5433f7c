// Results as people and as machines read them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class Printing : public Command {
 protected:
  /// What `run` prints for one argument that is returned as it is.
  std::string printed(const char* type, const std::string& elements, const std::string& options = "") {
    const Answer answer = weft("run " + identity({type}) + " --target eval --input '" + elements + "' " + options);
    EXPECT_EQ(answer.code, 0) << answer.error;
    return answer.out;
  }
  /// iota along an axis, of any size.
  std::string iota(const std::string& type, int axis, const std::string& options = "") {
    const Answer answer = weft("run " +
                               file("iota.mlir", "func.func @main() -> " + type +
                                                     " {\n  %0 = stablehlo.iota dim = " + std::to_string(axis) + " : " +
                                                     type + "\n  return %0 : " + type + "\n}\n") +
                               " --target eval " + options);
    EXPECT_EQ(answer.code, 0) << answer.error;
    return answer.out;
  }
};

TEST_F(Printing, OneLineWhereOneLineHoldsIt) {
  EXPECT_EQ(printed("tensor<f64>", "0.1"), "tensor<f64> = 0.1\n");
  EXPECT_EQ(printed("tensor<3xi8>", "[1, -128, 127]"), "tensor<3xi8> = [1, -128, 127]\n");
  EXPECT_EQ(printed("tensor<i1>", "true"), "tensor<i1> = true\n");
  EXPECT_EQ(printed("tensor<2xcomplex<f32>>", "[(1.0, -0.0), (2.5, 1e30)]"),
            "tensor<2xcomplex<f32>> = [(1.0, -0.0), (2.5, 1e+30)]\n");
  EXPECT_EQ(printed("tensor<3xf32>", "[0x7F800000, 0xFF800000, 0x7FC00000]"), "tensor<3xf32> = [inf, -inf, nan]\n");
  EXPECT_EQ(printed("tensor<0x3xf32>", "[]"), "tensor<0x3xf32> = []\n");
}

TEST_F(Printing, RowsAreAlignedAtThePoint) {
  EXPECT_EQ(printed("tensor<2x3xf32>", "[[1.0, 10.5, 0.125], [-100.0, 2.25, 3.0]]"),
            "tensor<2x3xf32> =\n"
            "[[   1.0,     10.5,      0.125],\n"
            " [-100.0,      2.25,     3.0]]\n");
  EXPECT_EQ(printed("tensor<2x2xi32>", "[[1, -20], [300, 4]]"), "tensor<2x2xi32> =\n[[  1, -20],\n [300,   4]]\n");
  EXPECT_EQ(printed("tensor<2x2xf64>", "[[1.5, 0x7FF0000000000000], [1e-7, 2.5e20]]"),
            "tensor<2x2xf64> =\n[[1.5,         inf],\n [1e-07,   2.5e+20]]\n");
}

TEST_F(Printing, MatricesOfATensorStandApart) {
  EXPECT_EQ(printed("tensor<2x1x2xi32>", "[[[1, 2]], [[3, 4]]]"), "tensor<2x1x2xi32> =\n[[[1, 2]],\n\n [[3, 4]]]\n");
}

TEST_F(Printing, LargeOnesAreElidedUnlessAskedFor) {
  EXPECT_EQ(iota("tensor<1001xi64>", 0), "tensor<1001xi64> =\n[   0,    1,    2, ...,  998,  999, 1000]\n");
  EXPECT_LT(iota("tensor<100x7x2xi32>", 0).size(), 700u);
  EXPECT_EQ(iota("tensor<500x8xi16>", 0),
            "tensor<500x8xi16> =\n"
            "[[  0,   0,   0, ...,   0,   0,   0],\n"
            " [  1,   1,   1, ...,   1,   1,   1],\n"
            " [  2,   2,   2, ...,   2,   2,   2],\n"
            " ...,\n"
            " [497, 497, 497, ..., 497, 497, 497],\n"
            " [498, 498, 498, ..., 498, 498, 498],\n"
            " [499, 499, 499, ..., 499, 499, 499]]\n");
  // 1000 elements are printed, in lines of at most 100 columns.
  const std::string thousand = iota("tensor<1000xi32>", 0), full = iota("tensor<1001xi32>", 0, "--full");
  EXPECT_EQ(thousand.find("..."), std::string::npos);
  EXPECT_EQ(full.find("..."), std::string::npos);
  std::istringstream lines(full);
  int64_t next = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u);
    if (line.starts_with("tensor")) continue;
    for (char& c : line) c = c >= '0' && c <= '9' ? c : ' ';
    std::istringstream numbers(line);
    for (int64_t n = 0; numbers >> n;) EXPECT_EQ(n, next++);
  }
  EXPECT_EQ(next, 1001);
}

TEST_F(Printing, JsonIsExact) {
  const std::string program = identity({"tensor<2x2xf32>", "tensor<2xi64>", "tensor<2xui64>", "tensor<2xcomplex<f64>>",
                                        "tensor<2xi1>", "tensor<0x3xf16>", "tensor<f64>"});
  const Answer answer =
      weft("run " + program +
           " --target eval --json --input '[[0.1, 0x7FC00000], [0x7F800000, 0xFF800000]]' "
           "--input '[-9223372036854775808, 9007199254740993]' --input '[18446744073709551615, 0]' "
           "--input '[(0.1, -0.0), (1e300, 0x7FF8000000000000)]' --input '[true, false]' --input '[]' "
           "--input 5e-324");
  ASSERT_EQ(answer.code, 0) << answer.error;
  const auto json = nlohmann::json::parse(answer.out);
  const auto& results = json.at("results");
  ASSERT_EQ(results.size(), 7u);
  EXPECT_EQ(results[0].at("type"), "tensor<2x2xf32>");
  EXPECT_EQ(results[0].at("element_type"), "f32");
  EXPECT_EQ(results[0].at("shape"), nlohmann::json({2, 2}));
  EXPECT_EQ(results[0].at("values")[0][0].get<double>(), 0.1);  // the shortest decimal of the f32
  EXPECT_EQ(results[0].at("values")[0][1], "nan");
  EXPECT_EQ(results[0].at("values")[1], nlohmann::json({"inf", "-inf"}));
  EXPECT_EQ(results[1].at("values")[0].get<int64_t>(), INT64_MIN);
  EXPECT_EQ(results[1].at("values")[1].get<int64_t>(), 9007199254740993);
  EXPECT_EQ(results[2].at("values")[0].get<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(results[3].at("element_type"), "complex<f64>");
  EXPECT_EQ(results[3].at("values")[0][0].get<double>(), 0.1);
  EXPECT_TRUE(std::signbit(results[3].at("values")[0][1].get<double>()));
  EXPECT_EQ(results[3].at("values")[1][0].get<double>(), 1e300);
  EXPECT_EQ(results[3].at("values")[1][1], "nan");
  EXPECT_EQ(results[4].at("values"), nlohmann::json({true, false}));
  EXPECT_EQ(results[5].at("shape"), nlohmann::json({0, 3}));
  EXPECT_EQ(results[5].at("values"), nlohmann::json::array());
  EXPECT_EQ(results[6].at("shape"), nlohmann::json::array());
  EXPECT_EQ(results[6].at("values").get<double>(), 5e-324);
}

TEST_F(Printing, WhatAProgramPrintsIsNoPartOfTheJson) {
  const std::string program = file("prints.mlir",
                                   "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n  \"interpreter.print\"(%x) : "
                                   "(tensor<i32>) -> ()\n  return %x : tensor<i32>\n}\n");
  for (const std::string target : {" --target eval", " --target native"}) {
    const Answer plain = weft("run " + program + " --input 7" + target),
                 json = weft("run " + program + " --input 7 --json" + target);
    ASSERT_EQ(plain.code, 0) << plain.error;
    EXPECT_TRUE(plain.out.ends_with("\ntensor<i32> = 7\n")) << plain.out;
    EXPECT_EQ(std::count(plain.out.begin(), plain.out.end(), '\n'), 2) << plain.out;
    EXPECT_EQ(nlohmann::json::parse(json.out).at("results")[0].at("values"), 7);
    EXPECT_EQ(json.error + "tensor<i32> = 7\n", plain.out);
  }
}

TEST_F(Printing, JsonNamesTheFilesWritten) {
  const std::string out = (folder_ / "out_files").string();
  const Answer answer = weft("run " + identity({"tensor<2xf32>"}) + " --input '[1, 2]' --json --out " + out);
  ASSERT_EQ(answer.code, 0) << answer.error;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json.at("results")[0].at("file"), out + "/result0.npy");
  EXPECT_FALSE(json.at("results")[0].contains("values"));
  EXPECT_TRUE(fs::exists(out + "/result0.npy"));
}

TEST_F(Printing, JsonOfAMillionElementsIsWhole) {
  const auto json = nlohmann::json::parse(iota("tensor<1000x1000xi32>", 1, "--json"));
  const auto& values = json.at("results")[0].at("values");
  ASSERT_EQ(values.size(), 1000u);
  EXPECT_EQ(values[999].size(), 1000u);
  EXPECT_EQ(values[999][999], 999);
}

}  // namespace
