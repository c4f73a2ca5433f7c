// Kinds of tokens, and the precedence of those that are operators.
#pragma once
#include <cstdint>

namespace weft::julia {

/// Ranges of this enum have meaning: see the predicates below before moving a line.
enum class Tok : uint8_t {
  kEnd,  // of the source
  kNewline,
  kWhitespace,  // this and kComment are never handed out
  kComment,
  kIdentifier,

  // Reserved words.
  kBaremodule,
  kBegin,
  kBreak,
  kConst,
  kContinue,
  kDo,
  kExport,
  kFor,
  kFunction,
  kGlobal,
  kIf,
  kImport,
  kLet,
  kLocal,
  kMacro,
  kModule,
  kQuoteWord,
  kReturn,
  kStruct,
  kTry,
  kUsing,
  kWhile,
  kCatch,
  kFinally,
  kElse,
  kElseif,
  kEndWord,
  // Words with a meaning in their place only.
  kAbstract,
  kAs,
  kDoc,
  kMutable,
  kOuter,
  kPrimitive,
  kPublic,
  kType,
  kVar,

  // Literals; the last three are the text between delimiters.
  kBool,
  kInteger,
  kBinInt,
  kHexInt,
  kOctInt,
  kFloat,
  kFloat32,
  kString,
  kChar,
  kCmdString,

  kAt,
  kComma,
  kSemicolon,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kQuote,
  kTripleQuote,
  kBacktick,
  kTripleBacktick,

  // Operators, by precedence.
  kInvalidOperator,
  kDoubleStar,
  kSplat,  // ...
  kAssign,
  kOpAssign,  // +=, -=, …
  kColonAssign,
  kTilde,
  kAssignLike,  // ≔ ⩴ ≕
  kPairArrow,
  kQuestion,
  kLongArrow,  // -->
  kArrow,
  kOrOr,
  kAndAnd,
  kSubtype,
  kSupertype,
  kLess,
  kGreater,
  kElementOf,  // ∈
  kComparison,
  kIn,
  kIsa,
  kPipeLeft,
  kPipeRight,
  kColon,
  kDotDot,
  kRange,  // … and the like
  kDollar,
  kPlus,
  kMinus,
  kPlusMinus,  // ± ∓
  kPlusPlus,
  kPlusLike,
  kStar,
  kAmpersand,
  kStarUnary,  // ⋆
  kStarLike,
  kSlashSlash,
  kShift,
  kPower,
  kDeclare,  // ::
  kWhere,
  kDot,
  kBang,
  kPrime,
  kRightArrow,  // ->
  kNot,         // ¬
  kRadical,     // √ ∛ ∜

  // Texts that are no token.
  kErrorEofMultiComment,
  kErrorInvalidNumericConstant,
  kErrorHexFloatMustContainP,
  kErrorAmbiguousNumericConstant,
  kErrorAmbiguousNumericDotMultiply,
  kErrorInvalidInterpolationTerminator,
  kErrorInvalidUTF8,
  kErrorInvisibleChar,
  kErrorIdentifierStart,
  kErrorUnknownCharacter,
  kErrorBidiFormatting,
};

struct Token {
  uint32_t begin = 0, end = 0;  // bytes of the source
  Tok kind = Tok::kEnd;
  bool space_before = false;  // whitespace, a comment or a line break
  bool suffixed = false;      // an operator with a suffix: +₁
};

constexpr bool in(Tok t, Tok first, Tok last) { return t >= first && t <= last; }
constexpr bool is_keyword(Tok t) { return in(t, Tok::kBaremodule, Tok::kVar); }
constexpr bool is_contextual(Tok t) { return in(t, Tok::kAbstract, Tok::kVar); }
constexpr bool is_reserved(Tok t) { return in(t, Tok::kBaremodule, Tok::kEndWord); }
constexpr bool continues_block(Tok t) { return in(t, Tok::kCatch, Tok::kEndWord); }
constexpr bool is_literal(Tok t) { return in(t, Tok::kBool, Tok::kCmdString); }
constexpr bool is_number(Tok t) { return in(t, Tok::kBool, Tok::kFloat32); }
constexpr bool is_operator(Tok t) { return in(t, Tok::kInvalidOperator, Tok::kRadical); }
constexpr bool is_word_operator(Tok t) { return t == Tok::kIn || t == Tok::kIsa || t == Tok::kWhere; }
constexpr bool is_error(Tok t) {
  return t == Tok::kInvalidOperator || t == Tok::kDoubleStar || t >= Tok::kErrorEofMultiComment;
}
constexpr bool is_assignment(Tok t) { return in(t, Tok::kAssign, Tok::kAssignLike); }
constexpr bool is_arrow(Tok t) { return in(t, Tok::kLongArrow, Tok::kArrow); }
constexpr bool is_comparison(Tok t) { return in(t, Tok::kSubtype, Tok::kIsa); }
constexpr bool is_range(Tok t) { return in(t, Tok::kColon, Tok::kRange); }
constexpr bool is_plus(Tok t) { return in(t, Tok::kDollar, Tok::kPlusLike); }
constexpr bool is_times(Tok t) { return in(t, Tok::kStar, Tok::kStarLike); }
/// Operators that are no functions.
constexpr bool is_syntactic(Tok t) {
  return in(t, Tok::kSplat, Tok::kColonAssign) || t == Tok::kOrOr || t == Tok::kAndAnd || t == Tok::kDot ||
         t == Tok::kRightArrow;
}
constexpr bool is_string_delimiter(Tok t) { return t == Tok::kQuote || t == Tok::kTripleQuote; }
constexpr bool is_syntactic_unary(Tok t) { return t == Tok::kDollar || t == Tok::kAmpersand || t == Tok::kDeclare; }
/// What may follow a string macro's string: r"…"x.
constexpr bool is_string_macro_suffix(Tok t) {
  return t == Tok::kIdentifier || is_keyword(t) || is_word_operator(t) || is_number(t);
}

}  // namespace weft::julia
