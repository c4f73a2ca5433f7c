// docs/julia.md says what compiles, by a table of features with a small program for each; the compiler says the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "julia/infer/diagnose/check.h"
#include "julia/run/large_stack.h"

namespace weft::julia {
namespace {

struct Feature {
  const char* group;
  const char* name;
  const char* program;  // calls `f`
};

constexpr Feature kFeatures[] = {
    {"control flow", "`for`", "f(n) = (s = 0; for i in 1:n; s += i; end; s); f(3)"},
    {"control flow", "`while`", "f(x) = (while x > 1; x /= 2; end; x); f(9.0)"},
    {"control flow", "`break` and `continue`",
     "f(n) = (s = 0; for i in 1:n; i == 2 && continue; i > 4 && break; s += i; end; s); f(9)"},
    {"control flow", "early `return`", "f(v) = (for x in v; x > 1 && return x; end; 0.0); f([1.0, 2.0])"},
    {"control flow", "short circuits", "f(x) = x > 0 && x < 1 || x > 2; f(0.5)"},
    {"control flow", "recursion", "f(n) = n < 2 ? n : f(n - 1) + f(n - 2); f(5)"},
    {"control flow", "`throw` and `error`", "f(x) = x < 0 ? error(\"negative\") : sqrt(x); f(4.0)"},
    {"control flow", "`try`", "f(x) = try sqrt(x) catch; 0.0 end; f(4.0)"},
    {"functions", "keyword and optional arguments", "g(x, y = 2; z = 3) = x + y * z; f(x) = g(x; z = 4); f(1)"},
    {"functions", "varargs and splats of tuples", "g(xs...) = length(xs); f(t) = g(t...); f((1, 2.0))"},
    {"functions", "closures", "f(a) = (g(x) = a * x; g(2)); f(3.0)"},
    {"functions", "captured variables that are assigned", "f(n) = (s = 0; foreach(i -> (s += i), 1:n); s); f(3)"},
    {"functions", "functions as arguments", "g(h, x) = h(h(x)); f(x) = g(sin, x); f(1.0)"},
    {"functions", "multiple dispatch", "g(x::Integer) = 1; g(x::AbstractFloat) = 2; f(x, y) = g(x) + g(y); f(1, 2.0)"},
    {"functions", "globals that are read", "c = 2.0; f(x) = c * x; f(3.0)"},
    {"functions", "globals that are assigned", "c = 0; f(x) = (global c = x; x); f(3)"},
    {"values", "machine numbers to 64 bits", "f(x, y) = (x + y) * Float32(x) + Int8(3); f(0x02, 3.0)"},
    {"values", "128-bit integers", "f(x) = x * x; f(Int128(3))"},
    {"values", "`Complex`", "f(z) = z * conj(z) + exp(z); f(1.0 + 2.0im)"},
    {"values", "`Rational`", "f(x) = x + 1//3; f(1//2)"},
    {"values", "tuples and named tuples", "f(x) = (a = (x, 2x); b = (; p = x); a[1] + b.p); f(1.0)"},
    {"values", "structs", "struct P{T}; x::T; y::T; end; f(p) = p.x + p.y; f(P(1.0, 2.0))"},
    {"values", "mutable structs", "mutable struct C; n::Int; end; f(c) = (c.n += 1; c.n); f(C(1))"},
    {"values", "`nothing` and `missing` known by type", "f(x) = x === nothing ? 0.0 : x + 1; f(2.0)"},
    {"values", "values of two types", "f(x) = (y = x > 0 ? 1 : nothing; y === nothing ? 0 : y); f(2.0)"},
    {"values", "`Symbol`", "f(x) = x === :a ? 1 : 2; f(:a)"},
    {"values", "strings made of numbers", "f(x) = string(x); f(2.0)"},
    {"arrays", "indexing and assignment", "f(v) = (v[2] = v[1] + v[end]; v); f([1.0, 2.0])"},
    {"arrays", "ranges as indices, slices", "f(a) = a[1:2, :] .+ a[:, 1]'[1, 1]; f([1.0 2.0; 3.0 4.0])"},
    {"arrays", "views", "f(v) = (w = view(v, 1:2); w .= 0.0; v); f([1.0, 2.0, 3.0])"},
    {"arrays", "masks as indices", "f(v) = v[v .> 1]; f([1.0, 2.0])"},
    {"arrays", "broadcasting", "f(v) = @. 2v + sin(v)^2; f([1.0, 2.0])"},
    {"arrays", "comprehensions and generators", "f(n) = [i^2 for i in 1:3] .+ sum(i for i in 1:n); f(4)"},
    {"arrays", "`map`, `sum`, `reduce`, `foldl`",
     "f(v) = sum(map(abs, v)) + reduce(max, v) + foldl(-, v); f([1.0, 2.0])"},
    {"arrays", "reductions with `dims`", "f(a) = sum(a; dims = 1); f([1.0 2.0; 3.0 4.0])"},
    {"arrays", "concatenation", "f(v) = [v; v] .+ [v' v']'; f([1.0, 2.0])"},
    {"arrays", "arrays of structs", "struct Q; x::Float64; n::Int; end; f(v) = sum(q -> q.x, v); f([Q(1.0, 2)])"},
    {"arrays", "arrays of arrays", "f(v) = sum(sum, v); f([[1.0, 2.0], [3.0]])"},
    {"arrays", "vectors that grow", "f(n) = (v = Float64[]; for i in 1:n; push!(v, i); end; v); f(3)"},
    {"arrays", "`sort`", "f(v) = sort(v); f([2.0, 1.0])"},
    {"arrays", "untyped elements", "f(v) = sum(v); f(Any[1, 2.0])"},
    {"linear algebra", "products and transposes", "f(a, v) = a * v + a' * v; f([1.0 2.0; 3.0 4.0], [1.0, 2.0])"},
    {"linear algebra", "`dot`, `norm`", "using LinearAlgebra; f(v) = dot(v, v) + norm(v); f([1.0, 2.0])"},
    {"linear algebra", "`\\`", "f(a, v) = a \\ v; f([4.0 1.0; 1.0 3.0], [1.0, 2.0])"},
    {"linear algebra", "`det`, `inv`", "using LinearAlgebra; f(a) = det(a) * inv(a); f([4.0 1.0; 1.0 3.0])"},
    {"linear algebra", "`cholesky`, `lu`, `qr`",
     "using LinearAlgebra; f(a) = cholesky(a).L + lu(a).U + qr(a).R; f([4.0 1.0; 1.0 3.0])"},
    {"linear algebra", "`eigen`, `svd`",
     "using LinearAlgebra; f(a) = eigvals(Symmetric(a)) + svdvals(a); f([4.0 1.0; 1.0 3.0])"},
    {"library", "`rand`, `randn`", "f(n) = sum(rand() + randn() for i in 1:n); f(3)"},
    {"library", "`print`", "f(n) = (for i in 1:n; println(i); end; n); f(1)"},
    {"library", "`Dict` and `Set`", "f(n) = (d = Dict(1 => 2.0); d[n]); f(1)"},
    {"library", "`gradient`", "using Zygote; f(v) = gradient(x -> sum(abs2, x), v)[1]; f([1.0, 2.0])"},
};

/// Whether the calls of `f` in the feature's program compile.
bool is_compiled(const Feature& feature) {
  EvaluatorOptions options;
  options.out = options.error = [](std::string_view) {};
  Evaluator evaluator(std::move(options));
  const Checked checked = check_program(evaluator, feature.program, "feature", {});
  const auto is_f = [](const CheckedSignature& s) { return s.function == "f"; };
  const auto f = std::ranges::find_if(checked.signatures, is_f);
  return f != checked.signatures.end() && f->status == CheckedSignature::kCompiled;
}

/// For each group what compiles, and what the evaluator alone runs.
std::string feature_table() {
  struct Row {
    std::string group, compiled, evaluated;
  };
  std::vector<Row> rows;
  for (const Feature& feature : kFeatures) {
    if (rows.empty() || rows.back().group != feature.group) rows.push_back({feature.group, "", ""});
    std::string& cell = is_compiled(feature) ? rows.back().compiled : rows.back().evaluated;
    cell += (cell.empty() ? "" : "; ") + std::string(feature.name);
  }
  std::string out = "| of | compiled | by the evaluator alone |\n|---|---|---|\n";
  for (const Row& row : rows) out += "| " + row.group + " | " + row.compiled + " | " + row.evaluated + " |\n";
  return out;
}

TEST(Features, TheDocumentShowsTheTable) {
  std::string table;
  on_large_stack([&] { table = feature_table(); });
  std::ostringstream document;
  document << std::ifstream(WEFT_SOURCE_DIR "/docs/julia.md").rdbuf();
  EXPECT_NE(document.str().find(table), std::string::npos)
      << "docs/julia.md, in \"Compiled functions\", is to have this table:\n"
      << table;
}

}  // namespace
}  // namespace weft::julia
