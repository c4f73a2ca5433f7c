// weft check FILE.jl: what compiles, and of the rest each cause at its place.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaCheck : public Command {
 protected:
  /// The whole answer about a program, without the folder in front of its name.
  Answer check(const std::string& text, const std::string& options = "") {
    const std::string name = file("f.jl", text);
    Answer answer = weft("check " + options + " " + name);
    for (std::string* stream : {&answer.out, &answer.error}) {
      for (size_t at = stream->find(name); at != std::string::npos; at = stream->find(name)) {
        stream->replace(at, name.size(), "f.jl");
      }
    }
    return answer;
  }
};

TEST_F(JuliaCheck, SaysWhatCompiles) {
  const Answer answer = check("f(x) = 2x\ng(v) = sum(f, v)\nprintln(g([1.0, 2.0]))\n");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.out, "f.jl:1: f(Float64): compiled\nf.jl:2: g(Vector{Float64}(2)): compiled\n");
}

TEST_F(JuliaCheck, AVariableOfTwoTypesInALoop) {
  const Answer answer = check(
      "function total(v)\n"
      "    s = (0.0, 0)\n"
      "    for x in v\n"
      "        s = s[1] + x\n"
      "    end\n"
      "    s\n"
      "end\n"
      "outer(v) = total(v)\n"
      "outer([1.0, 2.0])\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error,
             "f.jl:4:9: not compiled: `s` is Tuple{Float64, Int64} before a loop and Float64 after an iteration "
             "[two types]\n"
             "          s = s[1] + x\n"
             "          ^~~~~~~~~~~~\n"
             "f.jl:2:5: note: Tuple{Float64, Int64} here\n"
             "      s = (0.0, 0)\n"
             "      ^~~~~~~~~~~~\n"
             "  in total(Vector{Float64})\n");
  EXPECT_HAS(answer.error, "  fix: start it with a value of type Float64\n");
  EXPECT_EQ(answer.out,
            "f.jl:1: total(Vector{Float64}(2)): not compiled, 1 cause\n"
            "f.jl:8: outer(Vector{Float64}(2)): not compiled, 1 cause\n");
}

TEST_F(JuliaCheck, AVariableOfTwoTypesByABranch) {
  const Answer answer = check(
      "function f(x)\n"
      "    y = \"none\"\n"
      "    if x > 0\n"
      "        y = 1.5\n"
      "    end\n"
      "    y\n"
      "end\n"
      "f(2.0)\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error,
             "f.jl:4:9: not compiled: `y` is Float64 on one way and String on the other [two types]\n"
             "          y = 1.5\n"
             "          ^~~~~~~\n"
             "f.jl:2:5: note: String here\n"
             "      y = \"none\"\n"
             "      ^~~~~~~~~~\n"
             "  in f(Float64)\n");
}

TEST_F(JuliaCheck, AGlobalThatIsAssigned) {
  const Answer answer = check(
      "counter = 0\n"
      "function count!(n)\n"
      "    for i in 1:n\n"
      "        global counter += i\n"
      "    end\n"
      "end\n"
      "count!(3)\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error,
             "f.jl:4:16: not compiled: global variable `counter` is assigned in compiled code [non-const global]\n"
             "          global counter += i\n"
             "                 ^~~~~~~~~~~~\n"
             "  in count!(Int64)\n"
             "  fix: return the value instead\n");
}

TEST_F(JuliaCheck, ACaptureThatIsAssignedAgain) {
  const Answer answer = check(
      "function f(n)\n"
      "    s = \"\"\n"
      "    add(x) = (s = x)\n"
      "    for i in 1:n\n"
      "        add(i)\n"
      "    end\n"
      "    s\n"
      "end\n"
      "f(4)\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error,
             "not compiled: `s` is String before a loop and Int64 after an iteration [reassigned capture]\n");
  EXPECT_HAS(answer.error, "  in f(Int64)\n");
}

TEST_F(JuliaCheck, AFieldOfAbstractType) {
  const Answer answer = check(
      "mutable struct Cell\n"
      "    v::Real\n"
      "end\n"
      "put(c, x) = (c.v = x; c)\n"
      "put(Cell(1), 2.5)\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error,
             "f.jl:4:14: not compiled: field `v` of Cell is declared Real [abstract field]\n"
             "  put(c, x) = (c.v = x; c)\n"
             "               ^~~~~~~\n"
             "  in put(Cell, Float64)\n"
             "  fix: declare the field with a concrete type or a type parameter\n");
}

