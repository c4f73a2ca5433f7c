// The functions that a program's processes run, as native code. Threads, turns, channels, feeds and meetings are the evaluator's
// (eval/processes.h).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "eval/processes.h"
#include "native/executable.h"

namespace weft::native {

class ProcessPrograms {
 public:
  using Compile = std::function<std::unique_ptr<NativeExecutable>(const Module& module, const std::string& entry)>;
  ProcessPrograms(std::shared_ptr<const Module> module, Compile compile)
      : module_(std::move(module)), compile_(std::move(compile)) {}

  /// Compiles what the executable's requests run: bodies of collectives, and the functions of processes and feeds with all that
  /// these run in turn. It may be called from then on, for as long as this lives.
  void prepare(NativeExecutable& executable);

  /// A grid of the one process of an ordinary call.
  std::unique_ptr<ProcessGrid> alone() const;

 private:
  std::vector<EvalValue> call(const std::string& name, std::span<const EvalValue> args, Loc loc,
                              Processes& processes) const;
  std::unique_ptr<NativeExecutable> compile_body(const OpView& op) const;

  std::shared_ptr<const Module> module_;
  Compile compile_;
  std::map<std::string, std::unique_ptr<NativeExecutable>> executables_;
};

}  // namespace weft::native
