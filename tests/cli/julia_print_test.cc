// What compiled Julia code prints: the same text as the host's, in the program's order, and no text twice.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaPrint : public Command {
 protected:
  /// The program prints this in the host and compiled, and nothing of it is left to the host.
  void expect_prints(const std::string& text, const std::string& expected) {
    const std::string program = file("print.jl", text);
    EXPECT_EQ(weft("run --compile=never " + program).out, expected);
    const Answer compiled = weft("run --compile=always --report " + program);
    EXPECT_EQ(compiled.out, expected) << compiled.error;
    EXPECT_HAS(compiled.error, "compiled, 0 not;") << text;
  }
};

TEST_F(JuliaPrint, ValuesInLoops) {
  expect_prints(R"jl(
function f(n)
    s = 0.0
    for i in 1:n
        s += 1 / i
        println("i = ", i, ", s = $s")
        isodd(i) && print("odd\n")
    end
    println((n, s, s > 2), [1.0, n], Float32(s), nothing, :a, 1:n, 2 + s * im)
    return s
end
f(2)
)jl",
                "i = 1, s = 1.0\nodd\ni = 2, s = 1.5\n(2, 1.5, false)[1.0, 2.0]1.5nothinga1:22.0 + 1.5im\n");
}

TEST_F(JuliaPrint, ArraysAsTheyAreThen) {
  expect_prints(R"jl(
function f(n)
    a = zeros(2, 2)
    text = "$a"
    for i in 1:n
        a[i, i] = i
        println(a)
    end
    println(text)
    show(stdout, a[:, 1]); println()
    display(a)
    @show a[1] n
    a
end
f(2)
)jl",
                "[1.0 0.0; 0.0 0.0]\n[1.0 0.0; 0.0 2.0]\n[0.0 0.0; 0.0 0.0]\n[1.0, 0.0]\n"
                "2×2 Matrix{Float64}:\n 1.0  0.0\n 0.0  2.0\na[1] = 1.0\nn = 2\n");
}

TEST_F(JuliaPrint, Formats) {
  expect_prints(R"jl(
using Printf
function f(x, n)
    @printf("%6.2f|%-4d|%s|%e\n", x, n, x > 0 ? "up" : "down", x)
    t = @sprintf("%03d", n) * "!" * lpad(string(n), 4, '.') * rpad(n, 3) * "|" * string(n, base = 2)
    println(t, uppercase("n$n"), repr("a$n"), repeat("-", n))
    return "f($x)"
end
println(f(2.5, 5))
println(f(-1.0, 3))
)jl",
                "  2.50|5   |up|2.500000e+00\n005!...55  |101N5\"a5\"-----\nf(2.5)\n"
                " -1.00|3   |down|-1.000000e+00\n003!...33  |11N3\"a3\"---\nf(-1.0)\n");
}

TEST_F(JuliaPrint, TheProgramsOwnMethods) {
  expect_prints(R"jl(
struct Point
    x::Float64
    y::Float64
end
struct Plain
    at::Int
end
Base.show(io::IO, p::Point) = print(io, "<", p.x, "; ", p.y, ">")
f(n) = (for i in 1:n; println("at ", Point(i, 2i), '.'); end; println(Plain(n)); show(Point(n, n)); n)
f(2)
)jl",
                "at <1.0; 2.0>.\nat <2.0; 4.0>.\nPlain(2)\n<2.0; 2.0>");
  // One within another value is printed by the host alone.
  const Answer answer = weft("run --compile=always --report " + file("inside.jl", R"jl(
struct P; x::Int; end
Base.show(io::IO, p::P) = print(io, "P", p.x)
f(n) = (println((P(n), n)); n)
f(1)
)jl"));
  EXPECT_EQ(answer.out, "(P1, 1)\n");
  EXPECT_HAS(answer.error, "a P in it, which a method of the program's own prints");
}

TEST_F(JuliaPrint, NothingTwiceWhenACheckFails) {
  const std::string program = file("fails.jl", R"jl(
function f(v, n)
    s = 0.0
    for i in 1:n
        print("before ", i, "; ")
        print(stderr, "e", i)
        s += v[i]
    end
    s
end
g(v, n) = (println("g"); t = f(v, n); println("done"); t)
try
    g([1.0, 2.0], 4)
catch e
    println(typeof(e))
end
println(g([1.0, 2.0], 2))
)jl");
  const std::string expected = "g\nbefore 1; before 2; before 3; BoundsError\ng\nbefore 1; before 2; done\n3.0\n";
  for (const char* mode : {"never", "auto", "always"}) {
    const Answer answer = weft("run --compile=" + std::string(mode) + " " + program);
    EXPECT_EQ(answer.out, expected) << mode;
    EXPECT_EQ(answer.error, "e1e2e3e1e2") << mode;
  }
}

TEST_F(JuliaPrint, ThrowsWithComputedMessages) {
  expect_prints(R"jl(
function f(x)
    x < 0 && throw(DomainError(x, "got $x, expected one of 0 to $(2 + 1)"))
    x > 3 && error("too large: ", x)
    println("fine: ", x)
    x
end
f(2)
for x in (-1, 5)
    try
        f(x)
    catch e
        showerror(stdout, e)
        println()
    end
end
)jl",
                "fine: 2\nDomainError with -1:\ngot -1, expected one of 0 to 3\ntoo large: 5\n");
}

TEST_F(JuliaPrint, InRecursionAndDerivatives) {
  expect_prints(R"jl(
hanoi(n, a, b, c) = n == 0 ? 0 : (x = hanoi(n - 1, a, c, b); println(a, " to ", c); x + 1 + hanoi(n - 1, b, a, c))
println(hanoi(2, 1, 2, 3))
)jl",
                "1 to 2\n1 to 3\n2 to 3\n3\n");
  const Answer answer = weft("run " + file("grad.jl", R"jl(
using Zygote
f(x) = (y = x^2; println("y = ", y); 3y)
println(gradient(f, 2.0))
)jl"));
  EXPECT_EQ(answer.out, "y = 4.0\n(12.0,)\n") << answer.error;
}

TEST_F(JuliaPrint, ALibraryPrintsTextAndNumbers) {
  const std::string program = file("lib.jl", R"jl(
f(x, n) = (for i in 1:n; println("i = ", i, " of $n: ", x * i); end; x)
g(x) = (println([x]); x)
)jl");
  const Answer answer = weft("fmt " + program + " --emit weft --entry 'f(Float64, Int)'");
  EXPECT_HAS(answer.out, "message = \"i = {} of {}: {}\\0A\"") << answer.error;
  const Answer refused = weft("fmt " + program + " --emit weft --entry 'g(Float64)'");
  EXPECT_EQ(refused.code, 1);
  EXPECT_HAS(refused.error, "printing anything but constant text and numbers to stdout");
  const Answer portable = weft("fmt " + program + " --emit stablehlo --entry 'f(Float64, Int)'");
  EXPECT_NE(portable.code, 0);
  EXPECT_HAS(portable.error, "[weft.print] no StableHLO form: other compilers' programs have no output");
}

}  // namespace
