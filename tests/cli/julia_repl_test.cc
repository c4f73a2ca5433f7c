// weft repl: inputs, values and errors, as Julia's prompt prints them. Without a terminal there are no prompts.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaRepl : public Command {
 protected:
  Answer repl(const std::string& input) { return weft("repl < " + file("input", input)); }
};

TEST_F(JuliaRepl, PrintsValues) {
  const Answer answer = repl("1 + 1\n[1 2; 3 4]\n\"a\"\nnothing\n:x\n");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "2\n2×2 Matrix{Int64}:\n 1  2\n 3  4\n\"a\"\n:x\n");
}

TEST_F(JuliaRepl, ASemicolonKeepsQuiet) {
  EXPECT_EQ(repl("x = 1;\ny = 2; # note\nx; y;\n\"a;\"\nx + y\n").out, "\"a;\"\n3\n");
}

TEST_F(JuliaRepl, RemembersTheAnswer) { EXPECT_EQ(repl("3\nans^2\nx = 4;\nans\n").out, "3\n9\n4\n"); }

TEST_F(JuliaRepl, ReadsUntilAnInputIsComplete) {
  EXPECT_EQ(repl("function f(x)\n  y = 2x\n\n  y + 1\nend\nf(3)\n[1,\n 2]\n\"\"\"\nab\n\"\"\"\n").out,
            "f (generic function with 1 method)\n7\n2-element Vector{Int64}:\n 1\n 2\n\"ab\\n\"\n");
  EXPECT_EQ(repl("#= a\n b =# 5\ntry\n 1\ncatch\nend\n").out, "5\n1\n");
}

TEST_F(JuliaRepl, ErrorsDoNotEndIt) {
  const Answer answer = repl("x = 1\nundefined_name\n1 + )\nx + 1\n");
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.out, "1\n2\n");
  EXPECT_HAS(answer.error, "ERROR: UndefVarError: `undefined_name` not defined in `Main`\n");
  EXPECT_HAS(answer.error, "REPL[3]:1:5: error: unexpected `)`");
}

TEST_F(JuliaRepl, LoopsAssignGlobals) { EXPECT_EQ(repl("s = 0;\nfor i in 1:3\n  s += i\nend\ns\n").out, "6\n"); }

TEST_F(JuliaRepl, AnInputCutOffIsSaid) {
  const Answer answer = repl("1\nf(2,");
  EXPECT_EQ(answer.out, "1\n");
  EXPECT_HAS(answer.error, "Expected `)` or `,`");
}

TEST_F(JuliaRepl, ExitEndsIt) { EXPECT_EQ(repl("exit(3)\n1\n").code, 3); }

}  // namespace
