// The syntax tree of a Julia source: compact nodes in one array, named by 32-bit ids, each with its bytes of the source.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "julia/syntax/token.h"

namespace weft::julia {

using NodeId = uint32_t;
constexpr NodeId kNoNode = ~NodeId{0};

/// What a node is. Children are given in brackets; "…" any number, "?" may be missing. Delimiters and keywords are no children.
enum class Kind : uint8_t {
  // ---- leaves: their text is the source's (Tree::text), their value is in literals.h
  kIdentifier,       // also an operator used as a function: the + of a + b
  kPlaceholder,      // the missing variable of `catch`
  kStringMacroName,  // r of r"…": the macro @r_str
  kCmdMacroName,     // x of x`…`: the macro @x_cmd
  kBool,
  kInteger,  // decimal, with its sign where it has one
  kBinInt,
  kHexInt,
  kOctInt,
  kFloat,
  kFloat32,
  kString,     // a piece of a string between interpolations (and of a triple-quoted one: a line)
  kChar,       // the text between the quotes of a kCharLiteral
  kCmdString,  // a piece of a command
  kOperator,   // a syntactic operator that stands alone: :(=), :(&&)
  kKeyword,    // a reserved word in an error node
  kPunctuation,
  // Leaves that are no literal; they come with a diagnostic.
  kErrorNumericOverflow,
  kErrorInvalidEscapeSequence,
  kErrorOverLongCharacter,
  kErrorToken,  // Node::token says which

  // ---- errors: with a diagnostic. Flag kTrivia: put in or passed over to go on, no part of its parent
  kError,  // [what was read …]

  // ---- sequences
  kToplevel,  // [statement …]; flag kForm: statements of one line, a; b
  kBlock,     // [statement …]; flag kForm: (a; b)
  kParens,    // [expression]: kept, since (a) differs from a in patterns and signatures; Tree::unparen looks inside
  kDoc,       // [string, what it documents]

  // ---- calls. kInfix: [left, operator, right …]; kPrefixOp: [operator, operand]; kPostfixOp: [operand, operator];
  // none of these: [function, argument …, parameters …?, do?]. Flag kTrailingComma: f(a,)
  kCall,
  kDotCall,     // f.(x), a .+ b
  kMacroCall,   // [name, argument …]; kForm: with parentheses
  kMacroName,   // [name, or (. module name)]
  kDo,          // [tuple of arguments, block]: last argument of its call
  kParameters,  // [argument …]: after the semicolon
  kSplat,       // [expression]: x...
  kComparison,  // [a, operator, b, operator, c …]: chains only
  kJuxtapose,   // [a, b …]: 2x

  // ---- operators that are no functions
  kAssign,       // [left, right]; also a keyword argument and a default value
  kDotAssign,    // .=
  kOpAssign,     // [left, operator, right]: +=
  kDotOpAssign,  // .+=
  kColonAssign,  // :=
  kAssignLike,   // ≔ ⩴ ≕
  kTernary,      // [condition, then, else]
  kLongArrow,    // -->
  kOrOr,         // [left, right]
  kAndAnd,
  kDotOrOr,
  kDotAndAnd,
  kSubtype,  // [left, right], kPrefixOp: [type]
  kSupertype,
  kDeclare,      // ::, kInfix: [expression, type], kPrefixOp: [type]
  kLambda,       // -> [tuple of arguments (or parens of a where), body]
  kWhere,        // [expression, variable or braces]
  kDot,          // field: [object, name (an identifier, quote, $ …)]; of one child: a dotted operator standing alone
  kInterpolate,  // $ [expression]
  kAddress,      // & [expression]

  // ---- brackets
  kTuple,      // [element …, parameters …?]; kForm: with parentheses
  kVect,       // [a, b]
  kHcat,       // [a b]
  kVcat,       // [a; b]: [element or row …]
  kNcat,       // [a;; b]: Node::dim is the number of semicolons
  kRow,        // [element …]
  kNrow,       // [element or row …]: dim
  kBraces,     // {a, b}
  kBracesCat,  // {a b; c d}
  kRef,        // [array, index …]: a[i]
  kCurly,      // [type, parameter …]: T{A}
  kTypedHcat,  // [type, element …]
  kTypedVcat,
  kTypedNcat,
  kComprehension,       // [generator]
  kTypedComprehension,  // [type, generator]
  kGenerator,           // [body, iteration or filter …]: one for each `for`
  kIteration,           // [in …]: for i in a, j in b
  kFilter,              // [iteration, condition]
  kIn,                  // [variable (or outer), iterator]
  kOuter,               // [variable]

