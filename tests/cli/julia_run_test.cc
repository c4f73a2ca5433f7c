// weft run FILE.jl and -e: what is printed where, how exceptions end a program, which options there are.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using JuliaRun = Command;

TEST_F(JuliaRun, RunsAFileWithItsArguments) {
  const std::string program = file("args.jl", "println(length(ARGS), \" \", join(ARGS, \"|\"))\n");
  const Answer answer = weft("run " + program + " 12 --json 'a b'");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "3 12|--json|a b\n");
  EXPECT_EQ(answer.error, "");
}

TEST_F(JuliaRun, KnowsItsOwnName) {
  const std::string program =
      file("main.jl", "println(abspath(PROGRAM_FILE) == @__FILE__)\nprintln(basename(@__FILE__), @__LINE__)\n");
  const Answer answer = weft("run " + program);
  EXPECT_EQ(answer.out, "true\nmain.jl2\n") << answer.error;
}

TEST_F(JuliaRun, IncludesBesideTheFile) {
  file("part.jl", "f(x) = 2x\n");
  const Answer answer = weft("run " + file("whole.jl", "include(\"part.jl\")\nprintln(f(4))\n"));
  EXPECT_EQ(answer.out, "8\n") << answer.error;
}

TEST_F(JuliaRun, RunsExpressions) {
  const Answer answer = weft("run -e 'x = 3' -e 'println(x + length(ARGS))' one two");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "5\n");
  // A value alone is not printed.
  EXPECT_EQ(weft("run -e '1 + 1'").out, "");
}

TEST_F(JuliaRun, WritesToBothStreams) {
  const Answer answer = weft("run -e 'println(1); println(stderr, 2); print(3)'");
  EXPECT_EQ(answer.out, "1\n3");
  EXPECT_EQ(answer.error, "2\n");
}

TEST_F(JuliaRun, AnUncaughtExceptionNamesItsPlace) {
  const std::string program = file("fails.jl", "println(1)\nf(x) = div(x, 0)\n\nf(3)\nprintln(2)\n");
  const Answer answer = weft("run " + program);
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.out, "1\n");
  EXPECT_TRUE(answer.error.starts_with("ERROR: LoadError: DivideError: integer division error\n")) << answer.error;
  EXPECT_HAS(answer.error, "in expression starting at " + program + ":4\n");
  EXPECT_HAS(answer.error, "fails.jl:2");  // where f divides
  EXPECT_TRUE(weft("run -e 'error(\"no\")'").error.starts_with("ERROR: no\n"));
}

TEST_F(JuliaRun, AnExceptionOfTheProgramsOwn) {
  const std::string text =
      "struct Broke <: Exception\n  by::Int\nend\n"
      "Base.showerror(io::IO, e::Broke) = print(io, \"Broke by \", e.by)\nthrow(Broke(3))\n";
  EXPECT_HAS(weft("run " + file("own.jl", text)).error, "ERROR: LoadError: Broke by 3\n");
}

TEST_F(JuliaRun, WrongSyntaxIsSaidBeforeAnythingRuns) {
  const Answer answer = weft("run " + file("wrong.jl", "println(1)\nx = (1,\n"));
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.out, "");
  EXPECT_HAS(answer.error, "wrong.jl:");
}

TEST_F(JuliaRun, ExitEndsWithItsCode) {
  const Answer answer = weft("run -e 'println(1); exit(7); println(2)'");
  EXPECT_EQ(answer.code, 7);
  EXPECT_EQ(answer.out, "1\n");
  EXPECT_EQ(weft("run -e 'exit()'").code, 0);
}

TEST_F(JuliaRun, WhatIsBeyondTheScopeIsNamed) {
  const Answer answer = weft("run -e 'ccall(:abs, Int32, (Int32,), 1)'");
  EXPECT_EQ(answer.code, 3);
  EXPECT_HAS(answer.error, "ccall");
}

TEST_F(JuliaRun, OptionsStandInFrontOfTheFile) {
  const std::string program = file("one.jl", "println(1)\n");
  EXPECT_EQ(weft("run --compile=never " + program).out, "1\n");
  EXPECT_EQ(weft("run --compile auto " + program).out, "1\n");
  EXPECT_EQ(weft("run --compile=always " + program).out, "1\n");
  const Answer wrong = weft("run --compile=sometimes " + program);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_HAS(wrong.error, "expected never, auto or always");
  EXPECT_EQ(weft("run -e").code, 2);
  EXPECT_EQ(weft("run nowhere.jl").code, 1);
  EXPECT_EQ(weft("run --compile=never " + sample("no_such.mlir")).code, 2);
}

TEST_F(JuliaRun, ReportsWhatItCompiled) {
  const Answer fib = weft("run --compile=always --report -e 'f(n) = n < 2 ? n : f(n-1) + f(n-2); println(f(20))'");
  EXPECT_EQ(fib.code, 0) << fib.error;
  EXPECT_EQ(fib.out, "6765\n");
  EXPECT_HAS(fib.error, "1 signatures compiled, 0 not; 1 calls of compiled code\n");
}

