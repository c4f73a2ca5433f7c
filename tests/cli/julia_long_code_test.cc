// Code that programs write, not people: thousands of terms, arguments, elements and branches.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaLongCode : public Command {
 protected:
  /// n times `what`, "#" of which is the number from 1, with `separator` between.
  static std::string repeated(int n, const std::string& what, const std::string& separator) {
    std::string out;
    for (int i = 1; i <= n; ++i) {
      std::string one = what;
      if (const size_t at = one.find('#'); at != std::string::npos) one.replace(at, 1, std::to_string(i));
      out += (i > 1 ? separator : "") + one;
    }
    return out;
  }
  std::string print(const std::string& code, const std::string& options = "") {
    const Answer answer = weft("run " + options + " " + file("f.jl", code));
    EXPECT_EQ(answer.code, 0) << answer.error.substr(0, 1000);
    return answer.out;
  }
};

TEST_F(JuliaLongCode, ThousandsOfTermsAndArguments) {
  EXPECT_EQ(print("println(" + repeated(5000, "#", " + ") + ")"), "12502500\n");
  EXPECT_EQ(print("println(" + repeated(5000, "1", " * ") + ")"), "1\n");
  EXPECT_EQ(print("println(length(" + repeated(5000, "\"ab\"", " * ") + "))"), "10000\n");
  EXPECT_EQ(print("println(max(" + repeated(5000, "#", ", ") + "))"), "5000\n");
  EXPECT_EQ(print("f(x...) = length(x)\ng(x::T...) where {T} = T\nprintln(f(" + repeated(5000, "1", ", ") + "), g(" +
                  repeated(5000, "1", ", ") + "))"),
            "5000Int64\n");
  EXPECT_EQ(print("println(length(vcat(" + repeated(3000, "[#, 0]", ", ") + ")))"), "6000\n");
  EXPECT_EQ(print("println(length(Dict(" + repeated(3000, "# => 1", ", ") + ")))"), "3000\n");
}

TEST_F(JuliaLongCode, ThousandsOfElements) {
  EXPECT_EQ(print("println(sum([" + repeated(10000, "#", ", ") + "]))"), "50005000\n");
  EXPECT_EQ(print("f() = sum([" + repeated(10000, "#.5", ", ") + "])\nprintln(f())", "--compile=always"), "5.001e7\n");
  EXPECT_EQ(print("println(sum([" + repeated(3000, "#", "; ") + "]))"), "4501500\n");
}

TEST_F(JuliaLongCode, ChainsOfBranches) {
  const std::string chain = "function f(x)\n    if x == 0\n        0\n" +
                            repeated(500, "    elseif x == #\n        2x\n", "") +
                            "    else\n        -1\n    end\nend\n";
  for (const char* mode : {"--compile=never", "--compile=always"})
    EXPECT_EQ(print(chain + "println(f(0), \" \", f(400), \" \", f(501))", mode), "0 800 -1\n");
}

TEST_F(JuliaLongCode, WhatNestsTooDeeplyIsAnError) {
  const Answer answer = weft("run " + file("f.jl", repeated(2000, "(", "") + "1" + repeated(2000, ")", "")));
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "nested deeper than 300 levels");
}

}  // namespace
