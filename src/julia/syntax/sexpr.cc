#include "julia/syntax/sexpr.h"

#include "julia/syntax/literals.h"
#include "julia/syntax/show_literal.h"

namespace weft::julia {
namespace {

const char* head(Kind k) {
  switch (k) {
    case Kind::kError: return "error";
    case Kind::kToplevel: return "toplevel";
    case Kind::kBlock: return "block";
    case Kind::kParens: return "parens";
    case Kind::kDoc: return "doc";
    case Kind::kCall: return "call";
    case Kind::kDotCall: return "dotcall";
    case Kind::kMacroCall: return "macrocall";
    case Kind::kMacroName: return "macro_name";
    case Kind::kDo: return "do";
    case Kind::kParameters: return "parameters";
    case Kind::kSplat: return "...";
    case Kind::kComparison: return "comparison";
    case Kind::kJuxtapose: return "juxtapose";
    case Kind::kAssign: return "=";
    case Kind::kDotAssign: return ".=";
    case Kind::kOpAssign: return "op=";
    case Kind::kDotOpAssign: return ".op=";
    case Kind::kColonAssign: return ":=";
    case Kind::kAssignLike: return "≔";
    case Kind::kTernary: return "?";
    case Kind::kLongArrow: return "-->";
    case Kind::kOrOr: return "||";
    case Kind::kAndAnd: return "&&";
    case Kind::kDotOrOr: return ".||";
    case Kind::kDotAndAnd: return ".&&";
    case Kind::kSubtype: return "<:";
    case Kind::kSupertype: return ">:";
    case Kind::kDeclare: return "::";
    case Kind::kLambda: return "->";
    case Kind::kWhere: return "where";
    case Kind::kDot: return ".";
    case Kind::kInterpolate: return "$";
    case Kind::kAddress: return "&";
    case Kind::kTuple: return "tuple";
    case Kind::kVect: return "vect";
    case Kind::kHcat: return "hcat";
    case Kind::kVcat: return "vcat";
    case Kind::kNcat: return "ncat";
    case Kind::kRow: return "row";
    case Kind::kNrow: return "nrow";
    case Kind::kBraces: return "braces";
    case Kind::kBracesCat: return "bracescat";
    case Kind::kRef: return "ref";
    case Kind::kCurly: return "curly";
    case Kind::kTypedHcat: return "typed_hcat";
    case Kind::kTypedVcat: return "typed_vcat";
    case Kind::kTypedNcat: return "typed_ncat";
    case Kind::kComprehension: return "comprehension";
    case Kind::kTypedComprehension: return "typed_comprehension";
    case Kind::kGenerator: return "generator";
    case Kind::kIteration: return "iteration";
    case Kind::kFilter: return "filter";
    case Kind::kIn: return "in";
    case Kind::kOuter: return "outer";
    case Kind::kStringLiteral: return "string";
    case Kind::kCmdLiteral: return "cmdstring";
    case Kind::kCharLiteral: return "char";
    case Kind::kVarName: return "var";
    case Kind::kQuoteExpr: return "quote";
    case Kind::kIf: return "if";
    case Kind::kElseif: return "elseif";
    case Kind::kWhile: return "while";
    case Kind::kFor: return "for";
    case Kind::kLet: return "let";
    case Kind::kTry: return "try";
    case Kind::kCatch: return "catch";
    case Kind::kElse: return "else";
    case Kind::kFinally: return "finally";
    case Kind::kReturn: return "return";
    case Kind::kBreak: return "break";
    case Kind::kContinue: return "continue";
    case Kind::kFunction: return "function";
    case Kind::kMacro: return "macro";
    case Kind::kStruct: return "struct";
    case Kind::kAbstract: return "abstract";
    case Kind::kPrimitive: return "primitive";
    case Kind::kModule: return "module";
    case Kind::kGlobal: return "global";
    case Kind::kLocal: return "local";
    case Kind::kConst: return "const";
    case Kind::kImport: return "import";
    case Kind::kUsing: return "using";
    case Kind::kImportFrom: return ":";
    case Kind::kImportPath: return "importpath";
    case Kind::kAs: return "as";
    case Kind::kExport: return "export";
    case Kind::kPublic: return "public";
    case Kind::kWrapper: return "wrapper";
    default: return "?";
  }
}

std::string full_head(const Node& n) {
  std::string out = head(n.kind);
  if (n.has(Node::kTrivia)) out += "-t";
  if (n.has(Node::kInfix)) out += "-i";
  if (n.has(Node::kPrefixOp)) out += "-pre";
  if (n.has(Node::kPostfixOp)) out += "-post";
  if (n.dim != 0) out += "-" + std::to_string(n.dim);
  if (n.has(Node::kForm)) {
    switch (n.kind) {
      case Kind::kStringLiteral:
      case Kind::kCmdLiteral: out += "-s"; break;
      case Kind::kTuple:
      case Kind::kBlock:
      case Kind::kMacroCall: out += "-p"; break;
      case Kind::kQuoteExpr: out += "-:"; break;
      case Kind::kToplevel: out += "-;"; break;
      case Kind::kFunction: out += "-="; break;
      case Kind::kStruct: out += "-mut"; break;
      case Kind::kModule: out += "-bare"; break;
      default: break;
    }
  }
  if (n.has(Node::kRaw)) out += "-r";
  if (n.has(Node::kTrailingComma)) out += "-,";
  return out;
}

const char* error_name(const Node& n) {
  switch (n.kind) {
    case Kind::kErrorNumericOverflow: return "ErrorNumericOverflow";
    case Kind::kErrorInvalidEscapeSequence: return "ErrorInvalidEscapeSequence";
    case Kind::kErrorOverLongCharacter: return "ErrorOverLongCharacter";
    default: break;
  }
  switch (n.token) {
    case Tok::kInvalidOperator: return "ErrorInvalidOperator";
    case Tok::kDoubleStar: return "Error**";
    case Tok::kErrorInvalidNumericConstant: return "ErrorInvalidNumericConstant";
    case Tok::kErrorHexFloatMustContainP: return "ErrorHexFloatMustContainP";
    case Tok::kErrorAmbiguousNumericConstant: return "ErrorAmbiguousNumericConstant";
    case Tok::kErrorAmbiguousNumericDotMultiply: return "ErrorAmbiguousNumericDotMultiply";
    case Tok::kErrorInvalidInterpolationTerminator: return "ErrorInvalidInterpolationTerminator";
    case Tok::kErrorInvalidUTF8: return "ErrorInvalidUTF8";
    case Tok::kErrorInvisibleChar: return "ErrorInvisibleChar";
    case Tok::kErrorIdentifierStart: return "ErrorIdentifierStart";
    case Tok::kErrorUnknownCharacter: return "ErrorUnknownCharacter";
    case Tok::kErrorBidiFormatting: return "ErrorBidiFormatting";
    default: return "error";
  }
}

std::string show_integer(const Tree& tree, NodeId id) {
  const IntegerLiteral value = integer_value(tree, id);
  if (value.type == IntegerType::kBigInt) {
    std::string digits;
    for (const char c : tree.text(id)) {
      if (c != '_' && c != '+') digits += c;
    }
    return digits;
  }
  if (tree.is(id, Kind::kInteger)) {
    unsigned __int128 bits = value.bits;
    const bool negative = bits >> 127 != 0;
    if (negative) bits = -bits;
    std::string out;
    do {
      out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(bits % 10)));
      bits /= 10;
    } while (bits != 0);
    return negative ? "-" + out : out;
  }
  constexpr size_t kDigits[] = {2, 4, 8, 16, 32};
  const size_t n = kDigits[static_cast<size_t>(value.type) - static_cast<size_t>(IntegerType::kUInt8)];
  std::string out(n, '0');
  for (size_t i = 0; i < n; ++i) out[n - 1 - i] = "0123456789abcdef"[static_cast<size_t>(value.bits >> (4 * i)) & 15];
  return "0x" + out;
}

