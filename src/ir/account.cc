#include "ir/account.h"

namespace weft {
namespace {

std::string lines_text(const StepAccount& step) {
  const std::set<uint32_t> all = lines(step);
  if (all.empty()) return "";
  const std::string first = std::to_string(*all.begin());
  return all.size() == 1 ? "  line " + first : "  lines " + first + "-" + std::to_string(*all.rbegin());
}

}  // namespace

std::string label(const StepAccount& step, size_t most) {
  std::string out = step.kind;
  for (size_t i = 0; i < step.ops.size() && i < most; ++i) {
    const std::string& name = step.ops[i].name;
    out += " " + name.substr(name.find('.') + 1);
  }
  if (step.ops.size() > most) out += " +" + std::to_string(step.ops.size() - most);
  return out;
}

int depth(const ProgramAccount& account, const StepAccount& step) {
  int out = 0;
  for (int p = step.parent; p >= 0; p = account.steps[static_cast<size_t>(p)].parent) ++out;
  return out;
}

std::set<uint32_t> lines(const StepAccount& step) {
  std::set<uint32_t> out;
  for (const OpAccount& op : step.ops) {
    if (op.loc.known()) out.insert(op.loc.line);
  }
  return out;
}

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
    out += lines_text(step) + "\n";
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
