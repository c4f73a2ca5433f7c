// Calls, fields, indices, macros, lambdas, functions, types.
#include "tests/julia/syntax/table.h"

namespace weft::julia {
namespace {

TEST(Syntax, Calls) {
  expect_trees({
      {"f()", "(call f)"},
      {"f(x, y; z = 1)", "(call f x y (parameters (= z 1)))"},
      {"f(x...; kw...)", "(call f (... x) (parameters (... kw)))"},
      {"f(x; y)", "(call f x (parameters y))"},
      {"f(x = 1)", "(call f (= x 1))"},
      {"f(a,)", "(call-, f a)"},
      {"f.(x, y)", "(dotcall f x y)"},
      {"f(x).y[1](z)", "(call (ref (. (call f x) y) 1) z)"},
      {"f(x for x in y)", "(call f (generator x (iteration (in x y))))"},
      {"f(x, y for y in z)", "(call f x (generator y (iteration (in y z))))"},
      {"f(g(h(x)))", "(call f (call g (call h x)))"},
      {"(f)(x)", "(call (parens f) x)"},
      {"f(\n  a,\n  b\n)", "(call f a b)"},
      {"T{A, B}(x)", "(call (curly T A B) x)"},
      {"T{<:Real}", "(curly T (<:-pre Real))"},
      {"a.b.c", "(. (. a b) c)"},
      {"a.:b", "(. a (quote-: b))"},
      {"a.\"b\"", "(. a (string \"b\"))"},
      {"a.f.(x)", "(dotcall (. a f) x)"},
      {"f(x) do a, b\n a\nend", "(call f x (do (tuple a b) (block a)))"},
      {"f() do\nend", "(call f (do (tuple) (block)))"},
      {"f(x) do (a, b); a end", "(call f x (do (tuple (tuple-p a b)) (block a)))"},
      {"f(x) do y y+1 end", "(call f x (do (tuple y) (block (call-i y + 1))))"},
      {"x'", "(call-post x ')"},
      {"x''", "(call-post (call-post x ') ')"},
      {"x'ᵀ", "(call-post x 'ᵀ)"},
      {"a[1]'", "(call-post (ref a 1) ')"},
  });
  expect_faults("f (x)", {{" ", "whitespace is not allowed here"}});
}

TEST(Syntax, Indices) {
  expect_trees({
      {"a[]", "(ref a)"},
      {"a[1, 2]", "(ref a 1 2)"},
      {"a[end]", "(ref a end)"},
      {"a[begin:end]", "(ref a (call-i begin : end))"},
      {"a[:, end-1]", "(ref a : (call-i end - 1))"},
      {"a[begin+1:end]", "(ref a (call-i (call-i begin + 1) : end))"},
      {"a[b[end]]", "(ref a (ref b end))"},
      {"a[f(end)]", "(ref a (call f end))"},
      {"a[[1, end]]", "(ref a (vect 1 end))"},
      {"a[i] += 1", "(op= (ref a i) + 1)"},
      {"a[i...]", "(ref a (... i))"},
      {"a[(x for x in y)...]", "(ref a (... (parens (generator x (iteration (in x y))))))"},
      {"a[1; 2]", "(typed_vcat a 1 2)"},
      {"a[x ? 1 : 2]", "(ref a (? x 1 2))"},
      {"a[1][2]", "(ref (ref a 1) 2)"},
      {"a[if x 1 else 2 end]", "(ref a (if x (block 1) (block 2)))"},
  });
}

TEST(Syntax, Macros) {
  expect_trees({
      {"@m", "(macrocall (macro_name m))"},
      {"@m a b", "(macrocall (macro_name m) a b)"},
      {"@m a, b", "(macrocall (macro_name m) (tuple a b))"},
      {"@m(a, b)", "(macrocall-p (macro_name m) a b)"},
      {"@m (a, b)", "(macrocall (macro_name m) (tuple-p a b))"},
      {"@m -a", "(macrocall (macro_name m) (call-pre - a))"},
      {"@m a -b", "(macrocall (macro_name m) a (call-pre - b))"},
      {"@m a - b", "(macrocall (macro_name m) (call-i a - b))"},
      {"@m a[1] b", "(macrocall (macro_name m) (ref a 1) b)"},
      {"@m a [1]", "(macrocall (macro_name m) a (vect 1))"},
      {"A.@m a", "(macrocall (. A (macro_name m)) a)"},
      {"@A.m a", "(macrocall (macro_name (. A m)) a)"},
      {"@. a + b", "(macrocall (macro_name .) (call-i a + b))"},
      {"@m x = 1", "(macrocall (macro_name m) (= x 1))"},
      {"@m for i in 1:2 end", "(macrocall (macro_name m) (for (iteration (in i (call-i 1 : 2))) (block)))"},
      {"@m(x) + 1", "(call-i (macrocall-p (macro_name m) x) + 1)"},
      {"f(@m x)", "(call f (macrocall (macro_name m) x))"},
      {"[@m x y]", "(vect (macrocall (macro_name m) x y))"},
      {"f(@m x for x in y)", "(call f (generator (macrocall (macro_name m) x) (iteration (in x y))))"},
      {"@m[1 2]", "(macrocall (macro_name m) (hcat 1 2))"},
      {"@doc \"x\"\nf", "(macrocall (macro_name doc) (string \"x\") f)"},
      {"@m x\ny", "(macrocall (macro_name m) x) y"},
  });
}

TEST(Syntax, Functions) {
  expect_trees({
      {"f(x) = x", "(function-= (call f x) x)"},
      {"f(x)::T = x", "(function-= (::-i (call f x) T) x)"},
      {"f(x::T) where {T} = x", "(function-= (where (call f (::-i x T)) (braces T)) x)"},
      {"f(x::T) where T<:S where S = x", "(function-= (where (where (call f (::-i x T)) (<: T S)) S) x)"},
      {"(f::T)(x) = x", "(function-= (call (parens (::-i f T)) x) x)"},
      {"a + b = c", "(function-= (call-i a + b) c)"},
      {"-a = c", "(function-= (call-pre - a) c)"},
      {"A.f(x) = x", "(function-= (call (. A f) x) x)"},
      {"f[x] = y", "(= (ref f x) y)"},
      {"function f(x, y = 1; z, w = 2, kw...) x end",
       "(function (call f x (= y 1) (parameters z (= w 2) (... kw))) (block x))"},
      {"function f(x)::Int where T x end", "(function (where (::-i (call f x) Int) T) (block x))"},
      {"function f end", "(function f)"},
      {"function (x) x end", "(function (tuple-p x) (block x))"},
      {"function A.f(x) end", "(function (call (. A f) x) (block))"},
      {"function Base.:+(a, b) end", "(function (call (. Base (quote-: +)) a b) (block))"},
      {"function f{T}(x) end", "(function (call (curly f T) x) (block))"},
      {"x -> x", "(-> (tuple x) x)"},
      {"(x, y) -> x", "(-> (tuple-p x y) x)"},
      {"() -> 1", "(-> (tuple-p) 1)"},
      {"(x; y = 1) -> x", "(-> (tuple-p x (parameters (= y 1))) x)"},
      {"x::Int -> x", "(-> (tuple (::-i x Int)) x)"},
      {"map(x -> x + 1, y)", "(call map (-> (tuple x) (call-i x + 1)) y)"},
      {"macro m(x) x end", "(macro (call m x) (block x))"},
  });
  expect_faults("function f x end", {{"f", "Invalid signature in function definition"}});
}

TEST(Syntax, Types) {
  expect_trees({
      {"struct A end", "(struct A (block))"},
      {"struct A{T<:Real} <: B; x::T; y end", "(struct (<: (curly A (<: T Real)) B) (block (::-i x T) y))"},
      {"mutable struct A; const x::Int; y = 1 end", "(struct-mut A (block (const (::-i x Int)) (= y 1)))"},
      {"struct A; A() = new() end", "(struct A (block (function-= (call A) (call new))))"},
      {"abstract type A <: B end", "(abstract (<: A B))"},
      {"primitive type A <: B 8 end", "(primitive (<: A B) 8)"},
      {"A{T} where T", "(where (curly A T) T)"},
      {"A where {T, S<:Real}", "(where A (braces T (<: S Real)))"},
      {"x::A{B}.C", "(::-i x (. (curly A B) C))"},
      {"mutable = struct_ = 1", "(= mutable (= struct_ 1))"},
      {"abstract", "abstract"},
  });
}

TEST(Syntax, Modules) {
  expect_trees({
      {"module M; x end", "(module M (block x))"},
      {"baremodule M end", "(module-bare M (block))"},
      {"using A, B.C", "(using (importpath A) (importpath B C))"},
      {"using A: b, c as d, @e",
       "(using (: (importpath A) (importpath b) (as (importpath c) d) (importpath (macro_name e))))"},
      {"import ..A.B", "(import (importpath . . A B))"},
      {"import Base: +, ==", "(import (: (importpath Base) (importpath +) (importpath ==)))"},
      {"import A as B", "(import (as (importpath A) B))"},
      {"export a, @b, +", "(export a (macro_name b) +)"},
      {"public a, b", "(public a b)"},
      {"public = 1", "(= public 1) !using public as an identifier is deprecated"},
      {"const a = 1", "(const (= a 1))"},
      {"global a, b", "(global a b)"},
      {"local a = 1, 2", "(local (= a (tuple 1 2)))"},
  });
}

}  // namespace
}  // namespace weft::julia
