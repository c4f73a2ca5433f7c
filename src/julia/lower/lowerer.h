// The inside of lower_source: one Lowerer for each Code. Names have been resolved (scopes.h); what is left is to say which slot
// a variable lies in, and to put calls in the place of syntax.
#pragma once
#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_map>

#include "julia/lower/form.h"

namespace weft::julia {

/// What all code of a source shares.
struct LoweredSource : Source {
  /// x::T of a local variable: every assignment converts to T.
  std::unordered_map<VariableId, NodeId> declared_types;
  std::unordered_map<NodeId, std::vector<ScopeId>> scopes_of;  // the scopes that a node has
  std::shared_ptr<uint32_t> closures;                          // named so far
};
using LoweredSourcePtr = std::shared_ptr<const LoweredSource>;

/// One argument of a function as written.
struct Parameter {
  NodeId pattern = kNoNode;  // a name, a tuple of them, or none
  NodeId type = kNoNode;
  NodeId value = kNoNode;  // default
  bool is_vararg = false;
  NodeId node = kNoNode;
};

/// The parts of a function, lambda or do block.
struct Signature {
  NodeId node = kNoNode;
  NodeId callee = kNoNode;             // as written; kNoNode: anonymous
  std::vector<NodeId> type_variables;  // T, T<:A, L<:T<:A; the outermost first
  std::vector<Parameter> parameters;
  std::vector<Parameter> keywords;
  NodeId return_type = kNoNode;
  NodeId body = kNoNode;  // kNoNode: function f end
};

/// A variable of the code around that a closure uses.
struct Capture {
  VariableId variable;
  bool is_boxed;
};
using Captures = std::vector<Capture>;
constexpr VariableId kNoVariable = kNotAVariable;

class Lowerer {
 public:
  Lowerer(LoweredSourcePtr source, Code& code);

  /// Statements of a file or module.
  void top_level(NodeId block);

 private:
  enum class Use : uint8_t { kValue, kEffect };  // whether a form's value is of interest

  // ---- forms (lowerer.cc)
  FormId form(FormKind kind, uint32_t a, std::span<const FormId> children, uint8_t flags = 0);
  FormId form(FormKind kind, uint32_t a = 0, std::initializer_list<FormId> children = {}, uint8_t flags = 0) {
    return form(kind, a, std::span<const FormId>(children.begin(), children.size()), flags);
  }
  FormId constant(Value v);
  FormId text_constant(std::string text) { return constant(make_string(std::move(text))); }
  FormId missing_part() { return form(FormKind::kNothing, 0, {}, Form::kMissing); }
  FormId refuse(std::string why);
  FormId global(Symbol name, bool in_base = false);
  uint32_t global_index(Symbol name, bool in_base);
  uint32_t symbol_index(Symbol name);
  uint32_t name_list(std::vector<Symbol> names);
  FormId call(FormId callee, std::span<const FormId> arguments, CallSite site = {});
  FormId call(FormId callee, std::initializer_list<FormId> arguments) {
    return call(callee, std::span<const FormId>(arguments.begin(), arguments.size()));
  }
  FormId base_call(Symbol name, std::span<const FormId> arguments) { return call(global(name, true), arguments); }
  FormId base_call(Symbol name, std::initializer_list<FormId> arguments) { return call(global(name, true), arguments); }
  FormId field(FormId object, Symbol name) { return form(FormKind::kGetField, symbol_index(name), {object}); }
  FormId block(std::span<const FormId> forms);
  FormId tuple(std::span<const FormId> elements);

  // ---- slots (lowerer.cc)
  SlotId add_slot(Symbol name, VariableId variable = kNotAVariable, bool is_boxed = false);
  SlotId slot_of(VariableId v);
  SlotId temporary() { return add_slot("#temp"); }
  FormId local(SlotId slot) { return form(FormKind::kLocal, slot); }
  FormId set_local(SlotId slot, FormId value) { return form(FormKind::kSetLocal, slot, {value}); }
  /// The value under a form that may be evaluated any number of times; puts it into a temporary unless it is so already.
  FormId stable(FormId value, std::vector<FormId>& before);
  bool is_stable(FormId value) const;

  // ---- the tree
  const Tree& tree() const { return source_->tree; }
  Kind kind(NodeId id) const { return source_->tree.kind(id); }
  bool is(NodeId id, Kind k) const { return source_->tree.is(id, k); }
  std::span<const NodeId> children(NodeId id) const { return source_->tree.children(id); }
  NodeId child(NodeId id, size_t i) const { return source_->tree.child(id, i); }
  size_t count(NodeId id) const { return source_->tree.count(id); }
  bool is_identifier(NodeId id) const;
  bool is_index_word(NodeId id) const;  // end and begin in an index
  bool is_underscore(NodeId id) const;
  NodeId inner_name(NodeId id) const { return is(id, Kind::kVarName) ? child(id, 0) : id; }
  Symbol name_of(NodeId id) const;
  VariableId variable_of(NodeId id) const { return source_->scopes[inner_name(id)]; }
  bool is_local(NodeId name) const { return variable_of(name) < kNotAVariable; }
  NodeId first_of(NodeId id) const;  // the first node of the subtree
  /// Whether it is the call of a dotted operator or function, which fuses with those around it.
  bool is_dotted(NodeId id) const;

