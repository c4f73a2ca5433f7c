// The parser's inside. A function for each production of Julia's grammar, lowest precedence first; each reads tokens and leaves
// the nodes that it read on a stack. Where a node begins is remembered by a Mark; emit() makes all nodes above the mark children
// of a new one. Errors are reported, answered by an error node, and reading goes on.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "julia/syntax/diagnostics.h"
#include "julia/syntax/lexer.h"
#include "julia/syntax/tree.h"

namespace weft::julia {

class Parser {
 public:
  Parser(Tree& tree, std::vector<Diagnostic>& diagnostics);

  // ---- productions; the tests call them one by one
  // statements.cc
  void toplevel();
  void statements();
  void block();
  void docstring();
  void eq();       // expressions with commas: a, b = c
  void eq_star();  // … without, as in an argument list
  // operators.cc
  void comma() { comma(true); }
  void pair();
  void conditional();
  void arrow();
  void lazy_or();
  void lazy_and();
  void comparison();
  void pipe_left();
  void pipe_right();
  void range();
  void invalid_operators();
  void sum();
  void term();
  void rational();
  void shift();
  // unary.cc
  void unary_subtype();
  void juxtapose();
  void unary();
  void factor();
  void unary_prefix(bool has_prefix = false);
  // calls.cc
  void call();
  // keywords.cc, definitions.cc, try.cc, imports.cc
  void keyword_form();
  void if_elseif();
  void try_form();
  void imports();
  void iteration_specs();
  // atoms.cc, parens.cc
  void atom(bool check_names = true, bool has_prefix = false);
  void paren(bool check_names = true, bool has_prefix = false);

  /// What the productions left; several are children of a kWrapper.
  NodeId finish();
  bool at_end() const { return tokens_[pos_].kind == Tok::kEnd; }

 private:
  using Production = void (Parser::*)();
  friend class Nesting;
  friend class InContext;

  struct Mark {
    uint32_t depth = 0;  // of the stack
    uint32_t token = 0;
  };
  /// What surrounding syntax means for tokens inside.
  struct Context {
    bool range_colon = true;        // off in the middle of ?:
    bool space_sensitive = false;   // [a -b] has two elements
    bool for_generator = false;     // `for` ends the arguments of a macro
    bool end_symbol = false;        // `end` is a number: a[end]
    bool newline_is_space = false;  // in parentheses
    bool where_enabled = true;
  };

  // ---- tokens (parser.cc)
  const Token& peek(size_t n = 1) const { return peek_token(n, context_.newline_is_space); }
  Tok kind(size_t n = 1) const { return peek(n).kind; }
  Tok kind_past_newlines(size_t n = 1) const { return peek_token(n, true).kind; }
  Tok kind_or_newline(size_t n = 1) const { return peek_token(n, false).kind; }
  const Token& peek_token(size_t n, bool skip_newlines) const;
  /// The next operator, behind its dot if it has one.
  struct DottedOperator {
    bool dotted;
    Token token;
    Tok kind() const { return token.kind; }
  };
  DottedOperator peek_operator() const;
  /// Passes over the next token: a delimiter or keyword, no node.
  void skip();
  void skip_newlines();
  /// The next token as a leaf of the kind that fits it, or of the kind given.
  NodeId leaf();
  NodeId leaf(Kind kind, unsigned flags = 0);
  NodeId leaf_dotted(bool dotted, bool dot_node, bool as_name);
  void skip_dotted(bool dotted);

  // ---- nodes (parser.cc)
  Mark mark() const { return {static_cast<uint32_t>(stack_.size()), pos_}; }
  NodeId emit(Mark from, Kind kind, unsigned flags = 0, unsigned dim = 0);
  NodeId emit_until(Mark from, uint32_t end, Kind kind, unsigned flags = 0, unsigned dim = 0);
  NodeId invisible(Kind kind, unsigned flags = 0);
  bool nothing_since(Mark m) const { return m.token == pos_; }
  NodeId top(bool skip_parens = true) const;
  Kind top_kind(bool skip_parens = true) const;
  Tok top_token() const;
  NodeId first_child(NodeId id) const;
  bool was_call() const;

  // ---- errors (recovery.cc)
  void report(uint32_t begin, uint32_t end, std::string message, Diagnostic::Level level = Diagnostic::kError);
  void report_next(std::string message, Diagnostic::Level level = Diagnostic::kError);
  void report_space(std::string message, Diagnostic::Level level = Diagnostic::kError);
  uint32_t begin_of(Mark m) const;
  NodeId error(Mark from, std::string message, unsigned flags = 0);
  void error_here(std::string message);
  void error_trivia_here(std::string message);
  NodeId error_token(std::string message, unsigned flags = 0);
  void disallow_space();
  void close(Tok closer, std::string_view alternative = {});
  template <class F>
  void recover(F is_closer, std::string message, unsigned flags);
  void nested_too_deeply();

  // ---- predicates
  bool closes(Tok k) const {
    switch (k) {
      case Tok::kElse:
      case Tok::kElseif:
      case Tok::kCatch:
      case Tok::kFinally:
      case Tok::kComma:
      case Tok::kRightParen:
      case Tok::kRightBracket:
      case Tok::kRightBrace:
      case Tok::kSemicolon:
      case Tok::kEnd: return true;
      case Tok::kEndWord: return !context_.end_symbol;
      default: return false;
    }
  }
  bool closes_or_newline(Tok k) const { return closes(k) || k == Tok::kNewline; }
  bool begins_keyword_form(Tok k) const;
  bool at_keyword_form() const;
  std::string spelling(const Token& t) const { return std::string(tree_.source().substr(t.begin, t.end - t.begin)); }