TEST_F(JuliaRun, CompilesForTheTargetThatIsAsked) {
  const std::string program = file("target.jl", "f(x) = sum(abs2, x)\nprintln(f([1.0, 2.0]))\n");
  const Answer answer = weft("run --target eval --compile=always --report " + program);
  EXPECT_EQ(answer.out, "5.0\n");
  EXPECT_HAS(answer.error, "1 signatures compiled");
  const Answer unknown = weft("run --target=nowhere " + program);
  EXPECT_NE(unknown.code, 0);
  EXPECT_HAS(unknown.error, "there is no target \"nowhere\"");
}

TEST_F(JuliaRun, ManySizesHaveOneCode) {
  const std::string program = file("sizes.jl",
                                   "f(x) = (s = 0.0; for v in x; s += v; end; s)\n"
                                   "println(sum(f(ones(n)) for n in 10:110))\n");
  const Answer answer = weft("run --report " + program);
  EXPECT_EQ(answer.out, "6060.0\n");
  EXPECT_HAS(answer.error, "5 signatures compiled, ");  // four of their own, then one for all others
}

TEST_F(JuliaRun, SaysWhatEachSignatureCost) {
  const std::string program =
      file("times.jl",
           "f(x; by = 1.0) = sum(abs2, x) * by\nfor i in 1:3\n  f([1.0, 2.0]; by = 2.0)\nend\nprintln(f([1.0f0]))\n");
  const std::string cache = (folder_ / "cache").string();
  const Answer answer = weft("run --timings --cache " + cache + " --compile=always " + program);
  EXPECT_EQ(answer.out, "1.0\n") << answer.error;
  EXPECT_HAS(answer.error, "infer");
  EXPECT_HAS(answer.error, "       3  f(Vector{Float64}(2); by = Float64)\n");
  EXPECT_HAS(answer.error, "       1  f(Vector{Float32}(1))\n");
  EXPECT_HAS(answer.error, "       4  2 signatures\n");
  EXPECT_FALSE(fs::is_empty(cache));
  EXPECT_EQ(weft("run --cache=off " + program).out, "1.0\n");
}

TEST_F(JuliaRun, ReportsWhatItDidNotCompileAndWhy) {
  const Answer asks = weft("run --compile=always --report -e 'g(n) = (isfile(string(n)) ? 1 : n); println(g(3))'");
  EXPECT_EQ(asks.code, 0) << asks.error;
  EXPECT_EQ(asks.out, "3\n");  // the host runs it
  EXPECT_HAS(asks.error, "not compiled: g: `isfile` has no compiled form");
  EXPECT_HAS(asks.error, "in g at none:1:9\n");
  EXPECT_HAS(asks.error, "0 signatures compiled, 1 not; 0 calls of compiled code\n");
}

TEST_F(JuliaRun, SaysEachRefusalOnceAtTheEnd) {
  const Answer answer = weft(
      "run --compile=always --report -e 'g(v) = (isfile(string(v[1])); v); for i in 1:3; g(ones(Int, i)); end; "
      "g([7.0])'");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.error,
            "not compiled: g: `isfile` has no compiled form (_file_is) [unsupported feature]\n"
            "  in g at none:1:9\n"
            "  for 4 signatures\n"
            "0 signatures compiled, 4 not; 0 calls of compiled code\n");
}

TEST_F(JuliaRun, ReportsNothingOfTests) {
  const Answer answer =
      weft("run --compile=always --report -e 'using Test; g(x) = 2x; @testset \"t\" begin; @test g(2) == 4; end'");
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.error, "1 signatures compiled, 0 not; 1 calls of compiled code\n");
}

TEST_F(JuliaRun, RecursionWithoutEndIsAnException) {
  const Answer answer = weft("run -e 'f(n) = 1 + f(n + 1); f(1)'");
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(answer.error.starts_with("ERROR: StackOverflowError:")) << answer.error.substr(0, 200);
}

TEST_F(JuliaRun, ControlCIsAnException) {
  const std::string program = file("loop.jl",
                                   "try\n  while true\n  end\ncatch e\n  println(e isa InterruptException)\nend\n"
                                   "while true\nend\n");
  // Interrupted twice: the first is caught.
  const std::string command = std::string(WEFT_BINARY_DIR) + "/weft run " + program;
  const Answer answer =
      weft("--version > " + (folder_ / "version").string(),
           command + " > " + (folder_ / "loop").string() + " 2>&1 & pid=$!; sleep 2; kill -INT $pid; " +
               "sleep 2; kill -INT $pid; wait $pid; echo $? > " + (folder_ / "code").string() + ";");
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(read(folder_ / "code"), "130\n");
  EXPECT_TRUE(read(folder_ / "loop").starts_with("true\nERROR: LoadError: InterruptException:"))
      << read(folder_ / "loop");
}

