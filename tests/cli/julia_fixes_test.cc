// weft check: what it says to write instead does compile.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaFixes : public Command {};

struct Defect {
  const char* cause;  // the class
  const char* place;  // line:column of the first
  const char* fix;
  const char* program;
  const char* mended;  // as the fix says
};

constexpr Defect kDefects[] = {
    {"untyped container", "4:9", "give it the type of its elements, for example Float64[]",
     "function halves(n)\n    out = []\n    for i in 1:n\n        push!(out, i * 0.5)\n    end\n    sum(out)\nend\n"
     "c(n) = halves(n)\nb(n) = c(n)\na(n) = b(n)\na(5)\n",
     "function halves(n)\n    out = Float64[]\n    for i in 1:n\n        push!(out, i * 0.5)\n    end\n    "
     "sum(out)\nend\n"
     "c(n) = halves(n)\nb(n) = c(n)\na(n) = b(n)\na(5)\n"},
    {"two types", "4:9", "start it with a value of type Float64",
     "function last_of(v)\n    s = \"none\"\n    for x in v\n        s = x\n    end\n    s\nend\nlast_of([1.0, 2.0])\n",
     "function last_of(v)\n    s = 0.0\n    for x in v\n        s = x\n    end\n    s\nend\nlast_of([1.0, 2.0])\n"},
    {"two types", "1:16", "give it one type on both ways, for example by convert or by starting from zero(x)",
     "g(x) = x > 0 ? x : \"negative\"\nh(x) = g(x)\nh(1.0)\n", "g(x) = x > 0 ? x : zero(x)\nh(x) = g(x)\nh(1.0)\n"},
    {"non-const global", "3:5", "return the value instead",
     "counter = 0\nfunction count(x)\n    global counter = counter + 1\n    x\nend\nrun(v) = map(count, v)\n"
     "run([1.0, 2.0])\n",
     "counter = 0\ncount(x) = x\nrun(v) = (map(count, v), length(v))\ntotal = run([1.0, 2.0])\n"},
    {"abstract field", "4:17", "declare the field with a concrete type or a type parameter",
     "mutable struct Model\n    w::AbstractVector\nend\nupdate(m, g) = (m.w = m.w .- g; m)\n"
     "train(m) = (update(m, ones(2)); sum(m.w))\ntrain(Model([1.0, 2.0]))\n",
     "mutable struct Model{V}\n    w::V\nend\nupdate(m, g) = (m.w = m.w .- g; m)\n"
     "train(m) = (update(m, ones(2)); sum(m.w))\ntrain(Model([1.0, 2.0]))\n"},
    {"data-dependent shape", "3:5", "let it depend on nothing but sizes of arrays and numbers among the arguments",
     "function pick(v)\n    k = Int(v[1])\n    zeros(k, k)\nend\npick([2.0])\n",
     "function pick(v, k)\n    zeros(k, k)\nend\npick([2.0], 2)\n"},
    {"dynamic dispatch", "1:8", "use an array in the tuple's place", "f(v) = (1, 2.0)[v[1]]\nf([2])\n",
     "f(v) = [1, 2.0][v[1]]\nf([2])\n"},
};

TEST_F(JuliaFixes, WhatTheFixSaysCompiles) {
  for (const Defect& d : kDefects) {
    SCOPED_TRACE(d.program);
    const std::string name = file("f.jl", d.program);
    const Answer broken = weft("check " + name);
    EXPECT_EQ(broken.code, 1) << broken.out;
    EXPECT_EQ(broken.error.find(name + ":" + d.place + ": not compiled: "), 0U) << broken.error;
    EXPECT_HAS(broken.error, std::string("[") + d.cause + "]");
    EXPECT_HAS(broken.error, std::string("  fix: ") + d.fix + "\n");
    const Answer mended = weft("check " + file("mended.jl", d.mended));
    EXPECT_EQ(mended.code, 0) << mended.error;
  }
}

}  // namespace