TEST_F(JuliaCheck, AContainerOfMixedElements) {
  const Answer answer = check("total(v) = sum(v)\ntotal(Any[1, 2.5])\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error,
             "f.jl:1:1: not compiled: an array with elements of type Any [untyped container]\n"
             "  total(v) = sum(v)\n"
             "  ^~~~~~~~~~~~~~~~~\n"
             "  fix: give it a concrete number type, for example Float64[…]\n");
}

TEST_F(JuliaCheck, ASizeThatDependsOnData) {
  const Answer answer = check("positives(X) = X[:, X[1, :] .> 0]\npositives([1.0 -1.0; 2.0 3.0])\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "f.jl:1:16: not compiled: a mask among several indices");
  EXPECT_HAS(answer.error,
             " [data-dependent shape]\n  positives(X) = X[:, X[1, :] .> 0]\n                 ^~~~~~~~~~~~~~~~~~\n");
}

TEST_F(JuliaCheck, AFunctionChosenWhenTheProgramRuns) {
  const Answer answer = check("pick(x) = (f = x[1] > 0 ? sin : cos; f(x[1]))\npick([1.0])\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.error,
            "f.jl:1:12: not compiled: `f` is typeof(sin) on one way and typeof(cos) on the other [dynamic dispatch]\n"
            "  pick(x) = (f = x[1] > 0 ? sin : cos; f(x[1]))\n"
            "             ^~~~~~~~~~~~~~~~~~~~~~~~\n"
            "  in pick(Vector{Float64})\n"
            "  fix: call each function in its own branch\n");
}

TEST_F(JuliaCheck, AFeatureThatCompiledCodeLacks) {
  const Answer answer = check("f(x) = try sqrt(x) catch; 0.0 end\nf(2.0)\n");
  EXPECT_EQ(answer.code, 3);  // nothing that the program does wrong
  EXPECT_EQ(answer.error,
            "f.jl:1:8: not compiled: try [unsupported feature]\n"
            "  f(x) = try sqrt(x) catch; 0.0 end\n"
            "         ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
            "  in f(Float64)\n"
            "  fix: catch exceptions in the function that calls this one\n");
}

TEST_F(JuliaCheck, AllCausesOfAFunction) {
  const Answer answer = check(
      "function three(x)\n"
      "    y = x[:, x[1, :] .> 0]\n"
      "    total = \"none\"\n"
      "    for v in x\n"
      "        total = v\n"
      "    end\n"
      "    z = y .+ 1\n"  // follows from the first: not said
      "    try\n"
      "        total = 0.0\n"
      "    catch\n"
      "    end\n"
      "    f = x[1] > 0 ? sin : cos\n"
      "    f(x[1])\n"
      "end\n"
      "three([1.0 2.0; 3.0 4.0])\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.out, "f.jl:1: three(Matrix{Float64}(2, 2)): not compiled, 4 causes\n");
  for (const char* place : {"f.jl:2:9: not compiled", "f.jl:5:9: not compiled: `total` is String",
                            "f.jl:8:5: not compiled: try", "f.jl:12:5: not compiled: `f` is typeof(sin)"}) {
    EXPECT_HAS(answer.error, place);
  }
}

TEST_F(JuliaCheck, TheUsersLineComesFirstAndThenTheCalls) {
  const Answer answer = check(
      "shown(i) = read(open(\"a\"), String)\n"
      "middle(v) = map(shown, v)\n"
      "outer(v) = middle(v)\n"
      "outer([1, 2])\n");
  EXPECT_EQ(answer.code, 3);
  EXPECT_TRUE(answer.error.starts_with("f.jl:1:17: not compiled: `open` has no compiled form")) << answer.error;
  EXPECT_HAS(answer.error,
             "  in shown(Int64)\n"
             "  called at f.jl:2:13 in middle(Vector{Int64})\n"
             "  called at f.jl:3:12 in outer(Vector{Int64})\n");
}

TEST_F(JuliaCheck, TheProgramHasNoEffects) {
  const fs::path written = folder_ / "written";
  const std::string path = "\"" + written.string() + "\"";
  const Answer answer = check("println(\"out\")\nopen(" + path + ", \"w\") do io\n  print(io, 1)\nend\nmkdir(" + path +
                              " * \"d\")\nsleep(1000)\nreadline()\nf(x) = x + 1\nf(3)\nexit(7)\nf(2.0)\n");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "f.jl:8: f(Int64): compiled\nf.jl:8: f(Float64): compiled\n");
  EXPECT_EQ(answer.error, "");
  EXPECT_FALSE(fs::exists(written));
  EXPECT_FALSE(fs::exists(written.string() + "d"));
}

TEST_F(JuliaCheck, RunsTheProgramWhenAsked) {
  const Answer answer = check("println(\"out\")\nf(x) = x + 1\nfor n in 1:2\n  f(zeros(n)[1])\nend\n", "--run");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.error, "out\n");
  EXPECT_EQ(answer.out, "f.jl:2: f(Float64): compiled\n");
}

