// Definitions: methods, closures and what they capture, types, modules, macros by name.
#include "tests/julia/lower/lowering.h"

namespace weft::julia {
namespace {

TEST(LoweredFunctions, OptionalArgumentsAreMethods) {
  const LoweringCase cases[] = {
      {"f(x, y=x) = x + y",
       "(method Main.f x::Any)\n(method Main.f x::Any y::Any)\n"
       "f:\n  (set y x)\n  (f x y)\nf:\n  (Main.+ x y)"},
      {"f(x, y=1, z...; k=2, m...) = k",
       "(method Main.f x::Any ;k ;m...)\n(method Main.f x::Any y::Any z::Any... ;k ;m...)\n"
       "f:\n  (set y 1)\n  (f x y #keywords2...)\nf:\n  keyword k = 2\n  k"},
      // The shorter method has no T: none of its types speaks of it.
      {"f(x, y::T=1) where T = T",
       "(method Main.f x::Any)\n(method Main.f (type-var T _ _) x::Any y::T)\nf:\n  (set y 1)\n  (f x y)\nf:\n  T"},
  };
  expect_lowered(cases, true);
}

TEST(LoweredFunctions, Signatures) {
  const LoweringCase cases[] = {
      {"f(x::Int, ::Type{T}, _) where {T<:Real} = 1",
       "(method Main.f (type-var T _ Main.Real) x::Main.Int #unused#::(Base.apply_type Main.Type T) _::Any)"},
      {"f(x::Vararg{Int,3}) = 1", "(method Main.f x::Main.Int...3)"},
      {"Base.show(io::IO, x) = 1", "(method (. Main.Base show) io::Main.IO x::Any)"},
      {"(p::P)(x) = 1", "(method ::Main.P x::Any)"},
      {"function f end", "(method Main.f)"},
  };
  expect_lowered(cases);
  const LoweringCase bodies[] = {
      {"f((a, b), c) = a", "(method Main.f #unused#::Any c::Any)\nf:\n  (unpack [a b] #unused#)\n  a"},
      {"function f(x)::Int\n x > 0 && return x\n 2\nend",
       "(method Main.f x::Any)\nf:\n  (set #return type2 Main.Int)\n"
       "  (:: (Base.convert #return type2 (block (&& (Main.> x 0) (return (:: (Base.convert #return type2 x) #return "
       "type2))) 2)) #return type2)"},
      {"(p::P)(x) = p.x", "(method ::Main.P x::Any)\np::P:\n  (. p x)"},
  };
  expect_lowered(bodies, true);
}

TEST(LoweredFunctions, ClosuresCapture) {
  const LoweringCase cases[] = {
      // By value while nothing changes the variable.
      {"f(a) = x -> a + x",
       "(method Main.f a::Any)\nf:\n  (closure #1 [a] (method #1 x::Any))\n  #1:\n    (Main.+ a x)"},
      // By a box where the closure changes it.
      {"function f()\n n = 0\n () -> (n += 1)\nend",
       "(method Main.f)\nf:\n  (new-local n°)\n  (set n° 0)\n  (closure #1 [n°] (method #1))\n  #1:\n    (set n° "
       "(Main.+ "
       "n° 1))"},
      // A local function that calls itself is the callee of its own code.
      {"function f(k)\n g(i) = i < k ? g(i + 1) : i\n g(0)\nend",
       "(method Main.f k::Any)\nf:\n  (set g (closure #g#1 [k] (method #g#1 i::Any)))\n  (g 0)\n"
       "  #g#1:\n    if (Main.< i k)\n      (#g#1 (Main.+ i 1))\n    else\n      i\n    end"},
      {"map(xs) do x\n x + 1\nend", "(Main.map (closure #1 (method #1 x::Any)) Main.xs)\n#1:\n  (Main.+ x 1)"},
      // All methods of a local function are one object.
      {"function f()\n g(x) = 1\n g(x, y) = 2\n g\nend",
       "(method Main.f)\nf:\n  (set g (closure #g#1 (method #g#1 x::Any) (method #g#1 x::Any y::Any)))\n"
       "  (set g (closure #g#1 (method #g#1 x::Any) (method #g#1 x::Any y::Any)))\n  g\n  #g#1:\n    1\n  #g#1:\n    "
       "2"},
      {"f(n) = [i * n for i in 1:3 if i > n]",
       "(method Main.f n::Any)\nf:\n  (Base.collect (Base.Generator (closure #2 [n] (method #2 #unused#::Any)) "
       "(Base.Filter (closure #1 [n] (method #1 #unused#::Any)) (Base.: 1 3))))\n"
       "  #1:\n    (Main.> i n)\n  #2:\n    (Main.* i n)"},
      {"[(i, j) for i in 1:3 for j in 1:i]",
       "(Base.collect (Base.Flatten (Base.Generator (closure #1 (method #1 #unused#::Any)) (Base.: 1 3))))\n"
       "#1:\n  (Base.Generator (closure #2 [i] (method #2 #unused#::Any)) (Base.: 1 i))\n  #2:\n    (tuple i j)"},
      // Iterators of one `for` do not see each other's variables.
      {"[i + j for i in a, j in i]",
       "(Base.collect (Base.Generator (closure #1 (method #1 #unused#::Any)) (Base.product Main.a Main.i)))\n"
       "#1:\n  (unpack [i j] #unused#)\n  (Main.+ i j)"},
      {"let n = 0\n global next() = (n += 1)\nend",
       "(new-local n°)\n(set n° 0)\n(method Main.next)\nnext:\n  (set n° (Main.+ n° 1))"},
  };
  expect_lowered(cases, true);
}

TEST(LoweredFunctions, Types) {
  const LoweringCase cases[] = {
      {"struct A{T<:Real} <: B{T}\n x::T\n y\nend",
       "(struct A (type-var T _ Main.Real) <: (Base.apply_type Main.B T) x::T y::Any)"},
      {"mutable struct A\n const x::Int\n y\n A(x) = new(x)\nend",
       "(mutable-struct A const x::Main.Int y::Any left-out=1 (method Main.A x::Any))\nA:\n  (new A x)"},
      {"struct A{T}\n x::T\n A{T}(x) where T = new{T}(x)\n A(x) = new{Int}(x)\nend",
       "(struct A (type-var T _ _) x::T (block (method (Base.apply_type Main.A T) (type-var T _ _) x::Any) (method "
       "Main.A x::Any)))\n"
       "A:\n  (new (Base.apply_type Main.A T) x)\nA:\n  (new (Base.apply_type Main.A Main.Int) x)"},
      {"abstract type A <: B end", "(abstract A <: Main.B)"},
      {"primitive type A <: B 16 end", "(primitive A <: Main.B 16)"},
      {"@kwdef struct A\n x = 1\n y::Int = x + 1\n z\nend",
       "(struct A x::Any y::Main.Int z::Any)\n(method Main.A ;x ;y ;z)\nnothing\n"
       "A:\n  keyword x = 1\n  keyword y = (Main.+ x1 1)\n  keyword z\n  (#self# x1 y2 z3)"},
  };
  expect_lowered(cases, true);
}

TEST(LoweredFunctions, Modules) {
  const LoweringCase cases[] = {
      {"module M\nexport f, +\nusing A, B.C\nusing .D: x as y, @z\nimport ..E\nend",
       "(module M\n  (export f +)\n  (using A B.C)\n  (using .D: x as y @z)\n  (import ..E)\n)"},
  };
  expect_lowered(cases);
}

TEST(LoweredFunctions, Macros) {
  const LoweringCase cases[] = {
      {"@inbounds a[1]", "(Base.getindex Main.a 1)"},
      {"@assert x > 1 \"m\"", "if (Main.> Main.x 1)\n  nothing\nelse\n  (Base.throw (Base.AssertionError \"m\"))\nend"},
      {"@assert x>1", "if (Main.> Main.x 1)\n  nothing\nelse\n  (Base.throw (Base.AssertionError \"x > 1\"))\nend"},
      {"@show x+1", "(Base.println \"x + 1 = \" (Base.repr (set #temp1 (Main.+ Main.x 1))))\n#temp1"},
      {"@isdefined x", "(defined? Main.x)"},
      {"@printf \"%d\" x", "((. Base.Printf _printf) \"%d\" Main.x)"},
      {"@sprintf(\"%d\", x)", "((. Base.Printf _sprintf) \"%d\" Main.x)"},
      {"raw\"a\\n\"", "\"a\\\\n\""},
      {"@__FILE__", "\"test.jl\""},
      {"\n@__LINE__", "2"},
      {"@nospecialize", "nothing"},
      {"@foo x", "(refuse \"the macro @foo\")"},
      {"@test a == b", "((. Base.Test _test_call) Main.== \"==\" (closure #1 (method #1)) \"a == b\" \"test.jl\" 1)"},
      {"@testset \"t\" begin\n x = 1\nend", "((. Base.Test _testset) (closure #1 (method #1)) \"t\" \"test.jl\" 1)"},
  };
  expect_lowered(cases);
}

}  // namespace
}  // namespace weft::julia
