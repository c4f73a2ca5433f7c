// From a call with host values to a compiled program, and back.
#pragma once
#include <optional>
#include <set>

#include "ir/target.h"
#include "julia/infer/border/packed.h"
#include "julia/run/module.h"

namespace weft::julia {

/// A call whose code exists: for arguments of these types, extents and sharing.
class CompiledCall {
 public:
  virtual ~CompiledCall() = default;
  /// Globals that the code reads: their types, extents and sharing belong to what it was compiled for.
  std::vector<Binding*> globals;
  enum class Failure : uint8_t {
    kNone,
    kNotBegun,  // these arguments are none that it takes
    kCheck,     // a check failed, or memory ended
    kTooDeep,   // recursion came to the end of its stack
  };
  /// Runs it on such arguments. Results share no memory with arguments; argument arrays that the program changes are changed. Nothing:
  /// `why` says what happened, nothing has changed, and the host is to run the call for the exception.
  virtual std::optional<Value> run(const Value& callee, std::span<const Value> arguments,
                                   std::span<const Keyword> keywords, Failure& why) const = 0;
};

struct Diagnoses;

struct CompileCallOptions {
  std::string target = "native";
  bool only_module = false;       // IR, without code
  bool fixed_integers = false;    // Int arguments are constants: sizes may depend on them
  bool fixed_floats = false;      // floats are constants, too: ranges may depend on them
  std::set<size_t> unfixed = {};  // arguments, then keywords (from 0), whose numbers are none all the same
  bool open_extents = false;      // one program for arrays of all extents above 1 that are equal where these are
  /// Only extents of these values are open, by these names; arguments come from elsewhere, and their extents of one name
  /// are checked to be equal. None: all extents are open, and callers have seen to that.
  std::map<int64_t, std::string> open_names = {};
  bool float_integers =
      false;  // integers among the arguments are taken as Float64; those that the function captures are not
  bool fixed_captures = false;     // with float_integers: Int values that the function captures are constants
  bool without_checks = false;     // bounds and domains are not checked: for programs of targets that have no checks
  bool value_only = false;         // what the call does to its arguments is not wanted
  bool differentiated = false;     // the program is differentiated afterwards
  bool fixed_characters = false;   // Char arguments are constants
  Diagnoses* diagnoses = nullptr;  // set: causes go there, and there is no program when there are any
  bool has_arguments =
      false;             // who takes the results has the arguments: unchanged ones among the results are only named
  bool has_host = true;  // this process runs it; otherwise text is put together by whoever does
  CompileOptions native = {};  // how the target makes its code; `timing` is told of the stage "infer" as well
};

/// The program of a call, before it is compiled: the entry takes the leaves of callee, arguments and keywords in order (reader.h) and gives those
/// of `results`: the value, then argument objects that change.
struct TracedCall {
  std::shared_ptr<weft::Module> program;
  std::string entry;
  std::vector<Abstract> arguments;  // the callee first; numbers are placeholders of leaves, objects places in `objects`
  std::vector<HeapObject> objects;
  std::vector<weft::Type> types;  // of the leaves
  size_t first_argument_leaf = 0,
         end_of_argument_leaves = 0;  // those before are of the callee, those behind of globals
  Packed results;
  std::vector<uint32_t> changed;
  std::vector<Binding*> globals;     // whose values are arguments as well, behind the others
  std::vector<Packed> prints;        // the host's function and its arguments at each place that prints
  bool sizes_from_integers = false;  // with open extents: some depend on integers among the arguments
};

/// Throws NotCompiled.
TracedCall trace_call(Evaluator& evaluator, const Value& callee, std::span<const Value> arguments,
                      std::span<const Keyword> keywords, const CompileCallOptions& options);

/// Throws NotCompiled.
std::unique_ptr<CompiledCall> compile_call(Evaluator& evaluator, const Value& callee, std::span<const Value> arguments,
                                           std::span<const Keyword> keywords, const CompileCallOptions& options);

enum class KeyOf : uint8_t {
  kExtents,      // those of arrays
  kIntegers,     // and the values of Int arguments
  kNumbers,      // and those of floats
  kOpenExtents,  // only which extents are equal, and those below 2
};

/// What a call is compiled for, as text of words: equal for calls that the same code serves. Empty: one with an argument that compiled code
/// cannot take.
std::vector<uintptr_t> call_key(const Value& callee, std::span<const Value> arguments,
                                std::span<const Keyword> keywords, KeyOf what, std::span<Binding* const> globals = {});

/// What `weft check` prints for a function that is not compiled: message, cause, places, fix.
std::string not_compiled_text(const NotCompiled& e);

}  // namespace weft::julia
