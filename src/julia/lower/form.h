// The lowered form of Julia code: a small structured language between the syntax tree and what runs or compiles it. Loops and
// branches stay as written; operators, indexing, broadcasting, literals of arrays and destructuring have become calls.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "julia/host/value.h"
#include "julia/lower/scopes.h"
#include "julia/syntax/tree.h"

namespace weft::julia {

using FormId = uint32_t;
constexpr FormId kNoForm = ~FormId{0};
using SlotId = uint32_t;

/// What a form is; `a` is Form::a. Children are given in brackets; "…" any number, "?" may be missing. Every form has a value.
enum class FormKind : uint8_t {
  kNothing,   // the value nothing; among children also: this one is not there
  kConstant,  // a: Code::constants
  kLocal,     // a: slot. UndefVarError when it has no value; one that is boxed is read from its box
  kGlobal,    // a: Code::globals

  kSetLocal,   // a: slot [value]; its value is the value
  kSetGlobal,  // a: Code::globals [value (kMissing: only declared), declared type?]; flag kConst: a constant from now on
  kNewLocal,   // a: slot: its scope is entered, it has no value; one that is boxed gets a new box
  kUnpack,  // a: Code::unpacks [value]: puts the elements of the value, by the iteration protocol, into slots. The value
  kIsDefined,  // [kLocal or kGlobal]: Bool

  kCall,        // a: Code::calls [callee, positional argument …, keyword value …]; positional ones may be kSplat
  kSplat,       // [iterable]: only among children of kCall, kNew
  kTuple,       // [element …]
  kNamedTuple,  // a: Code::name_lists [value …]
  kGetField,    // a: Code::symbols [object]: object.name, by getproperty where the program has a method for it
  kSetField,    // a: Code::symbols [object, value]
  kNew,         // [type, field …]: new{…}(…); fields are converted to their types
  kTypeAssert,  // [value, type]: TypeError when the value is not of the type

  kBlock,     // [form …]: the value of the last; nothing when empty
  kIf,        // [condition, then, else?]: nothing without else. A condition that is no Bool is a TypeError
  kAnd,       // [a, b]: a must be a Bool; false, or the value of b
  kOr,        // [a, b]
  kWhile,     // [condition, body]: nothing
  kFor,       // a: slot [iterable, body]: the slot is new at every iteration, with a new box if it is boxed. nothing
  kBreak,     // a: how many loops around are left as well (0: the innermost only)
  kContinue,  // of the innermost loop
  kReturn,    // [value]
  kTry,  // a: slot of the exception, or kNoForm [body, catch?, else?, finally?]; missing parts are kNothing with flag kMissing

  kTypeVar,  // a: slot [lower?, upper?]: a new TypeVar of the slot's name (missing bounds: kNothing + kMissing); stays in the slot
  kWhere,  // [body, kTypeVar …]: the variables come first; UnionAll, the first outermost

  kMethod,  // a: Code::methods: adds a method to a function, a type's constructors or the objects of a type. The function
  kClosure,    // a: Code::closures: a new object of a local function
  kStruct,     // a: Code::structs. nothing
  kAbstract,   // a: Code::structs
  kPrimitive,  // a: Code::structs
  kModule,     // a: Code::modules
  kImport,     // a: Code::imports
  kRefuse,     // a: Code::constants (a String): outside of Weft's scope; Unsupported with this text when it is reached
};

struct Form {
  enum Flags : uint8_t {
    kMissing = 1,  // see FormKind
    kConst = 2,
    kJumps = 4,  // a break, continue or return of the code around is inside: after it, see where to go on
  };
  FormKind kind = FormKind::kNothing;
  uint8_t flags = 0;
  uint32_t a = 0;
  uint32_t first = 0, count = 0;  // its children in Code::children
  NodeId node = kNoNode;          // what it was lowered from
  bool has(Flags f) const { return (flags & f) != 0; }
};

/// A source that outlives all code lowered from it.
struct Source {
  std::string name;  // of the file, as messages give it
  std::string text;
  Tree tree{std::string_view()};
  Scopes scopes;
  std::vector<uint32_t> line_begins;  // places in the text, from 0 on
  int first_line = 1;                 // of a text that is a part of its file
  /// 1-based.
  int line_of(NodeId node) const;
};
using SourcePtr = std::shared_ptr<const Source>;

struct GlobalName {
  Symbol name;
  bool in_base = false;             // Base's own, whatever the module has of this name
  mutable void* binding = nullptr;  // the evaluator's
};

/// A call's arguments beside the positional ones: the last children are values of these keywords, in order. An empty symbol is
/// a splat of keywords, `f(; k...)`: its value is a named tuple, pairs or a dictionary.
struct CallSite {
  std::vector<Symbol> keywords;
  bool has_splat = false;               // a positional argument is a kSplat
  mutable std::shared_ptr<void> cache;  // the evaluator's
};

/// Destructuring, `a, b, c... = z`: kSetLocal of each slot, kNoForm for one that is dropped. A value with too few elements is a
/// BoundsError.
struct UnpackForm {
  std::vector<SlotId> slots;
  int rest = -1;  // the slot at this place takes what the others leave (Base.rest; Base.split_rest when others follow)
};

struct Code;

/// The code of a method, lowered when it is first asked for.
class Body {
 public:
  using Lower = std::function<std::unique_ptr<Code>()>;
  Body(SourcePtr source, NodeId node, Lower lower) : source(std::move(source)), node(node), lower_(std::move(lower)) {}
  const Code& code() const {
    if (!code_) code_ = lower_();
    return *code_;
  }
  SourcePtr source;
  NodeId node;  // the definition

