#include "tests/fuzz/julia_texts.h"

#include <iterator>

#include "julia/lower/scopes.h"
#include "julia/syntax/literals.h"
#include "julia/syntax/parse.h"
#include "julia/syntax/sexpr.h"
#include "tests/fuzz/julia_forms.h"
#include "tests/fuzz/tokens.h"

namespace weft::fuzz {
namespace {

using julia::Kind;
using julia::Node;
using julia::NodeId;
using julia::Tree;

// With their blanks, which mean something.
constexpr const char* kTokens[] = {
    "a",
    " x ",
    "1",
    " 2.5",
    "0x1f",
    "1f0",
    "\"s\"",
    "'c'",
    "\"$",
    "\"\"\"",
    "`",
    "'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ";;",
    "\n",
    "\n\n",
    " ",
    ":",
    "::",
    " : ",
    " ? ",
    " = ",
    " += ",
    " .= ",
    ".",
    "..",
    "...",
    ".+",
    " + ",
    " -",
    "-",
    "*",
    " ^ ",
    "<:",
    " => ",
    " -> ",
    "->",
    " --> ",
    "&&",
    " || ",
    " < ",
    "==",
    "!",
    "$",
    "@m ",
    "@",
    "&",
    "~",
    "√",
    "∈",
    "₁",
    "α",
    "\xff",
    "#",
    "#=",
    "=#",
    " if ",
    " else ",
    " elseif ",
    " end ",
    " for ",
    " in ",
    " while ",
    " begin ",
    " let ",
    " do ",
    " try ",
    " catch ",
    " finally ",
    "function ",
    " macro ",
    " struct ",
    "mutable struct ",
    " module ",
    " where ",
    " return ",
    " break",
    "import ",
    "using ",
    "export ",
    " as ",
    " const ",
    " global ",
    " local ",
    " quote ",
    "abstract type ",
    "primitive type ",
    "public ",
    "var\"",
    " outer ",
    "\\",
    "\"\\u",
    "\r\n",
    "\t",
    "\u200b",
    "\u202e",
    "A.@b",
    ".(",
    "f(",
    "end",
    "|>",
    "//",
    "<<=",
};

std::string random_bytes(Random& random) {
  std::string out(random.below(400), '\0');
  // Mostly what occurs in sources.
  for (char& c : out)
    c = static_cast<char>(random.chance(0.9) ? ' ' + static_cast<int>(random.below(95))
                                             : static_cast<int>(random.below(256)));
  return out;
}

std::string random_tokens(Random& random, size_t most) {
  std::string out;
  for (size_t n = 1 + random.below(most); n > 0; --n) out += random.pick(kTokens);
  return out;
}

/// Deep nests, and long flat texts whose time must not grow faster than they do.
std::string repeated(Random& random, const std::string& program) {
  constexpr size_t kBytes = 200'000;
  const size_t begin = random.below(program.size());
  std::string unit = random.chance(0.7) ? random_tokens(random, 5) : program.substr(begin, 1 + random.below(60));
  if (unit.empty()) unit = "(";
  std::string out = random.chance(0.5) ? random_tokens(random, 3) : "";
  const size_t most = random.chance(0.5) ? kBytes / unit.size() : random.below(3000);
  for (size_t i = 0; i < most; ++i) out += unit;
  if (random.chance(0.5)) {
    const std::string tail = random_tokens(random, 3);
    for (size_t i = random.below(most + 1); i > 0; --i) out += tail;
  }
  return out;
}

std::string fault_of_node(const Tree& tree, NodeId id) {
  const Node& n = tree[id];
  const auto place = [&] {
    return std::to_string(id) + " at " + std::to_string(n.begin) + ".." + std::to_string(n.end);
  };
  if (n.begin > n.end || n.end > tree.source().size()) return "node outside: " + place();
  uint32_t behind = n.begin;
  for (const NodeId c : tree.children(id)) {
    if (c >= id) return "child after parent: " + place();
    if (tree[c].begin < behind) return "child before its sibling: " + place() + ", child " + std::to_string(c);
    behind = tree[c].end;
  }
  if (behind > n.end) return "child outside: " + place();
  return {};
}

std::string fault_of_literal(const Tree& tree, NodeId id) {
  const Kind k = tree.kind(id);
  if (is_integer(k)) julia::integer_value(tree, id);
  if (k == Kind::kFloat || k == Kind::kFloat32) {
    const julia::FloatLiteral f = julia::float_value(tree, id);
    if (f.overflows || f.is_float32 != (k == Kind::kFloat32)) return "float: " + std::string(tree.text(id));
  }
  std::vector<julia::Diagnostic> diagnostics;
  std::string value;
  const bool escaped = k == Kind::kChar || (k == Kind::kString && !tree[id].has(Node::kRaw));
  if (escaped && !julia::unescape(tree.text(id), value, &diagnostics)) return "escape: " + std::string(tree.text(id));
  if (julia::is_name(k)) julia::name_value(tree, id);
  return {};
}

}  // namespace

std::string wrong_julia(Random& random, const std::vector<std::string>& corpus) {
  const std::string &text = random.pick(corpus), &other = random.pick(corpus);
  switch (random.below(8)) {
    case 0: return random_bytes(random);
    case 1: return random_tokens(random, 60);
    case 2: return repeated(random, text);
    case 3: return text.substr(0, random.below(text.size() + 1));
    case 4: {
      std::string out = text;
      out.insert(random.below(out.size() + 1), random_tokens(random, 4));
      return out;
    }
    default: return damaged(random, text, other);
  }
}

std::string julia_fault_of(const std::string& text) {
  try {
    const julia::Parsed parsed = julia::parse(text);
    const Tree& tree = parsed.tree;
    uint32_t before = 0;
    for (const julia::Diagnostic& d : parsed.diagnostics) {
      if (d.begin > d.end || d.end > text.size()) return "diagnostic outside: " + d.message;
      if (d.begin < before) return "diagnostics out of order: " + d.message;
      before = d.begin;
    }
    const bool ok = parsed.ok();
    bool has_error = false;
    std::vector<NodeId> reachable = {tree.root()};
    while (!reachable.empty()) {
      const NodeId id = reachable.back();
      reachable.pop_back();
      if (std::string fault = fault_of_node(tree, id); !fault.empty()) return fault;
      has_error = has_error || is_error(tree.kind(id));
      if (ok) {
        if (std::string fault = fault_of_literal(tree, id); !fault.empty()) return fault;
      }
      reachable.insert(reachable.end(), tree.children(id).begin(), tree.children(id).end());
    }
    if (ok && has_error) return "error node: without a diagnostic";
    std::vector<julia::Diagnostic> about_names;
    if (ok && julia::resolve_scopes(tree, about_names).of_node.size() != tree.size())
      return "scopes: not of every node";
    if (ok && !has_errors(about_names)) {
      if (std::string fault = fault_of_order(tree); !fault.empty()) return fault;
      if (std::string fault = fault_of_lowering(text); !fault.empty()) return fault;
    }
    if (text.size() < 20'000) julia::sexpr_lines(tree, tree.root());
    julia::sexpr(tree, tree.root());
    julia::render_all(parsed.diagnostics, text, "text.jl");
    return {};
  } catch (const std::exception& e) { return "exception: " + std::string(e.what()); }
}

}  // namespace weft::fuzz