TEST_F(JuliaRun, AnInterruptEndsCompiledCode) {
  const std::string f =
      file("a.jl",
           "function turn!(u, n)\n  for k in 1:n, i in eachindex(u)\n    u[i] = 0.5u[i] + 1\n  end\nend\n"
           "try\n  turn!(ones(100), 10^12)\ncatch e\n  println(e isa InterruptException)\nend\n");
  EXPECT_EQ(weft("run " + f, "timeout -s INT 2").out, "true\n");
}

TEST_F(JuliaRun, AnInterruptEndsWhatTheLibraryDoes) {
  int n = 0;
  for (const char* code :
       {"sleep(1000)", "sum(x -> sin(x), 1:10^12)", "while sort(1:10^6; lt = (a, b) -> a > b) != []\nend"}) {
    const std::string text = "try\n  " + std::string(code) + "\ncatch e\n  println(e isa InterruptException)\nend\n";
    const std::string f = file("library" + std::to_string(n++) + ".jl", text);
    // In the foreground `timeout` interrupts once: a second time ends the process.
    EXPECT_EQ(weft("run --compile=never " + f, "timeout --foreground -s INT -k 20 2").out, "true\n") << code;
  }
}

TEST_F(JuliaRun, NamesOutsideOfTheScopeAreRefusedByName) {
  const std::pair<const char*, const char*> programs[] = {
      {"Channel(1)", "Channel: Weft has no tasks"},
      {"f(t) = fetch(t); f(1)", "fetch: Weft has no tasks"},
      {"pointer([1])", "pointer: Weft gives a program no addresses"},
      {"match(1, 2)", "match: regular expressions: use occursin"},
      {"Threads.Atomic{Int}(0)", "Atomic: Weft has no tasks; a Ref"},
      {"Task(() -> 1)", "Task: Weft has no tasks"},
      {"Meta.parse(string(1))", "Meta.parse: code is no value"},
      {"using Distributed", "Distributed of Julia\'s standard library: Weft runs in one process"},
      {"import Pkg", "Pkg of Julia\'s standard library: Weft\'s own packages are always there"},
      {"using DataFrames", "the package DataFrames: readdlm of DelimitedFiles reads tables"},
      {"using NoSuchPackage: x", "the package NoSuchPackage: Weft has its own alone (ChainRulesCore, "}};
  for (const auto& [code, why] : programs) {
    const Answer answer = weft("run -e '" + std::string(code) + "'");
    EXPECT_EQ(answer.code, 3) << code;
    EXPECT_TRUE(answer.error.starts_with("ERROR: unsupported: " + std::string(why))) << answer.error;
    EXPECT_HAS(answer.error, "none:1");
  }
  // A program's own functions may have these names, and others are undefined as ever.
  EXPECT_EQ(weft("run -e 'fetch(x) = x + 1; match = 2; print(fetch(match))'").out, "3");
  // Who looks whether a package is there finds that it is not installed.
  EXPECT_EQ(weft("run -e 'try; using CUDA; catch e; print(typeof(e)); end'").out, "ArgumentError");
  EXPECT_TRUE(weft("run -e 'nothing_of_this'").error.starts_with("ERROR: UndefVarError: `nothing_of_this`"));
}

TEST_F(JuliaRun, HelpTellsOfIt) {
  const Answer answer = weft("help run");
  EXPECT_EQ(answer.code, 0);
  EXPECT_HAS(answer.out, "--eval");
  EXPECT_HAS(weft("help repl").out, "julia> ");
}

TEST_F(JuliaRun, MemoryThatRunsOutIsAnException) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have more addresses than the limit allows";
#endif
  // What the system has to give where there is no more; over 1 GB of it are addresses for stacks, without memory behind them.
  const std::string limit = "ulimit -d 1800000;";
  for (const char* code : {"x = Float64[]\nwhile true\n    append!(x, zeros(1000))\nend\n",
                           "a = [1.0]\nwhile true\n    global a = [a; a]\nend\n",
                           "f() = (x = Any[]; while true; push!(x, zeros(1000)); end)\nf()\n",
                           "s = \"ab\"\nwhile true\n    global s = s * s\nend\n"}) {
    const Answer answer = weft("run " + file("f.jl", code), limit);
    EXPECT_EQ(answer.code, 1) << code;
    EXPECT_TRUE(answer.error.starts_with("ERROR: LoadError: OutOfMemoryError()\n")) << code << answer.error;
  }
  // It can be caught, and what is no longer used is there for others.
  const Answer caught =
      weft("run " + file("g.jl",
                         "function fill_up()\n    x = Any[]\n    while true\n        push!(x, zeros(1000))\n"
                         "    end\nend\n"
                         "for i in 1:2\n    try\n        fill_up()\n    catch e\n        println(e)\n    end\nend\n"),
           limit);
  EXPECT_EQ(caught.out, "OutOfMemoryError()\nOutOfMemoryError()\n") << caught.error;
}

}  // namespace