 private:
  Lower lower_;
  mutable std::unique_ptr<Code> code_;
};
using BodyPtr = std::shared_ptr<const Body>;

/// A method as written. Type variables, callee and argument types are forms of the code around, evaluated in this order when the
/// definition is reached. Optional arguments have become methods of their own.
struct MethodForm {
  enum class Callee : uint8_t {
    kName,    // callee is a kGlobal: a function is made when the module has none of this name
    kValue,   // an expression: a function or a type (Base.f, Foo, Foo{T})
    kType,    // the type of the callee: (f::T)(x)
    kClosure  // of a local function: the callee is the closure's own type; `callee` is kNoForm
  };
  Callee how = Callee::kName;
  FormId callee = kNoForm;
  std::vector<FormId> type_variables;  // kTypeVar, outermost first
  std::vector<FormId> argument_types;
  bool has_vararg = false;  // the last argument takes any number of values of its type
  FormId vararg_count = kNoForm;
  Symbol name;
  std::vector<Symbol> argument_names;  // `#unused#` without one
  std::vector<Symbol> keywords;        // "k..." for the rest
  /// Of a method of a global function that is defined among local variables: slots of the code around, as in ClosureForm.
  std::vector<SlotId> captures;
  BodyPtr body;  // null: `function f end`, the function only
};

/// A local function: one object with the captured slots of the code around as its fields, and its methods.
struct ClosureForm {
  Symbol name;                   // "#1", "#f#2": unique in the source; what typeof prints
  std::vector<SlotId> captures;  // of the code around; boxed ones are shared by their box, others by value
  std::vector<MethodForm> methods;
  bool varies = false;  // the argument types depend on values of the code around: the type is not the same each time
  mutable std::shared_ptr<void> cache;  // the evaluator's: its type
};

struct StructForm {
  Symbol name;
  bool is_mutable = false;
  int bits = 0;                        // of a primitive type
  std::vector<FormId> type_variables;  // kTypeVar
  FormId super = kNoForm;
  std::vector<Symbol> field_names;
  std::vector<FormId> field_types;
  std::vector<bool> field_is_const;
  int fields_left_out = 0;        // the most that a `new` inside leaves undefined
  bool has_constructors = false;  // inner ones: no default constructors then
  FormId inner = kNoForm;         // the inner constructors' kMethods, and what else stands in the body
};

struct ModuleForm {
  Symbol name;
  bool is_bare = false;
  std::unique_ptr<Code> body;
};

/// using, import, export, public.
struct ImportForm {
  enum class What : uint8_t { kUsing, kImport, kExport, kPublic };
  struct Path {
    int dots = 0;  // leading
    std::vector<Symbol> names;
    Symbol as;  // empty: its own name
  };
  What what = What::kUsing;
  bool has_from = false;  // using from: paths…
  Path from;
  std::vector<Path> paths;
};

struct Slot {
  Symbol name;            // "#temp" of hidden ones
  bool is_boxed = false;  // closures share it while it changes
  VariableId variable = kNotAVariable;
};

struct KeywordParameter {
  Symbol name;
  SlotId slot = 0;
  FormId type = kNoForm;           // evaluated in the callee
  FormId default_value = kNoForm;  // kNoForm: UndefKeywordError
};

/// One function's code, or that of a top level. Slots: the callee, arguments, keywords, type parameters, captures; then locals
/// (which begin without a value).
struct Code {
  SourcePtr source;
  Symbol name;
  std::vector<Form> forms;
  std::vector<FormId> children;
  std::vector<Value> constants;
  std::vector<Symbol> symbols;
  std::vector<std::vector<Symbol>> name_lists;
  std::vector<GlobalName> globals;
  std::vector<CallSite> calls;
  std::vector<UnpackForm> unpacks;
  std::vector<MethodForm> methods;
  std::vector<ClosureForm> closures;
  std::vector<StructForm> structs;
  std::vector<ModuleForm> modules;
  std::vector<ImportForm> imports;

  std::vector<Slot> slots;
  uint32_t arguments = 0;   // slots 1 … arguments; the callee is slot 0
  bool has_vararg = false;  // the last of them is a tuple of the remaining arguments
  std::vector<KeywordParameter> keywords;
  SlotId rest_keywords = kNoForm;       // slot of k..., else kNoForm
  std::vector<SlotId> type_parameters;  // slots of the method's type variables, outermost first
  std::vector<SlotId> captures;         // slots of the closure's fields, in order
  std::vector<SlotId> boxed_arguments;  // arguments and keywords that get a box at entry
  FormId body = kNoForm;

  std::span<const FormId> children_of(FormId id) const {
    const Form& f = forms[id];
    return {children.data() + f.first, f.count};
  }
};

struct LowerOptions {
  std::string file = "none";
  int first_line = 1;
  bool interactive = false;  // as at a prompt: see ScopeOptions
  /// Numbers closures on from what other sources have; null: from 1.
  std::shared_ptr<uint32_t> closures;
};

/// Parses, resolves and lowers. Errors go to the diagnostics: then there is no code. Bodies of functions are lowered later.
std::unique_ptr<Code> lower_source(std::string text, const LowerOptions& options, std::vector<Diagnostic>& diagnostics);
/// The form as text, one line for each statement, for tests and `--explain`.
std::string form_text(const Code& code);

}  // namespace weft::julia
