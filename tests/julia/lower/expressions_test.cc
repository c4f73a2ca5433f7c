// What syntax means, as the manual's "Base functions that syntax calls" (punctuation, indexing, arrays, broadcasting) has it.
#include "tests/julia/lower/lowering.h"

namespace weft::julia {
namespace {

TEST(Lowering, CallsAndOperators) {
  const LoweringCase cases[] = {
      {"a + b * c", "(Main.+ Main.a (Main.* Main.b Main.c))"},
      {"a + b + c", "(Main.+ Main.a Main.b Main.c)"},
      {"a - b - c", "(Main.- (Main.- Main.a Main.b) Main.c)"},
      {"2x", "(Main.* 2 Main.x)"},
      {"2x^2", "(Main.* 2 (Base.literal_pow Main.^ Main.x Val{2}()))"},
      {"x^n", "(Main.^ Main.x Main.n)"},
      {"x^2.0", "(Main.^ Main.x 2.0)"},
      {"2^-1", "(Base.literal_pow Main.^ 2 Val{-1}())"},
      {"-2^2", "(Main.- (Base.literal_pow Main.^ 2 Val{2}()))"},
      {"A'", "(Base.adjoint Main.A)"},
      {"!x", "(Main.! Main.x)"},
      {"a:b", "(Base.: Main.a Main.b)"},
      {"1:2:9", "(Base.: 1 2 9)"},
      {"a => b", "(Main.=> Main.a Main.b)"},
      {"a isa B", "(Main.isa Main.a Main.B)"},
      {"a <: B", "(Main.<: Main.a Main.B)"},
      {"reduce(&, x)", "(Main.reduce Main.& Main.x)"},
      {"a && b || c", "(|| (&& Main.a Main.b) Main.c)"},
      {"1 < f(x) <= 3", "(&& (Main.< 1 (set #temp1 (Main.f Main.x))) (Main.<= #temp1 3))"},
      {"f(a; b=2, c, d.e, g...)", "(Main.f Main.a b=2 c=Main.c e=(. Main.d e) Main.g...)"},
      {"f(a, b...; k=1)", "(Main.f Main.a Main.b... k=1)"},
      {"a.b.c", "(. (. Main.a b) c)"},
      {"Base.:+(1, 2)", "((. Main.Base +) 1 2)"},
      {"(a, b)", "(tuple Main.a Main.b)"},
      {"(a, b...)", "(Base.tuple Main.a Main.b...)"},
      {"(a=1, b=2)", "(named-tuple a=1 b=2)"},
      {"(; a, b...)", "(Base.merge (named-tuple a=Main.a) Main.b)"},
      {"x::T", "(:: Main.x Main.T)"},
      {"\"a$(b)c$d\"", "(Base.string \"a\" Main.b \"c\" Main.d)"},
      {"\"a\\tb\"", "\"a\\tb\""},
      {":a", ":a"},
      {"'c'", "'c'"},
      {"A{T}", "(Base.apply_type Main.A Main.T)"},
      {"A{<:T}", "(where (Base.apply_type Main.A #s11) (type-var #s11 _ Main.T))"},
      {"A{T,S} where {T, S<:T}", "(where (Base.apply_type Main.A T S) (type-var T _ _) (type-var S _ T))"},
  };
  expect_lowered(cases);
}

TEST(Lowering, Indexing) {
  const LoweringCase cases[] = {
      {"a[1, :]", "(Base.getindex Main.a 1 Main.:)"},
      {"a[end]", "(Base.getindex Main.a (Base.lastindex Main.a))"},
      {"a[begin, end]", "(Base.getindex Main.a (Base.firstindex Main.a 1) (Base.lastindex Main.a 2))"},
      {"a[b[end], end]",
       "(Base.getindex Main.a (Base.getindex Main.b (Base.lastindex Main.b)) (Base.lastindex Main.a 2))"},
      {"f(x)[end]", "(set #temp1 (Main.f Main.x))\n(Base.getindex #temp1 (Base.lastindex #temp1))"},
      {"a[I..., end]",
       "(Base.getindex Main.a (set #temp1 Main.I)... (Base.lastindex Main.a (Base.+ 1 (Base.length #temp1))))"},
      {"a[i] = 1; nothing", "(Base.setindex! Main.a 1 Main.i)\nMain.nothing"},
      {"f(a[i] = g())",  // a keyword's name must be an identifier
       "(Main.f #=(refuse \"this keyword argument\"))"},
      {"x = (a[i] = g())", "(set Main.x (block (set #temp1 (Main.g)) (Base.setindex! Main.a #temp1 Main.i) #temp1))"},
      {"(a[f()] += 1; 2)",
       "(set #temp1 (Main.f))\n(Base.setindex! Main.a (Main.+ (Base.getindex Main.a #temp1) 1) #temp1)\n2"},
      {"(f().x += 1; 2)", "(set #temp1 (Main.f))\n(set (. #temp1 x) (Main.+ (. #temp1 x) 1))\n2"},
      {"@view a[end]", "(Base.view Main.a (Base.lastindex Main.a))"},
      {"@views f(a[1], b[2:3])", "(Main.f (Base.maybeview Main.a 1) (Base.maybeview Main.b (Base.: 2 3)))"},
  };
  expect_lowered(cases);
}

TEST(Lowering, Arrays) {
  const LoweringCase cases[] = {
      {"[]", "(Base.vect)"},
      {"[a, b]", "(Base.vect Main.a Main.b)"},
      {"[a b]", "(Base.hcat Main.a Main.b)"},
      {"[a; b]", "(Base.vcat Main.a Main.b)"},
      {"[a b; c d]", "(Base.hvcat (tuple 2 2) Main.a Main.b Main.c Main.d)"},
      {"[a b; c]", "(Base.hvcat (tuple 2 1) Main.a Main.b Main.c)"},
      {"T[a, b]", "(Base.getindex Main.T Main.a Main.b)"},
      {"T[a b; c d]", "(Base.typed_hvcat Main.T (tuple 2 2) Main.a Main.b Main.c Main.d)"},
      // The examples of hvncat's documentation.
      {"[a;;; b]", "(Base.hvncat 3 Main.a Main.b)"},
      {"[1 2 3;;; 4 5 6]", "(Base.hvncat (tuple 1 3 2) true 1 2 3 4 5 6)"},
      {"[1; 2;; 3; 4;; 5; 6]", "(Base.hvncat (tuple 2 3) false 1 2 3 4 5 6)"},
      {"[1 2; 3;;; 4;;;;]", "(Base.hvncat (tuple (tuple 2 1 1) (tuple 3 1) (tuple 4) (tuple 4)) true 1 2 3 4)"},
      {"Float64[i for i in 1:3]",
       "(Base.collect Main.Float64 (Base.Generator (closure #1 (method #1 #unused#::Any)) (Base.: 1 3)))"},
  };
  expect_lowered(cases);
}

TEST(Lowering, Broadcasting) {
  const LoweringCase cases[] = {
      {"f.(x, g.(y))", "(Base.materialize (Base.broadcasted Main.f Main.x (Base.broadcasted Main.g Main.y)))"},
      {"(a .+ b) .* c", "(Base.materialize (Base.broadcasted Main.* (Base.broadcasted Main.+ Main.a Main.b) Main.c))"},
      {"f(a .+ b) .+ c",
       "(Base.materialize (Base.broadcasted Main.+ (Main.f (Base.materialize (Base.broadcasted Main.+ Main.a Main.b))) "
       "Main.c))"},
      {"x .^ 2", "(Base.materialize (Base.broadcasted Base.literal_pow Main.^ Main.x Val{2}()))"},
      {".!a", "(Base.materialize (Base.broadcasted Main.! Main.a))"},
      {"a .< b .< c",
       "(Base.materialize (Base.broadcasted Base.& (Base.broadcasted Main.< Main.a Main.b) (Base.broadcasted Main.< "
       "Main.b Main.c)))"},
      {"a .&& b", "(Base.materialize (Base.broadcasted Base.andand Main.a Main.b))"},
      {"f.(x; k=1)", "(Base.materialize (Base.broadcasted_kwsyntax (named-tuple k=1) Main.f Main.x))"},
      {"a .= b", "(Base.materialize! Main.a (Base.broadcasted Base.identity Main.b))"},
      {"a[1] .= b .+ 1", "(Base.materialize! (Base.dotview Main.a 1) (Base.broadcasted Main.+ Main.b 1))"},
      {"a .+= 1", "(Base.materialize! Main.a (Base.broadcasted Main.+ Main.a 1))"},
      {"@. a = b + sin(c)",
       "(Base.materialize! Main.a (Base.broadcasted Main.+ Main.b (Base.broadcasted Main.sin Main.c)))"},
      {"@. a + $f(b)", "(Base.materialize (Base.broadcasted Main.+ Main.a (Main.f Main.b)))"},
  };
  expect_lowered(cases);
}

TEST(Lowering, Assignments) {
  const LoweringCase cases[] = {
      {"x = y = 1", "(set Main.x (set Main.y 1))"},
      {"x += 1", "(set Main.x (Main.+ Main.x 1))"},
      {"const x = 1", "(const Main.x 1)"},
      {"global x::Int", "(set Main.x _ Main.Int)"},
      {"x::Int = 1; 2", "(set Main.x 1 Main.Int)\n2"},
      {"a, b = b, a; 0", "(set #temp1 Main.b)\n(set #temp2 Main.a)\n(set Main.a #temp1)\n(set Main.b #temp2)\n0"},
      {"let a, b\n a, b = b, a\n 0\nend", "(new-local a)\n(new-local b)\n(set #temp3 b)\n(set b a)\n(set a #temp3)\n0"},
      {"let a, b, c\n a, (b, c...) = z\n 0\nend",
       "(new-local a)\n(new-local b)\n(new-local c)\n(unpack [a #temp4] Main.z)\n(unpack [b c...] #temp4)\n0"},
      {"let\n (; a, b) = z\n 0\nend", "(set a (. Main.z a))\n(set b (. Main.z b))\n0"},
      {"let a = a\n a\nend", "(new-local a)\n(set a Main.a)\na"},
      {"let\n x::Int = 1\n x = 2\n 0\nend",
       "(new-local x)\n(set x (:: (Base.convert Main.Int 1) Main.Int))\n(set x (:: (Base.convert Main.Int 2) "
       "Main.Int))\n0"},
      {"A{T} = B{T,2}", "(const Main.A (where (Base.apply_type Main.B T 2) (type-var T _ _)))"},
  };
  expect_lowered(cases);
}

TEST(Lowering, ControlFlow) {
  const LoweringCase cases[] = {
      {"if a\n b\nelseif c\n d\nend", "if Main.a\n  Main.b\nelse\n  if Main.c\n    Main.d\n  end\nend"},
      {"for i in x, j in y\n break\nend", "for i in Main.x\n  for j in Main.y\n    (break 1)\n  end\nend"},
      {"for i in x\n for j in y\n  break\n end\n continue\nend",
       "for i in Main.x\n  for j in Main.y\n    (break)\n  end\n  (continue)\nend"},
      {"for (i, v) in x\n f(i)\nend", "for #temp1 in Main.x\n  (unpack [i v] #temp1)\n  (Main.f i)\nend"},
      // A variable that the body reads before it is assigned begins anew in each round.
      {"while a\n t = f()\n g(t)\nend", "while Main.a\n  (set t (Main.f))\n  (Main.g t)\nend"},
      {"while a\n if b\n  t = 1\n end\n g(t)\nend",
       "while Main.a\n  (new-local t)\n  if Main.b\n    (set t 1)\n  end\n  (Main.g t)\nend"},
      {"try\n a\ncatch e\n b\nelse\n c\nfinally\n d\nend",
       "try\n  Main.a\ncatch e\n  Main.b\nelse\n  Main.c\nfinally\n  Main.d\nend"},
  };
  expect_lowered(cases);
}

}  // namespace
}  // namespace weft::julia
