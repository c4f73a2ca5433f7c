#include "julia/run/out_of_scope.h"

#include <string_view>
#include <unordered_map>

namespace weft::julia {
namespace {

constexpr const char* kTasks = "Weft has no tasks";
constexpr const char* kAddresses = "Weft gives a program no addresses";
constexpr const char* kProcesses = "Weft starts no other programs";
constexpr const char* kExpressions = "regular expressions: use occursin, split, startswith with strings";
constexpr const char* kInside = "it looks into Julia itself";
constexpr const char* kCode = "code is no value; write what it makes as functions";
constexpr const char* kTraces = "a program does not see its stack trace; what nothing catches is printed with one";
constexpr const char* kStreams = "print to an IOBuffer instead";
constexpr const char* kBig = "numbers of any size are outside of what Weft runs; Int128 has 128 bits";

const std::unordered_map<std::string_view, const char*>& reasons() {
  static const std::unordered_map<std::string_view, const char*> all{
      {"Channel", kTasks},
      {"Task", kTasks},
      {"schedule", kTasks},
      {"fetch", kTasks},
      {"wait", kTasks},
      {"yield", kTasks},
      {"yieldto", kTasks},
      {"Timer", kTasks},
      {"Condition", kTasks},
      {"Event", kTasks},
      {"ReentrantLock", kTasks},
      {"Semaphore", kTasks},
      {"Atomic", "Weft has no tasks; a Ref in its place counts as well"},
      {"atomic_add!", "Weft has no tasks; write r[] += x with a Ref r"},
      {"atomic_sub!", "Weft has no tasks; write r[] -= x with a Ref r"},
      {"atomic_max!", "Weft has no tasks; write r[] = max(r[], x) with a Ref r"},
      {"atomic_min!", "Weft has no tasks; write r[] = min(r[], x) with a Ref r"},
      {"atomic_xchg!", kTasks},
      {"atomic_cas!", kTasks},
      {"SpinLock", kTasks},
      {"trylock", kTasks},
      {"islocked", kTasks},
      {"acquire", kTasks},
      {"release", kTasks},
      {"put!", kTasks},
      {"take!", kTasks},
      {"isready", kTasks},
      {"notify", kTasks},
      {"istaskdone", kTasks},
      {"istaskstarted", kTasks},
      {"istaskfailed", kTasks},
      {"current_task", kTasks},
      {"task_local_storage", kTasks},
      {"timedwait", kTasks},
      {"errormonitor", kTasks},
      {"asyncmap", "Weft has no tasks; use map"},
      {"unsafe_load", kAddresses},
      {"pointer", kAddresses},
      {"pointer_from_objref", kAddresses},
      {"unsafe_pointer_to_objref", kAddresses},
      {"unsafe_store!", kAddresses},
      {"Ptr", kAddresses},
      {"unsafe_wrap", kAddresses},
      {"unsafe_string", kAddresses},
      {"cglobal", kAddresses},
      {"Libc", "Weft runs without C's library"},
      {"run", kProcesses},
      {"pipeline", kProcesses},
      {"success", kProcesses},
      {"Cmd", kProcesses},
      {"setenv", kProcesses},
      {"addenv", kProcesses},
      {"download", "Weft opens no connections"},
      {"match", kExpressions},
      {"eachmatch", kExpressions},
      {"Regex", kExpressions},
      {"RegexMatch", kExpressions},
      {"llvmcall", kInside},
      {"code_native", kInside},
      {"code_llvm", kInside},
      {"code_typed", kInside},
      {"code_lowered", kInside},
      {"code_warntype", "`weft check --explain-types FUNCTION` shows types"},
      {"return_types", kInside},
      {"Compiler", kInside},
      {"Experimental", kInside},
      {"Intrinsics", kInside},
      {"which", kInside},
      {"functionloc", kInside},
      {"Meta.parse", kCode},
      {"Meta.lower", kCode},
      {"macroexpand", kCode},
      {"include_string", kCode},
      {"evalfile", kCode},
      {"eval", kCode},
      {"stacktrace", kTraces},
      {"StackTraces", kTraces},
      {"current_exceptions", kTraces},
      {"show_backtrace", kTraces},
      {"redirect_stdout", kStreams},
      {"redirect_stderr", kStreams},
      {"setprecision", kBig},
      {"big", kBig},
      {"BigInt", kBig},
      {"BigFloat", kBig},
      {"pathof", "Weft's packages are no files"},
      {"pkgdir", "Weft's packages are no files"},
  };
  return all;
}

}  // namespace

std::optional<std::string> why_out_of_scope(Symbol name) {
  const auto it = reasons().find(name.text());
  if (it == reasons().end()) return std::nullopt;
  return name.text() + ": " + it->second;
}

void refuse_out_of_scope(Symbol name) {
  if (const auto why = why_out_of_scope(name)) throw OutOfScope(*why);
}

}  // namespace weft::julia
