// What compiled code does with vectors of a length that only the run decides, values that may be nothing, and arrays of arrays.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaSelections : public Command {
 protected:
  /// The program's lines, all of whose calls must have been compiled.
  void expect_compiled(const std::string& source, const std::string& lines) {
    const Answer answer = weft("run --compile=always --report " + file("program.jl", source));
    EXPECT_EQ(answer.out, lines) << answer.error;
    EXPECT_HAS(answer.error, ", 0 not; ") << source;
    EXPECT_EQ(answer.error.find("; 0 calls"), std::string::npos) << answer.error;
  }
};

TEST_F(JuliaSelections, SumsWhatAMaskSelects) {
  expect_compiled("f(x) = sum(x[x .> 0])\nprintln(f([1.5, -2.0, 3.0]))\nprintln(f([-1.0]))\n", "4.5\n0.0\n");
}

TEST_F(JuliaSelections, AssignsWhereAMaskHolds) {
  expect_compiled("f(x) = (y = copy(x); y[y .> 2] .= 2; y)\nprintln(f([1, 5, 2]))\nprintln(f([0 3; 4 1]))\n",
                  "[1, 2, 2]\n[0 2; 2 1]\n");
}

TEST_F(JuliaSelections, AppendsInLoops) {
  expect_compiled(
      "f(n) = (v = Int[]; for i in 1:n; push!(v, i^2); end; v .+ 1)\n"
      "g(x) = (v = Int[]; for a in x; isodd(a) && push!(v, a); end; v)\nprintln(f(3))\nprintln(g([1, 2, 3]))\n",
      "[2, 5, 10]\n[1, 3]\n");
}

TEST_F(JuliaSelections, FindsOrGivesNothing) {
  expect_compiled(
      "f(x) = findfirst(iseven, x)\ng(x) = (k = findfirst(iseven, x); k === nothing ? 0 : k)\n"
      "println(f([1, 2]))\nprintln(f([1, 3]))\nprintln(g([1, 3]))\n",
      "2\nnothing\n0\n");
}

TEST_F(JuliaSelections, FollowsTheIterationProtocol) {
  expect_compiled(
      "function f(x)\n  s = 0\n  next = iterate(x)\n  while next !== nothing\n    (a, state) = next\n    s += a\n"
      "    next = iterate(x, state)\n  end\n  s\nend\nprintln(f([1, 2, 3]))\nprintln(f(Int[]))\n",
      "6\n0\n");
}

TEST_F(JuliaSelections, GathersColumns) {
  expect_compiled("f(A, i) = A[:, i]\nprintln(f([1 2 3; 4 5 6], [3, 1]))\n", "[3 1; 6 4]\n");
}

TEST_F(JuliaSelections, ReshapedArraysShareTheirElements) {
  expect_compiled(
      "f(A) = (B = copy(A); v = vec(B); v[1] = 9; B[2, 2] = 7; (B, sum(v)))\n"
      "g(n) = (B = zeros(2, 2); v = reshape(B, 4); for i in 1:n; v[i] += i; B[1, 1] += 1; end; (sum(B), sum(v)))\n"
      "println(f([1 2; 3 4]))\nprintln(g(3))\n",
      "([9 2; 3 7], 21)\n(9.0, 9.0)\n");
}

TEST_F(JuliaSelections, HoldsArraysOfArrays) {
  expect_compiled("f(n) = [[i * j for j in 1:n] for i in 1:n]\nprintln(f(2))\n", "[[1, 2], [2, 4]]\n");
}

TEST_F(JuliaSelections, SaysWhatDependsOnData) {
  const Answer answer = weft("run --compile=always --report " +
                             file("program.jl", "f(A, m) = A[:, m]\nprintln(f([1 2; 3 4], [true, false]))\n"));
  EXPECT_EQ(answer.out, "[1; 3;;]\n") << answer.error;
  EXPECT_HAS(answer.error, "a mask among several indices: how much it selects is known only when the program runs");
  EXPECT_HAS(answer.error, "fix: multiply by the mask, or select from a vector");
}

}  // namespace
