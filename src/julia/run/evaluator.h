// Runs lowered Julia code: the meaning of a program, and the host of what is compiled.
#pragma once
#include <atomic>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "julia/host/exception.h"
#include "julia/host/show.h"
#include "julia/lower/form.h"
#include "julia/run/intrinsics.h"
#include "julia/run/module.h"
#include "julia/types/method_table.h"

namespace weft::julia {

/// Keyword arguments of a call, in the order given; later ones win.
struct Keyword {
  Symbol name;
  Value value;
};

struct EvaluatorOptions {
  std::vector<std::string> arguments;  // ARGS
  std::string program_file;            // PROGRAM_FILE
  bool interactive = false;
  /// What a program writes to stdout and stderr; null: the process's.
  std::function<void(std::string_view)> out, error;
};

/// A place in the user's program, for messages about where an exception came from.
struct TracePoint {
  Symbol function;
  std::string file;
  int line = 0;
};

/// Thrown by exit(code): no exception of the program, it passes every catch (finally blocks run).
struct ExitRequest {
  int code = 0;
};

class Evaluator {
 public:
  explicit Evaluator(EvaluatorOptions options = {});
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  const EvaluatorOptions& options() const { return options_; }
  Module& main() { return *main_; }
  Module& base() { return *base_; }

  /// Runs a program's text in a module; the value of its last statement. Throws JuliaError, and UserError for what cannot be
  /// read (with all diagnostics rendered).
  Value run(std::string text, const std::string& file, Module& module);
  /// include: a file, relative to the one that is running.
  Value include(const std::string& file, Module& module);

  Value call(const Value& f, std::span<const Value> arguments);
  Value call(const Value& f, std::initializer_list<Value> arguments) {
    return call(f, std::span<const Value>(arguments.begin(), arguments.size()));
  }
  Value call(const Value& f, std::span<const Value> arguments, std::span<const Keyword> keywords);
  /// A function of Base by name.
  Value call_base(std::string_view name, std::initializer_list<Value> arguments);
  Value base_function(std::string_view name);
  /// Whether a call has a method; hasmethod, applicable.
  bool has_method(const Value& f, std::span<const Value> arguments);
  /// The methods of a function, type or callable object; null when it never had one.
  MethodTable* methods_of(const Value& f);

  /// iterate until it is done; the visitor returns false to stop.
  void for_each(const Value& iterable, const std::function<bool(const Value&)>& visit);
  void for_each_by_protocol(const Value& iterable, const std::function<bool(const Value&)>& visit);
  /// convert(T, x): machine numbers and values of the type at once, the rest by Base.convert.
  Value convert(const Type* to, const Value& v);
  bool equal(const Value& a, const Value& b);     ///< ==, which must give a Bool or missing (false)
  bool is_equal(const Value& a, const Value& b);  ///< isequal
  bool less(const Value& a, const Value& b);      ///< isless

  /// print, show and display with the program's own methods.
  ShowContext show_context() const;
  void write_out(std::string_view text);
  void write_error(std::string_view text);

  /// Where the last exception passed, the innermost call of the program first, and the top-level statement it came out of.
  const std::vector<TracePoint>& trace() const;
  const std::optional<TracePoint>& failed_statement() const;

  /// Set by Ctrl-C: the next loop iteration or call throws an InterruptException.
  static std::atomic<bool>& interrupted();

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  EvaluatorOptions options_;
  std::unique_ptr<Impl> impl_;
  Module* main_ = nullptr;
  Module* base_ = nullptr;
};

}  // namespace weft::julia
