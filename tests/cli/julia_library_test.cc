// weft build FILE.jl --entry …: libraries of Julia functions as a C program calls them.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaLibrary : public Command {
 protected:
  void build(const std::string& entry, const std::string& library) {
    const std::string at = (folder_ / library).string();
    const Answer answer = weft("build " + source_ + " --entry '" + entry + "' -o " + at + ".so --header " + at + ".h");
    ASSERT_EQ(answer.code, 0) << answer.error;
    headers_ += "#include \"" + library + ".h\"\n";
    libraries_ += " ./" + library + ".so";
  }
  std::string header(const std::string& library) { return read(folder_ / (library + ".h")); }
  /// What a C program with this main prints.
  std::string run(const std::string& body) {
    file("main.c", "#include <stdio.h>\n" + headers_ + "int main(void) {\n" + body + "return 0;\n}\n");
    return weft("--version >/dev/null",
                "cd " + folder_.string() + " && cc main.c" + libraries_ + " -o main && ./main; exit;")
        .out;
  }

  std::string source_, headers_, libraries_;
};

TEST_F(JuliaLibrary, NumbersStructsAndArrays) {
  source_ = file("f.jl", R"jl(
struct Point
    x::Float64
    on::Bool
    n::Int32
end
mutable struct Sum
    total::Float64
    count::Int
end
product(z, w) = z * w + conj(z)
pick(p, flag) = flag ? p.x * p.n : Float64(p.on)
weigh!(A, v, k) = (for j in axes(A, 2); A[1, j] += v[k]; end; sum(A))
add!(s, x) = (s.total += sum(x); s.count += length(x); s)
both(x, n) = (x + n, n > 2, [x, 2x])
)jl");
  build("product(ComplexF64, ComplexF64)", "product");
  build("pick(Point, Bool)", "pick");
  build("weigh!(Matrix{Float64}(2, 3), Vector{Float64}(3), Int)", "weigh_");
  build("add!(Sum(0.0, 0), Vector{Float64}(3))", "add_");
  build("both(Float64, Int)", "both");
  // Each argument and result is named as the source names it.
  EXPECT_HAS(header("product"), "z.re: Float64");
  EXPECT_HAS(header("pick"), "p.on: Bool");
  EXPECT_HAS(header("weigh_"), "A: Matrix{Float64}, column by column");
  EXPECT_HAS(header("weigh_"), "A after the call: Matrix{Float64}, column by column");
  EXPECT_HAS(header("add_"), "s.count after the call: Int64");
  EXPECT_HAS(header("both"), "value[3]: Vector{Float64}");
  const std::string out = run(R"c(
  double zr = 1, zi = 2, wr = 3, wi = -1, re, im;
  const void* four[] = {&zr, &zi, &wr, &wi};
  void* parts[] = {&re, &im};
  int status = product(four, parts, 0);
  printf("%d %g %g\n", status, re, im);
  double x = 1.5, r;
  uint8_t on = 1, flag = 1;
  int32_t n = 4;
  const void* point[] = {&x, &on, &n, &flag};
  void* number[] = {&r};
  pick(point, number, 0);
  printf("%g ", r);
  flag = 0;
  pick(point, number, 0);
  printf("%g\n", r);
  double A[6] = {1, 2, 3, 4, 5, 6}, v[3] = {10, 20, 30}, B[6];
  int64_t k = 2;
  const void* weighed[] = {A, v, &k};
  void* after[] = {&r, B};
  status = weigh_(weighed, after, 0);
  printf("%d %g: %g %g %g\n", status, r, B[0], B[1], A[0]);
  k = 4;
  status = weigh_(weighed, after, 0);
  printf("%d %s\n", status == WEFT_FAILED, weigh__error());
  double total = 1, total_after;
  int64_t count = 2, count_after;
  const void* sum[] = {&total, &count, v};
  void* sums[] = {&total_after, &count_after};
  add_(sum, sums, 0);
  printf("%g %d\n", total_after, (int)count_after);
  double pair[2];
  const void* given[] = {&x, &k};
  void* three[] = {&r, &flag, pair};
  both(given, three, 0);
  printf("%g %d %g %g\n", r, flag, pair[0], pair[1]);
)c");
  // (1+2i)(3-i) + (1-2i) = 5+5i + 1-2i; sum of A with 20 in each column's first row is 21 + 60.
  EXPECT_TRUE(out.starts_with("0 6 3\n6 1\n0 81: 21 2 1\n1 ")) << out;
  EXPECT_HAS(out, "BoundsError: attempt to access 3-element Vector{Float64}\n  in weigh! at " + source_ + ":13\n");
  EXPECT_TRUE(out.ends_with("61 5\n5.5 1 1.5 3\n")) << out;
}

TEST_F(JuliaLibrary, WhatItPrints) {
  source_ = file("g.jl", "steps(x, n) = (for i in 1:n; println(\"step \", i, \" of $n: \", x * i); end; x)\n");
  build("steps(Float64, Int)", "steps");
  EXPECT_EQ(run("double x = 1.5, r; int64_t n = 2; const void* a[] = {&x, &n}; void* o[] = {&r};\n"
                "printf(\"%d\\n\", steps(a, o, 0));\n"),
            "step 1 of 2: 1.5\nstep 2 of 2: 3.0\n0\n");
}

}  // namespace