  // ---- expressions (expressions.cc)
  FormId lower(NodeId id, Use use = Use::kValue);
  FormId lower_kind(NodeId id, Use use);
  FormId effect(NodeId id) { return lower(id, Use::kEffect); }
  std::vector<FormId> lower_all(std::span<const NodeId> ids);
  FormId name(NodeId id);
  FormId literal(NodeId id);
  FormId quoted(NodeId id);
  FormId field_access(NodeId id);
  FormId sequence(std::span<const NodeId> statements, Use use, std::vector<FormId> before = {});
  FormId juxtaposition(NodeId id);
  FormId comparison(NodeId id);
  FormId tuple_literal(NodeId id);
  FormId named_tuple(std::span<const NodeId> entries);
  FormId text(NodeId id);
  FormId operator_name(NodeId id);

  // ---- calls (calls.cc)
  /// Arguments as written: positional ones in order, then keywords.
  struct Arguments {
    std::vector<FormId> positional;
    std::vector<FormId> values;  // of the keywords
    CallSite site;
  };
  void add_argument(NodeId id, Arguments& to);
  void add_keyword(NodeId id, Arguments& to);
  Arguments arguments(std::span<const NodeId> ids);
  FormId call_with(FormId callee, Arguments a);
  FormId lower_call(NodeId id);
  FormId new_call(NodeId callee, std::span<const NodeId> arguments);
  FormId curly(NodeId id);
  FormId apply_type(FormId type, std::span<const NodeId> parameters);
  FormId type_variable(NodeId id, std::vector<FormId>& to);
  FormId where(NodeId id);
  std::optional<FormId> literal_power(NodeId base_operator, NodeId exponent, FormId base, bool dotted);

  // ---- broadcasting (broadcast.cc)
  FormId broadcast(NodeId id);    // with materialize around
  FormId broadcasted(NodeId id);  // without, if it is dotted; otherwise its value
  FormId broadcast_assign(NodeId id);
  FormId dot_destination(NodeId target, std::vector<FormId>& before, FormId* current);

  // ---- arrays (arrays.cc)
  FormId index(NodeId id);
  /// The indices of a[…]: forms as arguments of a call; `array` is what `end` and `begin` are of.
  std::vector<FormId> indices(std::span<const NodeId> ids, FormId array, CallSite& site);
  std::vector<FormId> stable_indices(std::span<const NodeId> ids, FormId array, CallSite& site,
                                     std::vector<FormId>& before);
  bool uses_index_words(NodeId id) const;
  bool uses_index_words(std::span<const NodeId> ids) const;
  FormId index_word(NodeId id);
  FormId vector(NodeId id);
  FormId concatenation(NodeId id);
  FormId rows(FormId type, std::span<const NodeId> rows);
  FormId block_concatenation(FormId type, NodeId id, std::span<const NodeId> elements);
  FormId comprehension(NodeId id);
  FormId generator(NodeId id);
  FormId generator_from(NodeId id, size_t clause);

  // ---- assignments (assign.cc)
  FormId assign(NodeId id, Use use);
  FormId op_assign(NodeId id, Use use);
  /// Gives the target a value that is evaluated where the form stands.
  FormId store(NodeId target, FormId value);
  FormId store_name(NodeId name, FormId value, NodeId type = kNoNode);
  FormId store_and_keep(NodeId target, FormId value, Use use);
  FormId destructure(NodeId target, NodeId value, Use use, bool is_const);
  FormId unpack(NodeId target, FormId value, Use use);
  FormId converted(FormId value, FormId type);
  FormId declaration(NodeId id, Use use);
  FormId constant_alias(NodeId id);
  bool is_plain_target(NodeId target) const;

  // ---- control flow (control.cc)
  FormId if_form(NodeId id, Use use);
  FormId while_form(NodeId id);
  FormId for_form(NodeId id);
  FormId for_clause(NodeId id, size_t clause);
  FormId let_form(NodeId id, Use use);
  FormId try_form(NodeId id, Use use);
  FormId jump(NodeId id);
  FormId return_form(NodeId id);
  void enter_scope(NodeId scope, NodeId body, bool fresh_frame, std::vector<FormId>& to);
  bool is_assigned_first(VariableId v, NodeId body) const;