const char* kind_name(const Node& n) {
  switch (n.kind) {
    case Kind::kIdentifier: return "Identifier";
    case Kind::kStringMacroName: return "StrMacroName";
    case Kind::kCmdMacroName: return "CmdMacroName";
    case Kind::kBool: return "Bool";
    case Kind::kInteger: return "Integer";
    case Kind::kBinInt: return "BinInt";
    case Kind::kHexInt: return "HexInt";
    case Kind::kOctInt: return "OctInt";
    case Kind::kFloat: return "Float";
    case Kind::kFloat32: return "Float32";
    case Kind::kString: return "String";
    case Kind::kChar: return "Char";
    case Kind::kCmdString: return "CmdString";
    default: return "";
  }
}

std::string leaf_text(const Tree& tree, NodeId id) {
  const Node& n = tree[id];
  switch (n.kind) {
    case Kind::kPlaceholder: return "□";
    case Kind::kPunctuation: return "✘";
    case Kind::kBool: return std::string(tree.text(id));
    case Kind::kInteger:
    case Kind::kBinInt:
    case Kind::kHexInt:
    case Kind::kOctInt: return show_integer(tree, id);
    case Kind::kFloat:
    case Kind::kFloat32: {
      const FloatLiteral f = float_value(tree, id);
      return f.is_float32 ? show_float(static_cast<float>(f.value)) : show_float(f.value);
    }
    case Kind::kString:
    case Kind::kCmdString: return show_string(string_value(tree, id));
    case Kind::kChar: return show_char(char_value(tree, id));
    default: break;
  }
  if (is_name(n.kind)) return name_value(tree, id);
  return std::string(tree.text(id));
}

