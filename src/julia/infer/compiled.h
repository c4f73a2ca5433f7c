// From a call with host values to a compiled program, and back.
#pragma once
#include <optional>

#include "ir/target.h"
#include "julia/infer/compiler.h"

namespace weft::julia {

/// A call whose code exists: for arguments of these types, extents and sharing.
class CompiledCall {
 public:
  virtual ~CompiledCall() = default;
  /// Runs it on such arguments. Results share no memory with arguments; argument arrays that the program changes are changed. Nothing:
  /// a check failed, nothing has changed, and the host is to run the call for the exception.
  virtual std::optional<Value> run(const Value& callee, std::span<const Value> arguments,
                                   std::span<const Keyword> keywords) const = 0;
  virtual const weft::Module& module() const = 0;
  virtual const std::string& entry() const = 0;
};

struct CompileCallOptions {
  std::string target = "native";
  bool only_module = false;     // IR, without code
  bool fixed_integers = false;  // Int arguments are constants: sizes may depend on them
};

/// Throws NotCompiled.
std::unique_ptr<CompiledCall> compile_call(Evaluator& evaluator, const Value& callee, std::span<const Value> arguments,
                                           std::span<const Keyword> keywords, const CompileCallOptions& options);

/// What a call is compiled for, as text of words: equal for calls that the same code serves. Empty: one with an argument that compiled code
/// cannot take.
std::vector<uintptr_t> call_key(const Value& callee, std::span<const Value> arguments,
                                std::span<const Keyword> keywords, bool fixed_integers);

/// What `weft check` prints for a function that is not compiled: message, cause, places, fix.
std::string not_compiled_text(const NotCompiled& e);

}  // namespace weft::julia