TEST_F(JuliaCheck, TakesSignaturesFromEntriesAndDeclarations) {
  const std::string program = "f(x, y) = x .+ y\ng(x::Vector{Float64}, n::Int) = n * sum(x)\nh(a) = a\n";
  const Answer answer = check(program, "--entry 'f(Vector{Float64}(8), Float32)' --entry 'f(Int64, Int64)'");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out,
            "f.jl:1: f(Vector{Float64}(8), Float32): compiled\n"
            "f.jl:1: f(Int64, Int64): compiled\n"
            "f.jl:2: g(Vector{Float64}(4), Int64): compiled\n"
            "f.jl:3: h: not checked: no concrete signature (give --entry 'h(…)')\n");
  EXPECT_EQ(check(program, "--entry 'nowhere(Float64)'").code, 1);
}

TEST_F(JuliaCheck, FollowsLoopsTestsModulesAndFiles) {
  file("part.jl", "half(x) = x / 2\n");
  const Answer answer = check(
      "using Test\n"
      "include(\"part.jl\")\n"
      "module Inner\n"
      "twice(x) = 2x\n"
      "end\n"
      "third(x) = x / 3\n"
      "fourth(x) = x / 4\n"
      "@testset \"all\" begin\n"
      "    v = rand(5)\n"
      "    @test half(v) == v / 2\n"
      "    @test_throws DomainError third(sqrt(-1.0))\n"
      "end\n"
      "for T in (Float32, Int8)\n"
      "    Inner.twice(one(T))\n"
      "end\n"
      "data = [parse(Float64, s) for s in split(\"1 2 3\")]\n"
      "fourth(data)\n");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_HAS(answer.out, "part.jl:1: half(Vector{Float64}(5)): compiled\n");
  EXPECT_HAS(answer.out, "f.jl:4: twice(Float32): compiled\n");
  EXPECT_HAS(answer.out, "f.jl:4: twice(Int8): compiled\n");
  EXPECT_HAS(answer.out, "f.jl:7: fourth(Vector{Float64}(3)): compiled\n");
}

TEST_F(JuliaCheck, ExplainsTypes) {
  const Answer answer = check(
      "function mean_square(x)\n"
      "    s = 0.0\n"
      "    n = length(x)\n"
      "    for v in x\n"
      "        s += v^2\n"
      "    end\n"
      "    s / n\n"
      "end\n"
      "mean_square(Float32[3, 4])\n",
      "--explain-types mean_square");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out,
            "mean_square(Vector{Float32}(2)) gives Float64\n"
            " 1 | function mean_square(x)\n"
            " 2 |     s = 0.0\n"
            "   |       s :: Float64 = 0.0\n"
            " 3 |     n = length(x)\n"
            "   |       length(x) :: Int64 = 2\n"
            "   |       n :: Int64 = 2\n"
            " 4 |     for v in x\n"
            "   |       v :: Float32\n"
            " 5 |         s += v^2\n"
            "   |           v^2 :: Float32\n"
            "   |           s :: Float64\n"
            " 6 |     end\n"
            " 7 |     s / n\n"
            "   |       s / n :: Float64\n"
            " 8 | end\n");
  EXPECT_EQ(check("f(x) = x\n", "--explain-types f").code, 1);  // nothing says of what types
}

TEST_F(JuliaCheck, ExplainsFunctionsWithoutAResult) {
  const Answer dead = check("f(x) = error(\"no \", x)\nf(1.0)\n", "--explain-types f");
  EXPECT_HAS(dead.out, "f(Float64) always throws\n");
  const Answer broken = check(
      "function f(n)\n    out = []\n    for i in 1:n\n        push!(out, i * 0.5)\n    end\n    sum(out)\nend\nf(5)\n",
      "--explain-types f");
  EXPECT_HAS(broken.out, "f(Int64) gives ?\n");
  EXPECT_HAS(broken.out, "i * 0.5 :: Float64\n");
}

