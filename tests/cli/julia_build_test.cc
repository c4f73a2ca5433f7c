// weft build FILE.jl -o PROGRAM: what the program does where neither weft nor the sources are.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaBuild : public Command {
 protected:
  /// The built program, called from another folder.
  Answer call(const std::string& program, const std::string& words) {
    fs::create_directories(folder_ / "elsewhere");
    return weft("--version >/dev/null",
                "cd " + (folder_ / "elsewhere").string() + "; " + program + " " + words + "; exit;");
  }
};

TEST_F(JuliaBuild, RunsWithoutItsSources) {
  fs::create_directories(folder_ / "source/lib");
  const std::string main = file("source/main.jl", R"jl(
include("lib/part.jl")
include(joinpath(@__DIR__, "lib", "other.jl"))
println(ARGS, " ", part(length(ARGS)), " ", other)
println(PROGRAM_FILE == @__FILE__, " ", basename(PROGRAM_FILE), " ", basename(@__DIR__))
isempty(ARGS) || exit(length(ARGS))
println(missing_name)
)jl");
  file("source/lib/part.jl", "include(\"deep.jl\")\npart(x) = deep(x) + 1\n");
  file("source/lib/deep.jl", "deep(x) = 10x\n");
  file("source/lib/other.jl", "const other = :other\n");
  fs::create_directories(folder_ / "bin");
  const std::string program = (folder_ / "bin/program").string();
  const Answer built = weft("build " + main + " -o " + program);
  ASSERT_EQ(built.code, 0) << built.error;
  EXPECT_EQ(built.out + built.error, "");
  EXPECT_EQ(static_cast<int>(fs::status(program).permissions()), 0755);
  fs::remove_all(folder_ / "source");
  // Words are the program's, whatever they look like.
  const Answer answer = call(program, "--help run 'a b'");
  EXPECT_EQ(answer.code, 3) << answer.error;
  EXPECT_EQ(answer.out, "[\"--help\", \"run\", \"a b\"] 31 other\ntrue main.jl bin\n");
  const Answer fails = call(program, "");
  EXPECT_EQ(fails.code, 1);
  EXPECT_HAS(fails.error, "ERROR: LoadError: UndefVarError: `missing_name` not defined in `Main`");
  EXPECT_HAS(fails.error, "main.jl:7");
}

TEST_F(JuliaBuild, CallsMain) {
  const std::string source =
      file("main.jl", "function (@main)(args)\n  println(sum(parse.(Int, args)))\n  return 4\nend\n");
  const std::string program = (folder_ / "program").string();
  ASSERT_EQ(weft("build " + source + " -o " + program + " --compile=always").code, 0);
  const Answer answer = call(program, "1 2 39");
  EXPECT_EQ(answer.out, "42\n") << answer.error;
  EXPECT_EQ(answer.code, 4);
}

TEST_F(JuliaBuild, RefusesWhatItCannotCarry) {
  const std::string program = (folder_ / "program").string();
  const Answer computed = weft("build " + file("a.jl", "f = \"b.jl\"\ninclude(f)\n") + " -o " + program);
  EXPECT_EQ(computed.code, 1);
  EXPECT_HAS(computed.error, "a.jl:2: the path of this include is known only when the program runs");
  EXPECT_EQ(weft("build " + file("c.jl", "include(\"nowhere.jl\")\n") + " -o " + program).code, 1);
  EXPECT_HAS(weft("build " + file("d.jl", "x = (1,\n") + " -o " + program).error, "d.jl:");
  const std::string good = file("good.jl", "println(1)\n");
  EXPECT_HAS(weft("build " + good + " -o " + (folder_ / "x.so").string()).error, "a library is made of one call");
  EXPECT_HAS(weft("build " + good + " --header x.h -o " + program).error, "--header is for libraries");
  EXPECT_FALSE(fs::exists(program));
}

TEST_F(JuliaBuild, FunctionsAsValues) {
  const Answer answer = weft("run " + file("compiled.jl", R"jl(
power(x, n) = (y = one(x); for _ in 1:n; y *= x; end; y)
cube = @compile power(2.0, 3)
println(cube(3.0, 3), " ", cube(2.0, 10), " ", cube)
double!(x; by = 2) = (x .*= by; nothing)
x = [1.0, 2.0]
f = @compile sync = true double!(x; by = 3)
println(x)
f(x; by = 4)
println(x)
sizes(n) = zeros(n)
g = @compile sizes(2)
for call in (() -> cube(1, 3), () -> f([1.0]; by = 3), () -> f(x), () -> g(3), () -> @compile(readline()))
    try
        call()
    catch e
        println(e isa ArgumentError || e isa ErrorException, " ", first(split(e.msg, '\n')))
    end
end
println(occursin("stablehlo.while", string(@code_stablehlo power(2.0, 3))))
h(v, i) = v[i]
println(try (@compile h(x, 1))(x, 5) catch e; e end)
)jl"));
  EXPECT_EQ(
      answer.out,
      "27.0 1024.0 compiled power(Float64, Int64)\n[1.0, 2.0]\n[4.0, 8.0]\n"
      "true called as power(Int64, Int64), compiled for power(Float64, Int64); @compile it for these arguments\n"
      "true called as double!(Vector{Float64}(1); by = Int64), compiled for double!(Vector{Float64}(2); by = "
      "Int64); @compile it for these arguments\n"
      "true called as double!(Vector{Float64}(2)), compiled for double!(Vector{Float64}(2); by = Int64); @compile "
      "it for these arguments\n"
      "true called as sizes(3), compiled for sizes(2); @compile it for these arguments\n"
      "true readline() is not compiled: `readline` has no compiled form (_io_readline) [unsupported feature]\n"
      "true\nBoundsError([4.0, 8.0], (5,))\n")
      << answer.error;
}

}  // namespace
