// The inside of the evaluator: the stack of values, calls and their caches, and the interpreter of forms.
#pragma once
#include <deque>

#include "julia/host/number.h"
#include "julia/run/evaluator.h"
#include "julia/run/library.h"

namespace weft::julia {

struct Target;

/// What stands behind a Method.
struct MethodBody {
  /// The callee comes first among the arguments.
  using Native = std::function<Value(Evaluator&, const Target&, std::span<const Value>)>;
  BodyPtr body;
  Module* module = nullptr;
  const IntrinsicEntry* intrinsic = nullptr;  // the method is this intrinsic on the same arguments
  bool takes_callee = false;                  // the callee comes before them
  bool is_examined = false;                   // whether `intrinsic` has been looked for
  Native native;
  /// For each type variable as written: its place among the method's variables; -1 when the signature does not mention it.
  std::vector<int> parameter_index;
  /// Of a method of a global function defined among local variables: what it captures of them.
  std::vector<Value> captured;
};

/// The method that calls with certain argument types reach.
struct Target {
  const Method* method = nullptr;
  MethodBody* body = nullptr;
  const IntrinsicEntry* intrinsic = nullptr;
  bool takes_callee = false;      // the intrinsic's arguments begin with the callee
  std::vector<Value> parameters;  // values of the method's type variables; undefined where nothing fixes one
};

/// What dispatch looks at in a value, as one word: its type, or for a type itself (odd).
inline uintptr_t dispatch_word(const Value& v) {
  return v.is_type() ? reinterpret_cast<uintptr_t>(v.as_type()) | 1 : reinterpret_cast<uintptr_t>(v.type());
}

/// The calls that a place in the code has made last.
struct SiteCache {
  static constexpr size_t kWords = 6, kEntries = 4;
  struct Entry {
    uintptr_t words[kWords];
    size_t count = 0;
    std::shared_ptr<const Target> target;
  };
  uint64_t generation = 0;
  size_t next = 0;
  Entry entries[kEntries];
};

/// One activation of a method or top level.
struct Frame {
  enum class Jump : uint8_t { kNone, kBreak, kContinue, kReturn };
  const Code& code;
  Module& module;
  Value* slots;
  Frame* caller = nullptr;
  Jump jump = Jump::kNone;
  uint32_t depth = 0;     // loops still to leave
  NodeId node = kNoNode;  // of the call that is being made
  Value result = {};
};

struct Evaluator::Impl {
  explicit Impl(Evaluator& e);
  ~Impl();

  Evaluator& evaluator;

  // ---- values of calls under way; everything from `top` on is undefined
  Value* stack = nullptr;
  size_t stack_size = 0;
  size_t top = 0;
  const char* stack_limit = nullptr;  // of the thread
  Frame* frame = nullptr;
  /// Drops what was pushed since, also when an exception passes.
  struct Mark {
    Impl& impl;
    size_t at;
    explicit Mark(Impl& i) : impl(i), at(i.top) {}
    ~Mark() { impl.pop_to(at); }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
  };
  /// The frame that runs while the object lives.
  struct Running {
    Impl& impl;
    Frame* before;
    Running(Impl& i, Frame& f) : impl(i), before(i.frame) { i.frame = &f; }
    ~Running() { impl.frame = before; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
  };
  void push(Value v) {
    if (top == stack_size) throw_stack_overflow();
    stack[top++] = std::move(v);
  }
  void pop_to(size_t at) {
    while (top > at) stack[--top] = Value();
  }
  [[noreturn]] void throw_stack_overflow();
  void check_stack() {
    if (reinterpret_cast<const char*>(__builtin_frame_address(0)) < stack_limit) throw_stack_overflow();
  }

  // ---- calls (call.cc)
  uint64_t generation = 1;  // grows with every method
  struct HashTypes {
    size_t operator()(const std::vector<uintptr_t>& words) const;
  };
  std::unordered_map<std::vector<uintptr_t>, std::shared_ptr<const Target>, HashTypes> targets;
  uint64_t targets_generation = 0;
  /// Values [at, top): the callee and its arguments. Null: no method, or more than one (`found`).
  std::shared_ptr<const Target> find_target(size_t at, bool with_keywords = false);
  /// A call with keywords chooses among the methods that take some; tables of those are made when they are needed.
  struct KeywordMethods {
    MethodTable* table = nullptr;
    uint64_t generation = 0;  // of the table that they are from
  };
  std::unordered_map<const MethodTable*, KeywordMethods> keyword_methods;
  std::deque<MethodTable> keyword_tables;
  MethodTable& methods_with_keywords(const MethodTable& table);
  /// The same for types alone, as the static compiler asks; `callee` is null for an object of which only the type is known.
  std::shared_ptr<const Target> target_of_types(const Value* callee, const DataType* callee_type,
                                                const std::vector<const Type*>& types, bool with_keywords = false);
  const Target& target_of(size_t at, const CallSite* site, std::shared_ptr<const Target>& keep);
  /// Calls stack[at] on the values above it, which it takes off.
  Value call_from(size_t at, std::span<const Keyword> keywords, const CallSite* site);
  Value invoke(const Target& target, size_t at, std::span<const Keyword> keywords);
  Value run_code(const Target& target, const Code& code, Module& module, size_t at, std::span<const Keyword> keywords);
  void bind_keywords(Frame& frame, std::span<const Keyword> given, std::span<const Value> arguments);
  [[noreturn]] void throw_method_error(size_t at);
  MethodTable* table_of(const Value& callee, bool make);
  MethodTable* table_of_type(const DataType* callee);  // of objects
  MethodTable& table_of_name(const TypeName* name, bool is_constructor);
  std::unordered_map<const TypeName*, std::unique_ptr<MethodTable>> functions, constructors;
  std::vector<Method> open_functions,
      open_constructors;  // of callees that are no one declaration's: (::Type{T})(x) where T
  std::vector<Keyword> keywords_of(const CallSite& site, std::span<const Value> values);

