// Which variable a name means. Expected values are from the manual's chapter "Scope of Variables" and its examples.
#include "julia/lower/scopes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "julia/syntax/parse.h"

namespace weft::julia {
namespace {

struct Resolved {
  std::string source;
  Parsed parsed;
  std::vector<Diagnostic> diagnostics;
  Scopes scopes;

  explicit Resolved(std::string text, bool interactive = false)
      : source(std::move(text)),
        parsed(parse(source)),
        scopes(resolve_scopes(parsed.tree, diagnostics, {interactive})) {
    EXPECT_TRUE(parsed.ok()) << render_all(parsed.diagnostics, source, "test.jl");
  }

  /// Each use of a name in the order of the source: x1 is the first variable called x, x0 the global.
  std::string uses(std::string_view name) const {
    std::vector<NodeId> nodes;
    for (NodeId id = 0; id < parsed.tree.size(); ++id) {
      const bool named = parsed.tree.is(id, Kind::kIdentifier) && parsed.tree.text(id) == name;
      if (named && scopes[id] != kNotAVariable) nodes.push_back(id);
    }
    std::ranges::sort(nodes, {}, [&](NodeId id) { return parsed.tree[id].begin; });
    std::vector<VariableId> seen;
    std::string out;
    for (const NodeId id : nodes) {
      if (!out.empty()) out += ' ';
      out += name;
      if (scopes[id] == kGlobalName) {
        out += '0';
        continue;
      }
      const auto it = std::ranges::find(seen, scopes[id]);
      out += std::to_string(it - seen.begin() + 1);
      if (it == seen.end()) seen.push_back(scopes[id]);
    }
    return out;
  }
  const Variable& variable(std::string_view name) const {
    for (const Variable& v : scopes.variables) {
      if (v.name.text() == name) return v;
    }
    ADD_FAILURE() << "no variable " << name;
    static const Variable none;
    return none;
  }
  std::string messages() const {
    std::string out;
    for (const Diagnostic& d : diagnostics) out += d.message + "\n";
    return out;
  }
};

std::string uses(const char* source, const char* name) { return Resolved(source).uses(name); }

TEST(Scopes, FunctionsHaveTheirOwnVariables) {
  EXPECT_EQ(uses("x = 1\nfunction f()\n x = 2\n x\nend\nx", "x"), "x0 x1 x1 x0");
  EXPECT_EQ(uses("x = 1\nf() = x", "x"), "x0 x0");
  EXPECT_EQ(uses("function f(x)\n x = x + 1\nend", "x"), "x1 x1 x1");
  EXPECT_EQ(uses("x = 1\nfunction f()\n global x = 2\nend", "x"), "x0 x0");
  EXPECT_EQ(uses("function f()\n y = x\n x = 1\nend", "x"), "x1 x1") << "local in the whole scope";
  EXPECT_EQ(uses("f(x, y = x; z = x) = x + y + z", "x"), "x1 x1 x1 x1");
  EXPECT_EQ(uses("f(x) = begin g(x) = 2x; g(x) end", "x"), "x1 x2 x2 x1");
  EXPECT_EQ(uses("f(x::T) where {T<:S, S} = T", "T"), "T1 T1 T1");
}

TEST(Scopes, InnerFunctionsShareOuterVariables) {
  EXPECT_EQ(uses("function f()\n x = 1\n g() = (x = 2)\n g()\n x\nend", "x"), "x1 x1 x1");
  EXPECT_EQ(uses("function f()\n x = 1\n function g()\n  local x = 2\n end\n x\nend", "x"), "x1 x2 x1");
  EXPECT_EQ(uses("function f()\n g(n) = n == 0 ? 1 : n * g(n - 1)\n g(3)\nend", "g"), "g1 g1 g1");
  EXPECT_EQ(uses("map(x -> x + y, z)", "x"), "x1 x1");
  EXPECT_EQ(uses("map(z) do x, (y, w)\n x + y + w\nend", "w"), "w1 w1");
}

// A hard scope in a function: loops assign what is there, else make it anew.
TEST(Scopes, LoopsInFunctions) {
  EXPECT_EQ(uses("function f(n)\n s = 0\n for i in 1:n\n  s += i\n  t = s\n end\n s\nend", "s"), "s1 s1 s1 s1");
  EXPECT_EQ(uses("function f(n)\n for i in 1:n\n  t = i\n end\n t\nend", "t"), "t1 t0");
  EXPECT_EQ(uses("function f(i)\n for i in 1:i\n  i\n end\n i\nend", "i"), "i1 i2 i1 i2 i1");
  EXPECT_EQ(uses("function f()\n i = 0\n for outer i in 1:3 end\n i\nend", "i"), "i1 i1 i1");
  EXPECT_EQ(uses("function f(n)\n for i in 1:n, j in 1:i\n  i + j\n end\nend", "i"), "i1 i1 i1");
  EXPECT_EQ(uses("function f()\n while (x = g()) > 0\n  y = x\n end\n x\nend", "x"), "x1 x1 x1");
  EXPECT_EQ(uses("function f()\n try\n  x = 1\n catch e\n  x = e\n end\nend", "x"), "x1 x2");
}

TEST(Scopes, SoftScopeAtTopLevel) {
  const char* const source = "s = 0\nfor i in 1:3\n s = s + i\nend";
  const Resolved in_file(source);
  EXPECT_EQ(in_file.uses("s"), "s0 s1 s1");
  ASSERT_EQ(in_file.diagnostics.size(), 1U);
  EXPECT_EQ(in_file.diagnostics[0].level, Diagnostic::kWarning);
  EXPECT_TRUE(in_file.diagnostics[0].message.starts_with(
      "Assignment to `s` in soft scope is ambiguous because a global variable by the same name exists"));
  const Resolved at_prompt(source, true);
  EXPECT_EQ(at_prompt.uses("s"), "s0 s0 s0");
  EXPECT_TRUE(at_prompt.diagnostics.empty());
  const Resolved declared("s = 0\nfor i in 1:3\n global s += i\nend");
  EXPECT_EQ(declared.uses("s"), "s0 s0");
  EXPECT_TRUE(declared.diagnostics.empty());
  EXPECT_EQ(uses("for i in 1:3\n fresh = i\nend\nfresh", "fresh"), "fresh1 fresh0");
  EXPECT_EQ(uses("s = 0\nlet\n s = 1\nend", "s"), "s0 s1") << "let is a hard scope";
}

TEST(Scopes, LetSeesTheBindingsBefore) {
  EXPECT_EQ(uses("x = 1\nlet x = x, y = x\n x + y\nend", "x"), "x0 x1 x0 x1 x1");
  EXPECT_EQ(uses("let x\n x = 1\nend", "x"), "x1 x1");
  EXPECT_EQ(uses("let f(x) = x\n f(1)\nend", "f"), "f1 f1");
}

TEST(Scopes, Comprehensions) {
  EXPECT_EQ(uses("x = 1\n[x for x in x]", "x"), "x0 x1 x1 x0") << "the first iterator is outside";
  EXPECT_EQ(uses("[(a, b) for a in 1:3 for b in a if b < a]", "a"), "a1 a1 a1 a1");
  EXPECT_EQ(uses("sum(x^2 for x in y)", "x"), "x1 x1");
}

TEST(Scopes, NamesThatAreNoVariables) {
  EXPECT_EQ(uses("f(x) = g(; x = 1, y = x).x", "x"), "x1 x1");
  EXPECT_EQ(uses("f(x) = (x = 1, y = x)", "x"), "x1 x1");
  EXPECT_EQ(uses("f(x) = :(x + $x)", "x"), "x1 x1");
  EXPECT_EQ(uses("f(x) = :x", "x"), "x1");
  EXPECT_EQ(uses("f(x) = g(; x)", "x"), "x1 x1");
  EXPECT_EQ(uses("f(x) = \"$x\"", "x"), "x1 x1");
  EXPECT_EQ(uses("f(a) = a[end]", "end"), "");
}

TEST(Scopes, Structs) {
  EXPECT_EQ(uses("struct A{T}\n x::T\n A{T}(x) where {T} = new{T}(x)\n A(x::T) where T = x\nend", "T"),
            "T1 T1 T2 T2 T2 T3 T3");
  EXPECT_EQ(uses("struct A\n x::Int\n y\nend", "x"), "");
}

TEST(Scopes, ModulesDoNotSeeEachOther) {
  EXPECT_EQ(uses("x = 1\nmodule M\n f() = x\nend", "x"), "x0 x0");
  const Resolved r("x = 1\nmodule M\n for i in 1:2\n  x = i\n end\nend");
  EXPECT_EQ(r.uses("x"), "x0 x1");
  EXPECT_TRUE(r.diagnostics.empty()) << "the global of that name is another module's";
}

// What Julia keeps in a Core.Box.
TEST(Scopes, Captures) {
  const Resolved plain("function f(x)\n y = 2x\n z -> y + z\nend");
  EXPECT_TRUE(plain.variable("y").captured);
  EXPECT_FALSE(plain.variable("y").is_boxed());
  EXPECT_FALSE(plain.variable("x").captured);
  EXPECT_FALSE(plain.variable("z").captured);
  EXPECT_TRUE(Resolved("function f(x)\n if x < 0\n  x = -x\n end\n z -> x + z\nend").variable("x").is_boxed());
  EXPECT_TRUE(Resolved("function f()\n n = 0\n () -> (n += 1)\nend").variable("n").is_boxed());
  EXPECT_TRUE(Resolved("function f()\n g = () -> y\n y = 1\n g\nend").variable("y").is_boxed());
  EXPECT_FALSE(Resolved("function f(n)\n s = 0\n for i in 1:n\n  s += i\n end\n s\nend").variable("s").is_boxed());
  EXPECT_TRUE(Resolved("function f(n)\n s = 0\n foreach(1:n) do i\n  s += i\n end\n s\nend").variable("s").is_boxed());
  EXPECT_TRUE(Resolved("f(a) = [a * x for x in 1:3]").variable("a").captured);
  EXPECT_FALSE(Resolved("f(a) = [x for x in a]").variable("a").captured);
  EXPECT_FALSE(Resolved("function f()\n for i in 1:3\n  g(() -> i)\n end\nend").variable("i").is_boxed());
}

TEST(Scopes, WhatTheRulesForbid) {
  EXPECT_EQ(Resolved("function f(x, x) end").messages(), "function argument name not unique: \"x\"\n");
  EXPECT_EQ(Resolved("function f(x)\n local x = 1\nend").messages(),
            "local variable name \"x\" conflicts with an argument\n");
  EXPECT_EQ(Resolved("function f(y::T) where T\n local T = 1\nend").messages(),
            "local variable name \"T\" conflicts with a static parameter\n");
  EXPECT_EQ(Resolved("function f()\n local x\n global x\nend").messages(),
            "variable \"x\" declared both local and global\n");
  EXPECT_EQ(Resolved("f() = break").messages(), "break or continue outside loop\n");
  EXPECT_EQ(Resolved("for i in 1:3\n map(x -> (continue), y)\nend").messages(), "break or continue outside loop\n");
  EXPECT_EQ(Resolved("for i in 1:3\n i > 1 && break\nend").messages(), "");
}

void expect_no_faults(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".jl") continue;
    const std::string source = read_file(entry.path());
    const Parsed parsed = parse(source);
    if (!parsed.ok()) continue;
    std::vector<Diagnostic> diagnostics;
    const Scopes scopes = resolve_scopes(parsed.tree, diagnostics);
    EXPECT_FALSE(has_errors(diagnostics)) << render_all(diagnostics, source, entry.path().string());
    EXPECT_EQ(scopes.of_node.size(), parsed.tree.size());
  }
}

TEST(Scopes, ProgramsKeepTheRules) {
  expect_no_faults(WEFT_SOURCE_DIR "/tests/julia/syntax/programs");
  if (const char* folder = std::getenv("WEFT_JULIA_PROGRAMS"); folder != nullptr && *folder != '\0')
    expect_no_faults(folder);
}

}  // namespace
}  // namespace weft::julia
