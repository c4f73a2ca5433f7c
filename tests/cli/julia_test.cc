// Julia sources on the command line: check and fmt --sexpr read them, run runs them, the rest refuses them by name.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using Julia = Command;

TEST_F(Julia, CheckTellsAllFaultsAtOnce) {
  const std::string good = file("good.jl", "f(x) = 2x\nf.([1 -2])\n");
  const std::string bad = file("bad.jl", "f(x) = x +* 1\n\"α\" * 'ab'\n");
  const Answer fine = weft("check " + good);
  EXPECT_EQ(fine.code, 0);
  EXPECT_EQ(fine.out + fine.error, "");
  const Answer answer = weft("check " + good + " " + bad);
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "bad.jl:1:11: error: not a unary operator\n  f(x) = x +* 1\n            ^\n");
  EXPECT_HAS(answer.error,
             "bad.jl:2:8: error: character literal contains multiple characters\n  \"α\" * 'ab'\n         ^~\n");
}

TEST_F(Julia, CheckGoesOnAfterWarnings) {
  const Answer answer = weft("check " + file("warns.jl", "x = 1e-400\n"));
  EXPECT_EQ(answer.code, 0);
  EXPECT_HAS(answer.error, "warns.jl:1:5: warning: underflow to zero in floating point literal");
}

TEST_F(Julia, CheckKnowsTheRulesOfScope) {
  const Answer answer = weft("check " + file("scopes.jl", "s = 0\nfor i in 1:3\n  s += i\nend\nf(x, x) = x\n"));
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "scopes.jl:3:3: warning: Assignment to `s` in soft scope is ambiguous");
  EXPECT_HAS(answer.error, "scopes.jl:5:6: error: function argument name not unique: \"x\"");
}

TEST_F(Julia, FmtPrintsTheTree) {
  const std::string program = file("tree.jl", "f(x) = 2x\n");
  const Answer answer = weft("fmt --sexpr " + program);
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.out, "(toplevel (function-= (call f x) (juxtapose 2 x)))\n");
  EXPECT_EQ(weft("fmt --sexpr " + file("a.mlir", "module {}")).code, 2);
  EXPECT_EQ(weft("fmt --sexpr -i " + program).code, 2);
}

TEST_F(Julia, OtherCommandsRefuseIt) {
  const std::string program = file("program.jl", "println(1)\n");
  for (const char* command : {"fmt ", "explain ", "transform --simplify ", "build -o x.so "}) {
    const Answer answer = weft(command + program);
    EXPECT_EQ(answer.code, 3) << command << answer.error;
    EXPECT_HAS(answer.error, "program.jl: this command takes StableHLO programs");
  }
  EXPECT_EQ(weft("check nowhere.jl").code, 1);
}

}  // namespace