  // ---- functions (functions.cc, closures.cc, bodies.cc)
  Signature signature(NodeId id) const;
  void add_parameter(NodeId id, Signature& s, bool keyword) const;
  static bool has_misplaced_vararg(const Signature& s);
  FormId function(NodeId id);
  FormId closure(NodeId id);  // of an anonymous function
  FormId local_function(NodeId id, VariableId name);
  NodeId type_variable_name(NodeId id) const;
  std::vector<NodeId> used_type_variables(const Signature& s, size_t given) const;
  std::vector<MethodForm> methods(const Signature& s, MethodForm::Callee how, FormId callee, Symbol name,
                                  const Captures& captures, VariableId self);
  Captures captures_of(const std::vector<NodeId>& roots, NodeId callee, VariableId self,
                       const std::vector<NodeId>& own = {});
  std::vector<SlotId> slots_of(const Captures& captures);
  FormId closure_form(std::vector<MethodForm> methods, Symbol name, const Captures& captures);
  /// A closure over code that is no function of its own in the source: of generators and macros. It has one argument or none;
  /// `patterns` are the variables that it has for itself.
  using Writer = std::function<FormId(Lowerer&, SlotId argument)>;
  FormId hidden_closure(NodeId node, const std::vector<NodeId>& roots, const std::vector<NodeId>& patterns,
                        const Writer& write, bool with_argument = true);
  FormId thunk(NodeId node);
  Symbol closure_name(Symbol function = {});
  bool depends_on_surroundings(const MethodForm& m) const;

  struct Inner;  // inner.h
  static std::unique_ptr<Code> make_body(const LoweredSourcePtr& source, const Inner& inner);
  void begin_body(const Inner& inner);
  void method_body(const Inner& inner);
  void shorter_method_body(const Inner& inner);

  // ---- types and modules (types.cc, modules.cc)
  FormId struct_form(NodeId id, bool with_keywords = false);
  FormId abstract_form(NodeId id);
  NodeId type_head(NodeId head, StructForm& to);
  FormId keyword_constructors(NodeId id, const StructForm& type, const std::vector<NodeId>& defaults);
  int count_left_out(NodeId id, int fields) const;
  FormId module_form(NodeId id);
  FormId import_form(NodeId id);
  FormId export_form(NodeId id);
  ImportForm::Path import_path(NodeId id) const;

  // ---- macros (macros.cc, string_macros.cc, report_macros.cc, test_macros.cc)
  using Nodes = std::span<const NodeId>;
  FormId macro(NodeId id, Use use);
  std::optional<FormId> string_macro(const std::string& name, NodeId id);
  std::optional<FormId> code_macro(const std::string& name, Nodes arguments, Use use);
  std::optional<FormId> place_macro(const std::string& name, NodeId id);
  std::optional<FormId> timing_macro(const std::string& name, Nodes arguments);
  std::optional<FormId> text_macro(const std::string& name, Nodes arguments);
  std::optional<FormId> log_macro(const std::string& name, NodeId id, Nodes arguments);
  std::optional<FormId> test_macro(const std::string& name, NodeId id, Nodes arguments);
  FormId compiled_call(const std::string& name, Nodes arguments);
  // ---- evaluated.cc
  FormId evaluated(NodeId code, FormId module);
  std::optional<FormId> eval_call(NodeId callee, Nodes arguments);
  bool is_quoted_code(NodeId id) const;
  FormId with_flag(bool Lowerer::* flag, NodeId id, Use use);
  FormId adjoint_rule(NodeId definition);
  FormId view(NodeId id);
  FormId named_tuple_type(NodeId id);
  FormId show_values(Nodes arguments);
  FormId assertion(Nodes arguments);
  FormId enumeration(Nodes arguments);
  FormId unpack_fields(NodeId id, bool store_back);
  FormId test_value(NodeId id, Nodes arguments, Symbol function);
  FormId test_set(NodeId id, Nodes arguments);
  FormId package_function(Symbol package, Symbol name);
  void add_place(NodeId id, Arguments& to);
  FormId report_call(FormId callee, NodeId id, Arguments a);

  LoweredSourcePtr source_;
  Code& code_;
  NodeId at_ = kNoNode;         // what forms are made for
  std::vector<uint8_t> jumps_;  // of each form: 0, or one more than the loops that a jump inside leaves; kReturns
  static constexpr uint8_t kReturns = 255;
  std::unordered_map<VariableId, SlotId> slots_;
  std::map<std::pair<const void*, bool>, uint32_t> globals_;
  std::unordered_map<Symbol, uint32_t> symbols_;
  std::vector<uint32_t> loops_;        // around: how many kFor each is
  std::optional<SlotId> return_type_;  // of this function
  bool is_const_ = false;              // the next assignment is one of `const`
  /// What `end` and `begin` mean.
  struct Index {
    FormId array;
    size_t position = 0, count = 0;
    FormId before = kNoForm;  // the number of indices that splats before it give
  };
  std::vector<Index> index_;
  bool is_top_level_ = false;                                 // of a file or module, not of a function
  bool dots_ = false;                                         // in @.
  bool views_ = false;                                        // in @views
  std::unordered_map<VariableId, uint32_t> local_functions_;  // their places in Code::closures
  NodeId extent_ = kNoNode;                                   // the node this code is of
  NodeId constructed_type_ = kNoNode;                         // in the constructors inside a struct: the struct
  NodeId constructor_ = kNoNode;                    // … in their code: the type as the constructor's name says it
  bool is_constructor_ = false;                     // … and not in a function inside: slot 0 is the type
  std::unordered_map<Symbol, SlotId> field_slots_;  // in the default values of @kwdef: the fields before
};

/// The expression as Julia prints it.
std::string expression_text(const Tree& tree, NodeId id);

}  // namespace weft::julia
