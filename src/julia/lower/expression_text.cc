// Expressions as Julia prints them: what @show, @assert and @test say of their code.
#include "julia/lower/lowerer.h"
#include "julia/syntax/literals.h"

namespace weft::julia {
namespace {

class Writer {
 public:
  explicit Writer(const Tree& tree) : tree_(tree) {}

  std::string text(NodeId id) {
    const Node& n = tree_[id];
    const auto c = tree_.children(id);
    switch (n.kind) {
      case Kind::kParens: return "(" + list(c) + ")";
      case Kind::kCall:
      case Kind::kDotCall: return call(id);
      case Kind::kComparison: {
        std::string out = text(c[0]);
        for (size_t i = 1; i < c.size(); ++i) out += " " + text(c[i]);
        return out;
      }
      case Kind::kJuxtapose: return joined(c, n.count > 0 && is_number(tree_.kind(c[0])) ? "" : " * ");
      case Kind::kAssign: return text(c[0]) + " = " + text(c[1]);
      case Kind::kOpAssign: return text(c[0]) + " " + text(c[1]) + "= " + text(c[2]);
      case Kind::kTernary: return "if " + text(c[0]) + "\n    " + text(c[1]) + "\nelse\n    " + text(c[2]) + "\nend";
      case Kind::kAndAnd: return text(c[0]) + " && " + text(c[1]);
      case Kind::kOrOr: return text(c[0]) + " || " + text(c[1]);
      case Kind::kSubtype: return n.has(Node::kPrefixOp) ? "<:" + text(c[0]) : text(c[0]) + " <: " + text(c[1]);
      case Kind::kSupertype: return n.has(Node::kPrefixOp) ? ">:" + text(c[0]) : text(c[0]) + " >: " + text(c[1]);
      case Kind::kDeclare: return n.has(Node::kInfix) ? text(c[0]) + "::" + text(c[1]) : "::" + text(c[0]);
      case Kind::kSplat: return text(c[0]) + "...";
      case Kind::kDot: return c.size() == 1 ? "." + text(c[0]) : text(c[0]) + "." + text(c[1]);
      case Kind::kTuple: return "(" + list(c) + (c.size() == 1 && !tree_.is(c[0], Kind::kParameters) ? ",)" : ")");
      case Kind::kVect: return "[" + list(c) + "]";
      case Kind::kHcat: return "[" + joined(c, " ") + "]";
      case Kind::kVcat: return "[" + joined(c, "; ") + "]";
      case Kind::kRow: return joined(c, " ");
      case Kind::kRef: return text(c[0]) + "[" + list(c.subspan(1)) + "]";
      case Kind::kTypedHcat: return text(c[0]) + "[" + joined(c.subspan(1), " ") + "]";
      case Kind::kTypedVcat: return text(c[0]) + "[" + joined(c.subspan(1), "; ") + "]";
      case Kind::kCurly: return text(c[0]) + "{" + list(c.subspan(1)) + "}";
      case Kind::kComprehension: return "[" + text(c[0]) + "]";
      case Kind::kTypedComprehension: return text(c[0]) + "[" + text(c[1]) + "]";
      case Kind::kGenerator: {
        std::string out = text(c[0]);
        for (const NodeId clause : c.subspan(1)) out += " for " + text(clause);
        return out;
      }
      case Kind::kIteration: return list(c);
      case Kind::kFilter: return text(c[0]) + " if " + text(c[1]);
      case Kind::kIn: return text(c[0]) + " = " + text(c[1]);
      default: return source_text(id);
    }
  }

 private:
  std::string joined(std::span<const NodeId> ids, std::string_view separator) {
    std::string out;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) out += separator;
      out += text(ids[i]);
    }
    return out;
  }
  /// a, b; c.
  std::string list(std::span<const NodeId> ids) {
    std::string out;
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool semicolon = tree_.is(ids[i], Kind::kParameters);
      if (semicolon) {
        out += "; " + list(tree_.children(ids[i]));
      } else {
        out += (i > 0 ? ", " : "") + text(ids[i]);
      }
    }
    return out;
  }
  std::string call(NodeId id) {
    const Node& n = tree_[id];
    const auto c = tree_.children(id);
    const std::string dot = n.kind == Kind::kDotCall ? "." : "";
    if (n.has(Node::kPrefixOp)) return dot + text(c[0]) + text(c[1]);
    if (n.has(Node::kPostfixOp)) return text(c[0]) + text(c[1]);
    if (n.has(Node::kInfix)) {
      const std::string op = dot + text(c[1]);
      const bool tight = op == ":" || op == "^" || op == ".^";
      const std::string between = tight ? op : " " + op + " ";
      std::string out = text(c[0]);
      for (const NodeId operand : c.subspan(2)) out += between + text(operand);
      return out;
    }
    return text(c[0]) + dot + "(" + list(c.subspan(1)) + ")";
  }
  /// As written, in one line.
  std::string source_text(NodeId id) const { return std::string(tree_.text(id)); }

  const Tree& tree_;
};

}  // namespace

std::string expression_text(const Tree& tree, NodeId id) { return Writer(tree).text(tree.unparen(id)); }

}  // namespace weft::julia