  std::string compile_target = "native";  // that derivatives run on
  std::shared_ptr<void> derivatives;      // those made so far: infer's
  /// Compiled code for a call (the callee first among the values); nothing: the host runs it. Set by what compiles while a program runs.
  std::function<std::optional<Value>(const Code&, std::span<const Value>, std::span<const Keyword>)> compiled_call;

  // ---- forms (interpret.cc)
  Value eval(FormId id, Frame& f);
  Value eval_call(const Form& form, Frame& f);
  Value eval_for(const Form& form, Frame& f);
  Value eval_try(const Form& form, Frame& f);
  Value eval_new(const Form& form, Frame& f);
  Value eval_unpack(const Form& form, Frame& f);
  Value get_property(const Value& object, Symbol name);
  Value field_of(const Value& object, Symbol name);  // whatever methods of getproperty there are
  void set_field_checked(const Value& object, size_t index, Value value, bool converting);
  void set_property(const Value& object, Symbol name, Value value);
  bool truth(const Value& v);
  Binding& global(const GlobalName& name, Frame& f);
  Value& slot_place(SlotId slot, Frame& f);
  Value make_box();
  const DataType* box_type = nullptr;
  std::vector<Value> exceptions;                                                // being handled, the innermost last
  std::unordered_map<const DataType*, std::pair<bool, bool>> property_methods;  // own getproperty, setproperty!
  uint64_t property_generation = 0;
  bool has_property_method(const DataType* type, bool setting);

  // ---- definitions (define.cc)
  Value define_method(const MethodForm& form, Frame& f, const DataType* closure_type);
  void add_method(Method method, const Type* callee);
  Value make_closure(const ClosureForm& form, Frame& f);
  TypeName* closure_name(const ClosureForm& form, Frame& f);  // the declaration of its type
  /// The type of a local function's object with captures of these types; null when its methods' types depend on the code around.
  const DataType* closure_type(const ClosureForm& form, const Code& code, Module& module,
                               const std::vector<const Type*>& captured);
  void define_struct(const StructForm& form, Frame& f, Flavour flavour);
  void add_default_constructors(TypeName* name, Module& module, Frame& f, NodeId node);
  Value construct(const DataType* type, std::vector<Value> fields);
  const Type* type_of_value(const Value& v);  // a type or a type parameter's constant
  std::vector<const TypeVar*> type_variables(const std::vector<FormId>& forms, Frame& f);

  // ---- modules (load.cc)
  Module& make_module(Symbol name, Module* parent, bool is_bare);
  void add_include(Module& m);
  void run_import(const ImportForm& form, Frame& f);
  void run_module(const ModuleForm& form, Frame& f);
  Module* find_module(const ImportForm::Path& path, Module& from, size_t names);
  Module* package(Symbol name, bool visible = true);  // of the library; null: none of this name
  /// LinearAlgebra and Random add methods to functions of Base (`A * B`, `rand`), whether a program uses them or not: they are loaded
  /// when a method is missed. False: they were there already.
  bool load_standard_packages();
  bool has_standard_packages = false;
  Value run_top_level(const Code& code, Module& module);
  Value run_text(std::string text, const std::string& file, Module& module, int first_line = 1);
  // ---- the library's definitions (waiting.cc): those of a function wait until somebody asks for its methods
  struct Waiting {
    const LibraryFile* file;
    const LibraryPiece* piece;
    Module* module;
  };
  std::unordered_map<const TypeName*, std::vector<Waiting>> waiting_functions, waiting_constructors;
  /// Whose definitions are being evaluated now, and whether anybody asked for its methods meanwhile.
  struct Defining {
    const TypeName* name;
    bool is_asked = false;
  };
  std::vector<Defining> defining;
  void run_library_file(const LibraryFile& file, Module& module);
  void run_piece(const Waiting& piece);
  bool let_wait(const Waiting& piece);  // false: it has to run now
  void define_waiting(const TypeName* name, bool is_constructor);
  void note_question(const TypeName* name);
  Value function_value(Symbol name, Module& module);
  Value intrinsic_value(std::string_view name);
  void load_base();
  std::deque<std::unique_ptr<Module>> modules;
  std::unordered_map<Symbol, Module*> packages;
  std::unordered_map<const TypeName*, const IntrinsicEntry*> intrinsics;
  std::unordered_map<Symbol, Value> intrinsic_values;
  std::deque<std::unique_ptr<Code>> codes;                             // of top levels
  std::vector<std::string> files;                                      // being included, the innermost last
  std::shared_ptr<uint32_t> closures = std::make_shared<uint32_t>(0);  // of programs
  std::unordered_map<Symbol, Value> base_functions;
  std::vector<TracePoint> trace;     // of the last exception, the innermost first
  std::optional<TracePoint> failed;  // the top-level statement it came out of first
  Module* library_root = nullptr;    // where packages are defined
  bool is_library = false;           // what is loaded now is Weft's own
};

/// The value of a type parameter: a type, or a constant's number, symbol or tuple.
Value value_of_parameter(const Type* t);
/// A C++ exception as the Julia value that a catch block sees; throws it again when it is none (Unsupported, InternalError).
Value exception_value();
/// Within a catch block: throws on, as the exception that Julia throws there, which has a trace, if the host's says which.
[[noreturn]] void rethrow_named();
/// A file of the library by its name ("base/Base.jl", "Random.jl"); null: none.

}  // namespace weft::julia
