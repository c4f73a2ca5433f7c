// Which numbers among the arguments are constants of compiled code has one answer: a run, `@compile`, an entry and `weft check` compile the same calls.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaConstants : public Command {};

struct Example {
  const char* definitions;
  const char* call;
  bool compiles;
};

constexpr Example kExamples[] = {
    {"f(x) = 2x", "f(1.0)", true},
    {"f(n) = sum(zeros(n))", "f(3)", true},
    {"f(n, x) = sum(fill(x, n, n))", "f(3, 2.0)", true},
    {"f(x; n = 3) = sum(fill(x, n))", "f(2.0; n = 4)", true},
    {"f(d) = sum(zeros(d))", "f((2, 3))", true},
    {"f(d) = sum(zeros(d.rows, d.columns))", "f((rows = 2, columns = 3))", true},
    {"struct Grid; n::Int; h::Float64; end; f(g) = sum(fill(g.h, g.n))", "f(Grid(3, 0.5))", true},
    {"mutable struct Grid; n::Int; h::Float64; end; f(g) = sum(fill(g.h, g.n))", "f(Grid(3, 0.5))", true},
    {"f(a, h) = sum(collect(0:h:a))", "f(1.0, 0.25)", true},
    {"f(n, h) = sum(collect(range(0.0, n * h; step = h)))", "f(4, 0.25)", true},
    {"f(i) = (1, 2.0, 3f0)[i]", "f(2)", true},
    {"f(n, v) = sum(reshape(v, n, :); dims = 1)", "f(2, [1.0, 2.0, 3.0, 4.0])", true},
    {"struct Sized; n::Int; end; (s::Sized)(x) = sum(fill(x, s.n)); const f = Sized(3)", "f(2.0)", true},
    {"f(x) = (1, 2.0, 3f0)[x > 1 ? 1 : 2]", "f(2.0)", false},
    {"f(v) = zeros(Int(v[1]))", "f([3.0])", false},
    {"f(n) = (s = \"none\"; for i in 1:n; s = 1.0; end; s)", "f(3)", false},
};

TEST_F(JuliaConstants, EveryWayCompilesTheSameCalls) {
  for (const Example& x : kExamples) {
    const std::string definitions = std::string(x.definitions) + "\n";
    SCOPED_TRACE(definitions + x.call);
    const std::string name = file("f.jl", definitions);
    const std::string calls = file("calls.jl", definitions + x.call + "\n");
    const std::string compiles = file("compiles.jl", definitions + "@compile " + x.call + "\n");
    const Answer run = weft("run --compile=always --report " + calls);
    EXPECT_EQ(run.code, 0) << run.error;
    EXPECT_EQ(run.error.find("not compiled: f:") == std::string::npos, x.compiles) << run.error;
    const Answer macro = weft("run " + compiles);
    EXPECT_EQ(macro.code == 0, x.compiles) << macro.error;
    const Answer entry = weft("fmt " + name + " --emit stablehlo --entry '" + x.call + "'");
    EXPECT_EQ(entry.code == 0, x.compiles) << entry.error;
    const Answer check = weft("check " + calls);
    EXPECT_EQ(check.code == 0, x.compiles) << check.out << check.error;
    const Answer check_entry = weft("check " + name + " --entry '" + x.call + "'");
    EXPECT_EQ(check_entry.code == 0, x.compiles) << check_entry.out << check_entry.error;
  }
}

TEST_F(JuliaConstants, CompiledFunctionsSayWhatTheyAreFor) {
  const Answer answer = weft("run " + file("f.jl",
                                           "f(d, x) = x * sum(ones(d))\ng = @compile f((2, 3), 1.0)\n"
                                           "println(g((2, 3), 0.5))\ng((2, 4), 0.5)\n"));
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.out, "3.0\n");
  EXPECT_HAS(answer.error, "called as f((2, 4), Float64), compiled for f((2, 3), Float64)");
}

}  // namespace
