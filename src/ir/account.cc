#include "ir/account.h"

namespace weft {
namespace {

int depth(const ProgramAccount& account, const StepAccount& step) {
  int out = 0;
  for (int p = step.parent; p >= 0; p = account.steps[static_cast<size_t>(p)].parent) ++out;
  return out;
}

/// The first source line of a step's ops and how many others there are.
std::string lines(const StepAccount& step) {
  uint32_t first = 0, last = 0;
  for (const OpAccount& op : step.ops) {
    if (!op.loc.known()) continue;
    first = first == 0 ? op.loc.line : std::min(first, op.loc.line);
    last = std::max(last, op.loc.line);
  }
  if (first == 0) return "";
  return first == last ? "  line " + std::to_string(first)
                       : "  lines " + std::to_string(first) + "-" + std::to_string(last);
}

}  // namespace

std::string text_of(const ProgramAccount& account) {
  std::string out;
  for (const StepAccount& step : account.steps) {
    if (step.kind == "scalar") continue;
    out.append(static_cast<size_t>(depth(account, step)) * 2, ' ');
    out += step.kind;
    if (step.kind == "kernel") {
      out += " " + step.name + " of " + std::to_string(step.ops.size()) + " ops:";
      for (const OpAccount& op : step.ops) out += " " + op.name;
    } else if (step.kind == "function" || step.kind == "call") {
      out += " @" + step.name;
    } else if (!step.ops.empty()) {
      out += " " + step.ops[0].name;
    }
    if (!step.outputs.empty()) out += " ->";
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      out += " " + step.outputs[i];
      if (i < step.writes.size()) out += "@" + std::to_string(step.writes[i]);
    }
    if (!step.notes.empty()) out += "  [" + step.notes + "]";
    out += lines(step) + "\n";
  }
  const MemoryUse& m = account.memory;
  out += std::to_string(account.kernels) + " kernels, arena " + std::to_string(m.arena) + " bytes, scratch " +
         std::to_string(m.scratch) + " bytes\n";
  out += "peak " + std::to_string(m.total()) + " bytes: arena and scratch, arguments " + std::to_string(m.arguments) +
         ", results " + std::to_string(m.results) + ", constants " + std::to_string(m.constants) + "\n";
  for (const std::string& copy : account.copies) out += "copy: " + copy + "\n";
  return out;
}

}  // namespace weft
