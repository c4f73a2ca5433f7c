// Julia sources on the command line: check and fmt --sexpr read them, run runs them, the rest takes a call in one.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using Julia = Command;

TEST_F(Julia, CheckTellsAllFaultsAtOnce) {
  const std::string good = file("good.jl", "f(x) = 2x\nf.([1 -2])\n");
  const std::string bad = file("bad.jl", "f(x) = x +* 1\n\"α\" * 'ab'\n");
  const Answer fine = weft("check " + good);
  EXPECT_EQ(fine.code, 0);
  EXPECT_EQ(fine.out, good + ":1: f(Int64): compiled\n");
  EXPECT_EQ(fine.error, "");
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

TEST_F(Julia, FmtEmitsTheProgramOfACall) {
  const std::string program = file("twice.jl", "println(\"top\")\nf(x) = x .+ x\n");
  const Answer answer = weft("fmt " + program + " --emit stablehlo --entry 'f(Matrix{Float32}(3, 4))'");
  EXPECT_EQ(answer.code, 0) << answer.error;
  // Column-major memory read as StableHLO's row-major: the extents stand in the other order.
  EXPECT_HAS(answer.out, "func.func @main(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32>");
  EXPECT_HAS(answer.out, "stablehlo.add");
  EXPECT_EQ(answer.error, "top\n");
  // The printed program is one for the other commands.
  const std::string again = file("again.mlir", answer.out);
  EXPECT_EQ(weft("check " + again).code, 0);
  EXPECT_EQ(weft("fmt --emit stablehlo " + program).code, 2);
  EXPECT_EQ(weft("fmt --emit llvm " + program + " --entry 'f(Float64)'").code, 2);
}

TEST_F(Julia, IntegersOfAnEntryAreConstantsWhereSizesDependOnThem) {
  const std::string program = file("batches.jl", "f(x, n, k) = sum(fill(x[k], n)) + k\ng(x, k) = x[k] + k\n");
  const std::string print = "fmt " + program + " --emit stablehlo --entry ";
  // Three times x[2], and 2: no argument but x is left.
  const Answer sized = weft(print + "'f(Vector{Float64}(6), 3, 2)'");
  EXPECT_EQ(sized.code, 0) << sized.error;
  EXPECT_HAS(sized.out, "@main(%arg0: tensor<6xf64>) -> tensor<f64>");
  // Nothing depends on k's value here.
  EXPECT_HAS(weft(print + "'g(Vector{Float64}(6), 3)'").out, "@main(%arg0: tensor<6xf64>, %arg1: tensor<i64>)");
  const Answer open = weft(print + "'f(Vector{Float64}(6), Int, 2)'");
  EXPECT_EQ(open.code, 1);
  EXPECT_HAS(open.error, "say the value of a number in the entry instead of its type");
}

TEST_F(Julia, ExtentsOfAnEntryMayBeOpen) {
  const std::string program = file("open.jl",
                                   "axpy(a, x, y) = a .* x .+ y\n"
                                   "f(A) = (s = 0.0; for j in axes(A, 2), i in axes(A, 1); s += A[i, j]; end; s)\n");
  const std::string print = "fmt " + program + " --emit stablehlo --entry ";
  const Answer both = weft(print + "'axpy(Float64, Vector{Float64}(n), Vector{Float64}(n))'");
  EXPECT_EQ(both.code, 0) << both.error;
  EXPECT_HAS(both.out, "%arg1: tensor<?xf64>, %arg2: tensor<?xf64>) -> tensor<?xf64>");
  EXPECT_HAS(weft(print + "'f(Matrix{Float64}(3, ?))'").out, "@f(%arg0: tensor<?x3xf64>) -> tensor<f64>");
  const Answer apart = weft(print + "'axpy(Float64, Vector{Float64}(?), Vector{Float64}(?))'");
  EXPECT_EQ(apart.code, 1);
  EXPECT_HAS(apart.error, "open extents may differ");
  EXPECT_HAS(weft("explain " + program + " --entry 'f(Matrix{Float64}(3, ?))'").out, "code for all extents");
  const std::string run = "run --entry 'axpy(Float64, Vector{Float64}(n), Vector{Float64}(n))' " + program +
                          " --input 2.0 --input '[1.0, 2.0, 3.0]' ";
  EXPECT_HAS(weft(run + "--input '[1.0, 1.0, 1.0]'").out, "[3.0, 5.0, 7.0]");
  EXPECT_HAS(weft(run + "--input '[1.0, 1.0]'").error, "DimensionMismatch: the entry has one extent n, got 3 and 2");
  const std::string header = (folder_ / "open.h").string();
  ASSERT_EQ(weft("build " + program + " --entry 'axpy(Float64, Vector{Float64}(n), Vector{Float64}(n))' -o " +
                 (folder_ / "open.so").string() + " --header " + header)
                .code,
            0);
  std::stringstream text;
  text << std::ifstream(header).rdbuf();
  EXPECT_HAS(text.str(), "args[1]  tensor<e0xf64>: double, aligned to 8\n              x: Vector{Float64}");
}

TEST_F(Julia, OtherCommandsTakeACallInIt) {
  const std::string program = file("square.jl", "f(x) = sum(x .* x)\n");
  const std::string entry = program + " --entry 'f(Vector{Float64}(5))'";
  EXPECT_EQ(weft("explain " + entry).code, 0);
  EXPECT_EQ(weft("diff " + entry + " --targets eval,native").code, 0);
  const std::string library = (folder_ / "square.so").string();
  EXPECT_EQ(weft("build " + entry + " -o " + library).code, 0);
  EXPECT_TRUE(fs::exists(library));
  const Answer gradient = weft("transform " + entry + " --grad f:0");
  EXPECT_EQ(gradient.code, 0) << gradient.error;
  EXPECT_HAS(gradient.out, "func.func @f(%arg0: tensor<5xf64>) -> tensor<5xf64>");
  EXPECT_EQ(weft("transform " + sample("no_such.mlir") + " --entry main --grad main:0").code, 2);
  const Answer unknown = weft("explain " + program + " --entry 'nowhere(Float64)'");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_HAS(unknown.error, "nowhere");
}

TEST_F(Julia, OtherCommandsRefuseIt) {
  const std::string program = file("program.jl", "println(1)\n");
  for (const char* command : {"fmt ", "explain ", "transform --simplify "}) {
    const Answer answer = weft(command + program);
    EXPECT_EQ(answer.code, 3) << command << answer.error;
    EXPECT_HAS(answer.error, "program.jl: this command takes StableHLO programs");
  }
  EXPECT_EQ(weft("check nowhere.jl").code, 1);
}

}  // namespace
