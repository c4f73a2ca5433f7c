// import, using, export and public.
#include "julia/syntax/parser.h"

namespace weft::julia {

/// A name, operator, interpolation or @macro.
void Parser::import_symbol(bool allow_quotes) {
  skip_newlines();
  const Mark m = mark();
  if (kind() == Tok::kAt) {
    skip();
    macro_name();
    emit(m, Kind::kMacroName);
    return;
  }
  if (allow_quotes && kind() == Tok::kColon && !closes(kind(2)))
    report_next("quoting with `:` is not required here", Diagnostic::kWarning);
  unary_prefix();
  NodeId id = stack_.size() > m.depth ? stack_.back() : kNoNode;
  bool parens = false;
  const auto open = [&](Kind k) {
    if (id == kNoNode || !tree_.is(id, k)) return false;
    id = first_child(id);
    return true;
  };
  if (open(Kind::kParens)) parens = true;
  if (allow_quotes && open(Kind::kQuoteExpr) && open(Kind::kParens)) parens = true;
  if (id == kNoNode) return;
  const Node& n = tree_[id];
  if (parens && n.token != Tok::kDotDot)
    report(begin_of(m), last_end_, "parentheses are not required here", Diagnostic::kWarning);
  const bool ok = n.kind == Kind::kIdentifier || n.kind == Kind::kOperator || n.kind == Kind::kInterpolate ||
                  n.kind == Kind::kVarName;
  if (!ok) error(m, "expected identifier");
}

void Parser::imports() {
  const Mark m = mark();
  const Tok word = kind();
  skip();
  const Mark first = mark();
  const bool initial_as = import_item(word, false);
  const Token t = peek();
  const bool has_prefix = t.kind == Tok::kColon && !t.space_before;
  if (has_prefix) {
    skip();
    if (initial_as) error(first, "`as` before `:` in import/using");
  } else if (t.kind == Tok::kComma) {
    skip();
  }
  if (has_prefix || t.kind == Tok::kComma) {
    import_items(word, has_prefix);
    if (kind() == Tok::kColon) {
      const Mark again = mark();
      skip();
      import_items(word, has_prefix);
      error(again, "`:` can only be used when importing a single module. Split imports into multiple lines",
            Node::kTrivia);
    }
  }
  if (has_prefix) emit(first, Kind::kImportFrom);
  emit(m, word == Tok::kImport ? Kind::kImport : Kind::kUsing);
}

void Parser::import_items(Tok word, bool has_prefix) {
  while (true) {
    import_item(word, has_prefix);
    if (kind() != Tok::kComma) return;
    skip();
  }
}

/// A path, renamed or not; whether it is.
bool Parser::import_item(Tok word, bool has_prefix) {
  const Mark m = mark();
  import_path();
  if (kind() != Tok::kAs) return false;
  skip();
  import_symbol(false);
  emit(m, Kind::kAs);
  if (word == Tok::kUsing && !has_prefix) error(m, "`using` with `as` renaming requires a `:` and context module");
  return true;
}

/// ..A.B.@c: a leaf for each leading dot, then the names.
void Parser::import_path() {
  const Mark m = mark();
  skip_newlines();
  const auto dots = [&](uint32_t n) {
    // Two or three dots are one token: a leaf for each.
    const uint32_t begin = tokens_[pos_].begin;
    for (uint32_t i = 0; i < n; ++i) {
      Node node;
      node.kind = Kind::kIdentifier;
      node.token = Tok::kDot;
      node.begin = begin + i;
      node.end = begin + i + 1;
      stack_.push_back(tree_.add(node));
      heights_.push_back(1);
    }
    skip();
  };
  for (bool first = true;; first = false) {
    const Token& t = peek();
    const Tok k = t.kind;
    if (!first && t.space_before) report_space("space between dots in import path", Diagnostic::kWarning);
    if (k != Tok::kDot && k != Tok::kDotDot && k != Tok::kSplat) break;
    dots(k == Tok::kDot ? 1 : k == Tok::kDotDot ? 2 : 3);
  }
  import_symbol(false);
  while (true) {
    const Token t = peek();
    if (t.kind == Tok::kDot) {
      if (is_operator(kind(2))) {
        if (t.space_before) report_space("space between dots in import path", Diagnostic::kWarning);
        skip_newlines();
      } else {
        disallow_space();
      }
      skip();
      import_symbol(true);
    } else if (t.kind == Tok::kSplat) {
      // A...: the operator .. of A
      const NodeId id = leaf(Kind::kIdentifier);
      if (id != kNoNode) ++tree_.edit(id).begin;
    } else {
      break;
    }
  }
  emit(m, Kind::kImportPath);
}

}  // namespace weft::julia
