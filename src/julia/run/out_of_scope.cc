#include "julia/run/out_of_scope.h"

#include <string>
#include <string_view>
#include <unordered_map>

#include "weft/error.h"

namespace weft::julia {
namespace {

constexpr const char* kTasks = "Weft has no tasks";
constexpr const char* kAddresses = "Weft gives a program no addresses";
constexpr const char* kProcesses = "Weft starts no other programs";
constexpr const char* kExpressions = "regular expressions: use occursin, split, startswith with strings";
constexpr const char* kInside = "it looks into Julia itself";

const std::unordered_map<std::string_view, const char*>& reasons() {
  static const std::unordered_map<std::string_view, const char*> all{
      {"Channel", kTasks},
      {"schedule", kTasks},
      {"fetch", kTasks},
      {"wait", kTasks},
      {"yield", kTasks},
      {"Timer", kTasks},
      {"Condition", kTasks},
      {"Event", kTasks},
      {"ReentrantLock", kTasks},
      {"Semaphore", kTasks},
      {"Atomic", kTasks},
      {"SpinLock", kTasks},
      {"take!", kTasks},
      {"istaskdone", kTasks},
      {"asyncmap", kTasks},
      {"unsafe_load", kAddresses},
      {"pointer", kAddresses},
      {"unsafe_store!", kAddresses},
      {"Ptr", kAddresses},
      {"unsafe_wrap", kAddresses},
      {"unsafe_string", kAddresses},
      {"run", kProcesses},
      {"pipeline", kProcesses},
      {"match", kExpressions},
      {"eachmatch", kExpressions},
      {"Regex", kExpressions},
      {"llvmcall", kInside},
      {"code_native", kInside},
      {"code_llvm", kInside},
      {"code_typed", kInside},
      {"code_lowered", kInside},
      {"code_warntype", kInside},
  };
  return all;
}

}  // namespace

void refuse_out_of_scope(Symbol name) {
  const auto it = reasons().find(name.text());
  if (it != reasons().end()) throw Unsupported(std::string(name.text()) + ": " + it->second);
}

}  // namespace weft::julia