TEST_F(JuliaCheck, WritesJson) {
  const Answer answer = check("pick(x) = (f = x[1] > 0 ? sin : cos; f(x[1]))\npick([1.0])\n", "--json");
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(
      answer.out,
      R"json({"version": 1, "ok": false, "files": [{"file": "f.jl", "diagnostics": [{"severity": "not compiled", "cause": "dynamic dispatch", )json"
      R"json("message": "`f` is typeof(sin) on one way and typeof(cos) on the other", "fix": "call each function in its own branch", )json"
      R"json("span": {"file": "f.jl", "begin": 11, "end": 35, "line": 1, "column": 12, "end_line": 1, "end_column": 36}, )json"
      R"json("variable": "f", "types": ["typeof(sin)", "typeof(cos)"], "related": [], "chain": [{"function": "pick", )json"
      R"json("signature": "pick(Vector{Float64})", "library": false, "span": {"file": "f.jl", "begin": 11, "end": 35, "line": 1, "column": 12, )json"
      R"json("end_line": 1, "end_column": 36}}]}], "signatures": [{"function": "pick", "signature": "pick(Vector{Float64}(1))", )json"
      R"json("status": "not compiled", "origin": "call", "by_integers": false, "diagnostics": [0], "span": {"file": "f.jl", "begin": 0, "end": 45, )json"
      R"json("line": 1, "column": 1, "end_line": 1, "end_column": 46}}]}]})json"
      "\n");
  const Answer syntax = check("f(x) = x +* 1\n", "--json");
  EXPECT_EQ(syntax.code, 1);
  EXPECT_HAS(syntax.out, R"("diagnostics": [{"severity": "error", "message": "not a unary operator", "span": {)");
  EXPECT_HAS(syntax.out, R"("begin": 10, "end": 11, "line": 1, "column": 11)");
}

TEST_F(JuliaCheck, PlainControlFlowCompiles) {
  const Answer answer = weft("check " WEFT_SOURCE_DIR "/tests/julia/run/plain_control_flow.jl");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.error, "");
  for (const char* signature : {"odd_powers(Float64): compiled", "filled(Int64): compiled, for each value",
                                "window_sum(Vector{Float64}(8), Float64): compiled",
                                "mixed(Vector{Int64}(3)): compiled", "shifted(Float64): compiled"}) {
    EXPECT_HAS(answer.out, signature);
  }
}

TEST_F(JuliaCheck, SaysTheSameWhateverElseIsChecked) {
  const std::string program = "f(x) = (y = x > 0 ? 1 : 2.0; z = 2y; z)\ng(x) = f(x) + 1\n";
  const std::string cause = "f.jl:1:9: not compiled: `y` is Int64 on one way and Float64 on the other [two types]\n";
  const Answer first = check(program + "f(1.0)\n");
  EXPECT_TRUE(first.error.starts_with(cause)) << first.error;
  for (const char* calls : {"g(1.0)\n", "g(1.0)\nf(2.0)\n", "f(2.0)\ng(1.0)\nf(3.0)\n"}) {
    const Answer again = check(program + calls);
    EXPECT_TRUE(again.error.starts_with(cause)) << again.error;
    EXPECT_EQ(again.error.find("not compiled", cause.size()), std::string::npos) << again.error;
  }
}

TEST_F(JuliaCheck, AResultThatLiesOverAnArgumentIsTheHostsOnly) {
  // Within compiled code such a result may be used; the host cannot be given it.
  const Answer answer = check("flat(A) = vec(A)\nuse(A) = sum(flat(A))\nuse([1.0 2.0])\nflat([1.0 2.0; 3.0 4.0])\n");
  EXPECT_EQ(answer.code, 3);
  EXPECT_HAS(answer.error, "f.jl:1:1: not compiled: a result lies over the memory of another array (reshape, vec)");
  EXPECT_EQ(answer.out,
            "f.jl:1: flat(Matrix{Float64}(1, 2)): compiled\n"
            "f.jl:1: flat(Matrix{Float64}(2, 2)): not compiled, 1 cause\n"
            "f.jl:2: use(Matrix{Float64}(1, 2)): compiled\n");
}

TEST_F(JuliaCheck, FollowsTheMainFunction) {
  const std::string work = "function work(v)\n    s = \"none\"\n    for x in v\n        s = x\n    end\n    s\nend\n";
  for (const char* call : {"function (@main)(args)\n    println(work([1.0, 2.0]))\n    return 0\nend\n",
                           "function main(args)\n    println(work([1.0, 2.0]))\nend\n"
                           "if abspath(PROGRAM_FILE) == @__FILE__\n    main(ARGS)\nend\n",
                           "main(args) = println(work([1.0, 2.0]))\nmain(ARGS)\n"}) {
    SCOPED_TRACE(call);
    const Answer answer = check(work + call);
    EXPECT_HAS(answer.error, "f.jl:4:9: not compiled: `s` is String before a loop and Float64 after an iteration");
    EXPECT_HAS(answer.out, "f.jl:1: work(Vector{Float64}(2)): not compiled, 1 cause\n");
  }
}

