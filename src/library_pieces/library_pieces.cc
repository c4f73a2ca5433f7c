// library_pieces ROOT OUT FILE…: the Julia library's files as C++ tables, taken apart into what runs when a file is included and
// definitions that can wait until their function is called. Run by the build; a file that cannot be read ends it with the diagnostics.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "julia/syntax/literals.h"
#include "julia/syntax/parse.h"

namespace weft::julia {
namespace {

/// What a statement adds methods to: a function or type of this name (empty: it is another statement).
struct Defined {
  std::string name;
  bool is_applied = false;  // as T{A}(…) or (::Type{T})(…): the constructors of a type
};

struct Piece {
  uint32_t begin, end;
  Defined defined;
};

/// Whether a method's signature has a type variable of this name.
bool is_type_variable(const Tree& tree, NodeId function, const std::string& name) {
  for (NodeId id = tree.child(function, 0); tree.count(id) > 0; id = tree.child(id, 0)) {
    if (!tree.is(id, Kind::kWhere)) continue;
    const auto names = [&](auto&& self, NodeId n) -> bool {
      if (tree.is(n, Kind::kIdentifier) && name_value(tree, n) == name) return true;
      return std::ranges::any_of(tree.children(n), [&](NodeId c) { return self(self, c); });
    };
    if (std::ranges::any_of(tree.children(id).subspan(1), [&](NodeId v) { return names(names, v); })) return true;
  }
  return false;
}

Defined defined_by(const Tree& tree, NodeId statement) {
  if (tree.is(statement, Kind::kDoc) && tree.count(statement) == 2) statement = tree.child(statement, 1);
  if (!tree.is(statement, Kind::kFunction) || tree.count(statement) < 2) return {};
  const NodeId call = tree.signature_call(statement);
  if (!tree.is(call, Kind::kCall)) return {};
  NodeId callee = tree.unparen(tree.callee(call));
  bool is_applied = false;
  const auto is_type = [&](NodeId id) { return tree.is(id, Kind::kIdentifier) && tree.text(id) == "Type"; };
  if (tree.is(callee, Kind::kDeclare) && tree.count(callee) == 1) {
    const NodeId type = tree.child(callee, 0);
    if (!tree.is(type, Kind::kCurly) || tree.count(type) != 2 || !is_type(tree.child(type, 0))) return {};
    callee = tree.child(type, 1);
    is_applied = true;
  }
  if (tree.is(callee, Kind::kCurly)) {
    callee = tree.child(callee, 0);
    is_applied = true;
  }
  if (!tree.is(callee, Kind::kIdentifier)) return {};
  std::string name = name_value(tree, callee);
  if (is_type_variable(tree, statement, name)) return {};
  return {std::move(name), is_applied};
}

std::vector<Piece> pieces_of(const Tree& tree) {
  std::vector<Piece> out;
  for (const NodeId statement : tree.children(tree.root())) {
    const Node& n = tree[statement];
    Defined defined = defined_by(tree, statement);
    if (defined.name.empty() && !out.empty() && out.back().defined.name.empty()) {
      out.back().end = n.end;
    } else {
      out.push_back({n.begin, n.end, std::move(defined)});
    }
  }
  return out;
}

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw UserError("cannot read " + file);
  return std::move(text).str();
}

void write(std::ostream& out, const std::string& root, const std::vector<std::string>& files) {
  out << "#include \"julia/run/library.h\"\n\nnamespace weft::julia {\nnamespace {\n";
  std::ostringstream table;
  for (size_t f = 0; f < files.size(); ++f) {
    const std::string text = read(root + "/" + files[f]);
    const Parsed parsed = parse(text);
    if (!parsed.ok()) throw UserError(render_all(parsed.diagnostics, text, files[f]));
    out << "constexpr LibraryPiece kPieces" << f << "[] = {\n";
    uint32_t at = 0;
    int line = 1;
    for (const Piece& p : pieces_of(parsed.tree)) {
      for (; at < p.begin; ++at) line += text[at] == '\n';
      out << "{" << p.begin << ", " << p.end << ", " << line << ", R\"weftname(" << p.defined.name << ")weftname\", "
          << (p.defined.is_applied ? "true" : "false") << "},\n";
    }
    out << "};\n";
    table << "{\"" << files[f] << "\", R\"weftfile(" << text << ")weftfile\", kPieces" << f << "},\n";
  }
  out << "}  // namespace\n\nextern const LibraryFile kLibraryFiles[];\nextern const unsigned long kLibraryFileCount;\n"
      << "constinit const LibraryFile kLibraryFiles[] = {\n"
      << table.str() << "};\nconst unsigned long kLibraryFileCount = " << files.size()
      << ";\n}  // namespace weft::julia\n";
}

}  // namespace
}  // namespace weft::julia

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 3) {
    std::cerr << "usage: library_pieces ROOT OUT FILE…\n";
    return 2;
  }
  try {
    std::ostringstream text;
    weft::julia::write(text, words[1], {words.begin() + 3, words.end()});
    std::ofstream out(words[2], std::ios::binary);
    if (!(out << text.str() << std::flush)) throw weft::UserError("cannot write " + words[2]);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
