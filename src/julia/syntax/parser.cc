#include "julia/syntax/parser.h"

#include <algorithm>

#include "julia/syntax/parse.h"

namespace weft::julia {
namespace {

constexpr int kMostHeight = 2000;  // of a tree: chains such as a - b - c nest without nesting in the source

Kind leaf_kind(Tok t) {
  if (is_error(t)) return Kind::kErrorToken;
  if (is_keyword(t)) return Kind::kKeyword;
  if (is_operator(t)) return Kind::kOperator;
  switch (t) {
    case Tok::kIdentifier: return Kind::kIdentifier;
    case Tok::kBool: return Kind::kBool;
    case Tok::kInteger: return Kind::kInteger;
    case Tok::kBinInt: return Kind::kBinInt;
    case Tok::kHexInt: return Kind::kHexInt;
    case Tok::kOctInt: return Kind::kOctInt;
    case Tok::kFloat: return Kind::kFloat;
    case Tok::kFloat32: return Kind::kFloat32;
    case Tok::kString: return Kind::kString;
    case Tok::kChar: return Kind::kChar;
    case Tok::kCmdString: return Kind::kCmdString;
    default: return Kind::kPunctuation;
  }
}

}  // namespace

Parser::Parser(Tree& tree, std::vector<Diagnostic>& diagnostics) : tree_(tree), diagnostics_(diagnostics) {
  tokens_ = Lexer(tree.source(), diagnostics).run();
  tree_.reserve(tokens_.size());
  heights_.reserve(tokens_.size());
}

const Token& Parser::peek_token(size_t n, bool skip_newlines) const {
  size_t i = pos_;
  for (; tokens_[i].kind != Tok::kEnd; ++i) {
    if (skip_newlines && tokens_[i].kind == Tok::kNewline) continue;
    if (--n == 0) break;
  }
  return tokens_[i];
}

Parser::DottedOperator Parser::peek_operator() const {
  const Token& t = peek();
  if (t.kind != Tok::kDot) return {false, t};
  const Token& next = *(&t + 1);
  if (is_operator(next.kind) && !next.space_before) return {true, next};
  return {false, t};
}

void Parser::skip_newlines() {
  while (tokens_[pos_].kind == Tok::kNewline) ++pos_;
}

void Parser::skip() {
  if (context_.newline_is_space) skip_newlines();
  const Token& t = tokens_[pos_];
  if (t.kind == Tok::kEnd) return;
  if (t.kind != Tok::kNewline) last_end_ = t.end;
  ++pos_;
}

NodeId Parser::leaf() {
  if (context_.newline_is_space) skip_newlines();
  if (tokens_[pos_].kind == Tok::kNewline) {
    ++pos_;
    return kNoNode;
  }
  return leaf(leaf_kind(tokens_[pos_].kind));
}

NodeId Parser::leaf(Kind kind, unsigned flags) {
  if (context_.newline_is_space) skip_newlines();
  const Token& t = tokens_[pos_];
  if (t.kind == Tok::kEnd) return kNoNode;
  Node node;
  node.kind = kind;
  node.flags = static_cast<uint8_t>(flags);
  node.token = t.kind;
  node.begin = t.begin;
  node.end = t.end;
  const NodeId id = tree_.add(node);
  heights_.push_back(1);
  stack_.push_back(id);
  last_end_ = t.end;
  ++pos_;
  if (kind >= Kind::kFloat && kind <= Kind::kChar) check_literal(id);
  return id;
}

void Parser::skip_dotted(bool dotted) {
  if (dotted) skip();
  skip();
}

/// An operator, with a kDot node around it if that is asked for.
NodeId Parser::leaf_dotted(bool dotted, bool dot_node, bool as_name) {
  const Mark m = mark();
  if (dotted) skip();
  NodeId id = as_name ? leaf(Kind::kIdentifier) : leaf();
  if (dotted && dot_node) id = emit(m, Kind::kDot);
  return id;
}

uint32_t Parser::begin_of(Mark m) const {
  uint32_t i = m.token;
  while (i < pos_ && tokens_[i].kind == Tok::kNewline) ++i;
  return i < pos_ ? std::min(tokens_[i].begin, last_end_) : last_end_;
}

NodeId Parser::emit(Mark from, Kind kind, unsigned flags, unsigned dim) {
  return emit_until(from, last_end_, kind, flags, dim);
}

NodeId Parser::emit_until(Mark from, uint32_t end, Kind kind, unsigned flags, unsigned dim) {
  Node node;
  node.kind = kind;
  node.flags = static_cast<uint8_t>(flags);
  node.dim = static_cast<uint8_t>(dim);
  node.begin = std::min(begin_of(from), end);
  node.end = end;
  const std::span<const NodeId> children = std::span<const NodeId>(stack_).subspan(from.depth);
  uint16_t height = 0;
  for (const NodeId c : children) {
    height = std::max(height, heights_[c]);
    // What is missing stands where the text before it ends.
    node.begin = std::min(node.begin, tree_[c].begin);
    node.end = std::max(node.end, tree_[c].end);
  }
  const NodeId id = tree_.add(node, children);
  heights_.push_back(static_cast<uint16_t>(height + 1));
  stack_.resize(from.depth);
  stack_.push_back(id);
  if (height >= kMostHeight) nested_too_deeply();
  return id;
}

/// A node of no source.
NodeId Parser::invisible(Kind kind, unsigned flags) {
  Node node;
  node.kind = kind;
  node.flags = static_cast<uint8_t>(flags);
  node.begin = node.end = last_end_;
  const NodeId id = tree_.add(node);
  heights_.push_back(1);
  stack_.push_back(id);
  return id;
}

/// The node read last; kNoNode at the beginning. Parentheses around it are looked through, once.
NodeId Parser::top(bool skip_parens) const {
  const auto last_of = [&](std::span<const NodeId> ids) {
    constexpr size_t kMost = 8;  // errors one behind the other
    const size_t first = ids.size() > kMost ? ids.size() - kMost : 0;
    for (size_t i = ids.size(); i-- > first;) {
      if (!tree_[ids[i]].has(Node::kTrivia)) return ids[i];
    }
    return kNoNode;
  };
  const NodeId id = last_of(stack_);
  if (!skip_parens || id == kNoNode || !tree_.is(id, Kind::kParens)) return id;
  return last_of(tree_.children(id));
}

Kind Parser::top_kind(bool skip_parens) const {
  const NodeId id = top(skip_parens);
  return id == kNoNode ? Kind::kWrapper : tree_.kind(id);
}

/// The token that the node read last was read from, if it is a leaf.
Tok Parser::top_token() const {
  const NodeId id = top();
  return id == kNoNode ? Tok::kEnd : tree_[id].token;
}

NodeId Parser::first_child(NodeId id) const {
  for (const NodeId c : tree_.children(id)) {
    if (!tree_[c].has(Node::kTrivia)) return c;
  }
  return kNoNode;
}

/// Whether what was read last is a call under `where`, a return type or parentheses: the left side of a short function.
bool Parser::was_call() const {
  for (NodeId id = top(); id != kNoNode; id = first_child(id)) {
    const Node& n = tree_[id];
    if (n.kind == Kind::kCall) return true;
    const bool wraps =
        n.kind == Kind::kWhere || n.kind == Kind::kParens || (n.kind == Kind::kDeclare && n.has(Node::kInfix));
    if (!wraps) return false;
  }
  return false;
}

NodeId Parser::finish() {
  if (stack_.size() != 1) {
    Node node;
    node.kind = Kind::kWrapper;
    node.end = last_end_;
    stack_ = {tree_.add(node, stack_)};
  }
  tree_.set_root(stack_[0]);
  std::ranges::stable_sort(diagnostics_, {}, &Diagnostic::begin);
  return stack_[0];
}

Parsed parse(std::string_view source) {
  if (source.size() >= ~uint32_t{0})
    throw UserError("a source of 4 GiB or more: got " + std::to_string(source.size()) + " bytes");
  Parsed out{Tree(source), {}};
  Parser parser(out.tree, out.diagnostics);
  parser.toplevel();
  parser.finish();
  return out;
}

}  // namespace weft::julia