void append(const Tree& tree, NodeId id, bool with_kinds, std::string& out) {
  const Node& n = tree[id];
  if (is_leaf(n.kind)) {
    if (is_error(n.kind)) {
      out += std::string("(") + error_name(n) + ")";
      return;
    }
    const bool is_macro_name = n.kind == Kind::kStringMacroName || n.kind == Kind::kCmdMacroName;
    out += with_kinds && is_macro_name ? std::string(tree.text(id)) : leaf_text(tree, id);
    if (!with_kinds) return;
    const char* name = kind_name(n);
    out += "::";
    out += *name != '\0' ? name : n.token == Tok::kOpAssign ? "op=" : std::string(tree.text(id));
    return;
  }
  out += "(" + full_head(n);
  for (const NodeId c : tree.children(id)) {
    out += ' ';
    append(tree, c, with_kinds, out);
  }
  out += ')';
}

void append_lines(const Tree& tree, NodeId id, size_t depth, std::string& out) {
  constexpr size_t kLine = 80;
  if (is_leaf(tree.kind(id)) || tree.text(id).size() <= kLine) {
    std::string flat;
    append(tree, id, false, flat);
    if (is_leaf(tree.kind(id)) || flat.size() + 2 * depth <= kLine) {
      out += flat;
      return;
    }
  }
  out += "(" + full_head(tree[id]);
  for (const NodeId c : tree.children(id)) {
    out += "\n" + std::string(2 * depth + 2, ' ');
    append_lines(tree, c, depth + 1, out);
  }
  out += ')';
}

}  // namespace

std::string sexpr(const Tree& tree, NodeId id, bool with_kinds) {
  std::string out;
  append(tree, id, with_kinds, out);
  return out;
}

std::string sexpr_lines(const Tree& tree, NodeId id) {
  std::string out;
  append_lines(tree, id, 0, out);
  return out + "\n";
}

}  // namespace weft::julia