TEST_F(JuliaCheck, FunctionsOfAbstractTypesThatNothingCallsAreCheckedForTheCommonest) {
  const Answer answer = check(
      "a(v::AbstractVector) = sum(abs2, v)\n"
      "b(x::Real, n::Integer) = x^n\n"
      "c(m::AbstractMatrix{Float64}) = m * m\n"
      "d(x) = x\n"
      "e(f::Function) = f(1)\n"
      "struct Line\n    slope::Float64\nend\n"
      "(l::Line)(x) = l.slope * x\n"
      "Line(2.0)(1.0)\n");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out,
            "f.jl:1: a(Vector{Float64}(4)): compiled\n"
            "f.jl:2: b(Float64, Int64): compiled\n"
            "f.jl:3: c(Matrix{Float64}(4, 4)): compiled\n"
            "f.jl:4: d: not checked: no concrete signature (give --entry 'd(…)')\n"
            "f.jl:5: e: not checked: no concrete signature (give --entry 'e(…)')\n"
            "f.jl:9: (l::Line)(Float64): compiled\n");
}

TEST_F(JuliaCheck, ADefinitionThatFailsIsAnError) {
  const Answer answer = check("f(x) = x\nusing .NoSuchModule\nf(1)\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "f.jl:2:1: error: UndefVarError: `NoSuchModule` not defined in `Main`");
  EXPECT_HAS(answer.out, "f.jl:1: f(Int64): compiled\n");
}

TEST_F(JuliaCheck, EndsForRecursionWithLongerAndLongerVectors) {
  const Answer answer = check(
      "function queens(n, row, columns)\n    row > n && return 1\n    found = 0\n    for c in 1:n\n"
      "        columns[1] == c || (found += queens(n, row + 1, [columns; c]))\n    end\n    found\nend\n"
      "queens(4, 1, [0])\n");
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "f.jl:5:38: not compiled: `queens` calls itself with arrays of ever other sizes");
}

TEST_F(JuliaCheck, NamesWhatIsOutOfScopeAtTopLevelToo) {
  const Answer answer = check(
      "using Distributed\n"
      "using Plots, NoSuchPackage\n"
      "count = Threads.Atomic{Int}(0)\n"
      "task = Task(() -> 1)\n"
      "Meta.parse(\"1 + 1\")\n"
      "ccall(:sin, Float64, (Float64,), 1.0)\n"
      "@generated g(x) = :(x)\n"
      "BigInt(3)\n"
      "for i in 1:2\n"
      "    fetch(task)\n"
      "end\n"
      "f(x) = match(x, x)\n"
      "f(\"a\")\n"
      "unused(x) = unsafe_load(x)\n");
  EXPECT_EQ(answer.code, 3) << answer.error;
  for (const char* line :
       {"f.jl:1:1: not compiled: Distributed of Julia's standard library: Weft runs in one process",
        "f.jl:2:1: not compiled: the package Plots: Weft draws nothing",
        "f.jl:3:9: not compiled: Atomic: Weft has no tasks; a Ref in its place counts as well [out of scope]\n"
        "  count = Threads.Atomic{Int}(0)\n"
        "          ^~~~~~~~~~~~~~\n",
        "f.jl:4:8: not compiled: Task: Weft has no tasks [out of scope]",
        "f.jl:5:1: not compiled: Meta.parse: code is no value",
        "f.jl:6:1: not compiled: ccall: Weft runs without Julia's C libraries [out of scope]",
        "f.jl:7:1: not compiled: @generated: write an ordinary function",
        "f.jl:8:1: not compiled: BigInt: numbers of any size", "f.jl:10:5: not compiled: fetch: Weft has no tasks",
        "f.jl:12:8: not compiled: match: regular expressions: use occursin",
        "f.jl:14:13: not compiled: unsafe_load: Weft gives a program no addresses [out of scope]"}) {
    EXPECT_HAS(answer.error, line);
  }
  EXPECT_HAS(check("import Unicode\n", "--json").out,
             R"("cause": "out of scope", "message": "Unicode of Julia's standard library: )");
  // A name that the program defines is its own.
  EXPECT_EQ(check("match(x, y) = x + y\nmatch(1, 2)\n").error, "");
}

}  // namespace