  // ---- statements
  template <class Down, class IsDelimiter, class IsCloser>
  bool n_ary(Down down, IsDelimiter is_delimiter, IsCloser is_closer);
  template <class Down>
  void block_inner(Down down);
  void block_inner_of_statements();
  void module_block();
  void n_ary_fields();
  template <class Down>
  void docstring_of(Down down);
  void public_or_statement();
  void assignment(bool with_commas);
  void assignment_rest(Mark m, bool with_commas);
  int comma(bool makes_tuple);

  // ---- operators
  template <class IsOperator>
  void left_to_right(Production down, IsOperator is_op);
  template <class IsOperator>
  void right_to_left(Production down, IsOperator is_op, Production self);
  template <class IsOperator>
  void lazy(Production down, IsOperator is_op, Production self, Kind plain, Kind dotted);
  template <class IsOperator>
  void chains(Production down, IsOperator is_op, Tok chain, Tok other_chain);
  bool is_element_boundary(const DottedOperator& op) const;
  void comparison_of(bool type_name);
  void where(Production down);
  void where_chain(Mark m);
  void unary_with_parens(Mark m, const DottedOperator& op, bool space_before);
  void factor_rest(Mark m);
  void factor_after();
  void power_rest(Mark m);
  void declaration_rest(Mark m);

  // ---- calls
  struct CallChain;
  void call_chain(Mark m, bool is_macro = false);
  bool call_suffix(CallChain& c);
  void space_separated_arguments(CallChain& c);
  void parenthesized_arguments(CallChain& c);
  void index(CallChain& c);
  void curly(CallChain& c);
  void field(CallChain& c);
  void string_macro(CallChain& c, const Token& quote);
  void end_macro_name(CallChain& c);
  void do_block();
  void macro_name();

  // ---- keyword forms
  void condition_of_if(const char* word);
  void while_form();
  void for_form();
  void let_form();
  void declaration_form(Tok word);
  void const_form();
  bool declared_variables();
  void function_form(Tok word);
  bool function_signature(bool is_function);
  void parenthesized_signature(bool& is_anonymous, bool& needs_call);
  void struct_form(Tok word);
  void struct_field();
  void abstract_form();
  void primitive_form();
  void module_form(Tok word);
  void return_form();
  void jump_form(Tok word);
  void catch_clause();
  void import_symbol(bool allow_quotes);
  bool import_item(Tok word, bool has_prefix);
  void import_items(Tok word, bool has_prefix);
  void import_path();
  template <class Down>
  int comma_separated(Down down);
  void iteration_spec();
  Tok kind_in_generator() const;

  // ---- brackets
  struct Section {
    Mark start;
    uint32_t end;
  };
  /// The inside of brackets with commas and semicolons, its closer not yet read.
  struct Brackets {
    bool had_commas = false, had_splat = false, trailing_comma = false;
    int semicolons = 0, expressions = 0;
    std::vector<Section> sections;  // behind semicolons
    Context outer;
  };
  Brackets open_brackets(Tok closer, bool generator_is_last = true);
  /// Reads the closer; flags for the node of the brackets.
  unsigned close_brackets(Brackets& b, Tok closer, bool with_parameters);
  unsigned argument_list(Tok closer);
  void generator(Mark m);
  // arrays.cc
  struct Cat {
    Kind kind;
    unsigned flags = 0, dim = 0;
  };
  struct Separator {
    int dim, binding;
  };
  enum class ArrayOrder { kUnknown, kRowMajor, kColumnMajor };
  Cat cat(Tok closer, bool end_symbol);
  Cat vect(Tok closer, bool trailing_comma);
  Cat comprehension(Mark m, Tok closer);
  Cat array(Mark m, Tok closer, bool end_symbol);
  Separator array_inner(int binding, ArrayOrder& order);
  Separator array_separator(ArrayOrder& order);
  void emit_row(Mark m, int binding, int dim);
  void emit_braces(Mark m, const Cat& c);
  unsigned checked_dim(int n);
  void braces();

  // ---- atoms
  void char_literal();
  void colon_quote();
  void operator_atom(bool dotted, Tok k, bool check_names);
  void keyword_atom(Tok k, bool check_names);
  void var_name();
  void string_literal(bool raw);
  void string_interpolation();
  void check_literal(NodeId id);

  Tree& tree_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Token> tokens_;
  std::vector<NodeId> stack_;
  std::vector<uint16_t> heights_;  // of each node's tree
  Context context_;
  uint32_t pos_ = 0;       // of the next token
  uint32_t last_end_ = 0;  // byte behind the last token read
  int nesting_ = 0;
  bool gave_up_ = false;
};

/// Restores the context at its end.
class InContext {
 public:
  explicit InContext(Parser& parser) : parser_(parser), saved_(parser.context_) {}
  ~InContext() { parser_.context_ = saved_; }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  Parser& parser_;
  Parser::Context saved_;
};

/// Counts how deep the source nests, so that no text can exhaust the stack. Too deep: reported once, and the rest is not read.
class Nesting {
 public:
  explicit Nesting(Parser& parser) : parser_(parser) {
    if (++parser_.nesting_ > kMost) parser_.nested_too_deeply();
  }
  ~Nesting() { --parser_.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  static constexpr int kMost = 300;

 private:
  Parser& parser_;
};

}  // namespace weft::julia