  // ---- strings
  kStringLiteral,  // [piece or interpolated expression …]; kForm: triple-quoted; kRaw: no escapes
  kCmdLiteral,     // [piece …]
  kCharLiteral,    // [char]
  kVarName,        // var"x": [identifier with flag kRaw]
  kQuoteExpr,      // [block] of quote … end; kForm: [expression] of :x

  // ---- statements
  kIf,       // [condition, block, elseif or block ?]
  kElseif,   // [condition, block, elseif or block ?]
  kWhile,    // [condition, block]
  kFor,      // [iteration, block]
  kLet,      // [block of bindings, block]
  kTry,      // [block, catch?, else?, finally?] as written
  kCatch,    // [variable or placeholder, block]
  kElse,     // [block]
  kFinally,  // [block]
  kReturn,   // [expression?]
  kBreak,
  kContinue,
  kFunction,   // [signature, block?]; kForm: f(x) = …, [signature, body]
  kMacro,      // [signature, block?]
  kStruct,     // [name (or <:), block of fields]; kForm: mutable
  kAbstract,   // [name (or <:)]
  kPrimitive,  // [name (or <:), bits]
  kModule,     // [name, block]; kForm: baremodule
  kGlobal,     // [name or assignment …]
  kLocal,
  kConst,
  kImport,  // [importpath, as, or : …]
  kUsing,
  kImportFrom,  // [importpath, importpath or as …]: what follows `import` in import A: x, y
  kImportPath,  // [., …, name, …]
  kAs,          // [importpath, name]
  kExport,      // [name …]
  kPublic,

  kWrapper,  // several results of one production: tests only
};

struct Node {
  enum Flags : uint8_t {
    kTrivia = 1,
    kInfix = 2,
    kPrefixOp = 4,
    kPostfixOp = 8,
    kForm = 16,  // the other way of writing the kind: see there
    kTrailingComma = 32,
    kRaw = 64,  // a string or var"…" without escapes
  };
  Kind kind = Kind::kError;
  uint8_t flags = 0;
  uint8_t dim = 0;        // of kNcat, kTypedNcat, kNrow
  Tok token = Tok::kEnd;  // of a leaf: the token it was read from
  uint32_t begin = 0, end = 0;
  uint32_t first = 0, count = 0;  // its children in Tree::children_
  bool has(Flags f) const { return (flags & f) != 0; }
};

constexpr bool is_leaf(Kind k) { return k < Kind::kError; }
constexpr bool is_number(Kind k) { return k >= Kind::kBool && k <= Kind::kFloat32; }
constexpr bool is_integer(Kind k) { return k >= Kind::kInteger && k <= Kind::kOctInt; }
constexpr bool is_name(Kind k) { return k <= Kind::kCmdMacroName; }
constexpr bool is_error(Kind k) { return k >= Kind::kErrorNumericOverflow && k <= Kind::kError; }

/// Nodes and the source they were read from, which outlives the tree. Children stand before their parents.
class Tree {
 public:
  explicit Tree(std::string_view source) : source_(source) {}

  std::string_view source() const { return source_; }
  NodeId root() const { return root_; }
  size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  Kind kind(NodeId id) const { return nodes_[id].kind; }
  bool is(NodeId id, Kind k) const { return nodes_[id].kind == k; }
  std::span<const NodeId> children(NodeId id) const {
    const Node& n = nodes_[id];
    return {children_.data() + n.first, n.count};
  }
  NodeId child(NodeId id, size_t i) const { return children_[nodes_[id].first + i]; }
  size_t count(NodeId id) const { return nodes_[id].count; }
  /// The bytes of the source that the node was read from.
  std::string_view text(NodeId id) const { return source_.substr(nodes_[id].begin, nodes_[id].end - nodes_[id].begin); }
  /// The node inside parentheses that only group.
  NodeId unparen(NodeId id) const {
    while (kind(id) == Kind::kParens && count(id) == 1) id = child(id, 0);
    return id;
  }
  /// The function that a call calls, its operator included; kNoNode for other nodes.
  NodeId callee(NodeId id) const;
  /// The signature without return type, `where` and parentheses: the call (or tuple, or bare name) of a kFunction or kMacro.
  NodeId signature_call(NodeId function) const;

  // What the parser does.
  NodeId add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  NodeId add(Node node, std::span<const NodeId> children) {
    node.first = static_cast<uint32_t>(children_.size());
    node.count = static_cast<uint32_t>(children.size());
    children_.insert(children_.end(), children.begin(), children.end());
    return add(node);
  }
  Node& edit(NodeId id) { return nodes_[id]; }
  void set_root(NodeId id) { root_ = id; }
  void reserve(size_t nodes) {
    nodes_.reserve(nodes);
    children_.reserve(nodes);
  }

 private:
  std::string_view source_;
  std::vector<Node> nodes_;
  std::vector<NodeId> children_;
  NodeId root_ = kNoNode;
};

}  // namespace weft::julia
