#include "native/schedule/memory_use.h"

#include <algorithm>

#include "base/memory.h"

namespace weft::native {
namespace {

size_t constant_bytes(const Function& f, const Block& block) {
  size_t bytes = 0;
  for (const Step& step : block.steps) {
    if (step.kind == StepKind::kConstant) bytes += value_bytes(f.type(f.result(step.op)));
    for (const Block& inner : step.blocks) bytes += constant_bytes(f, inner);
  }
  return bytes;
}

std::string parts_of(const MemoryUse& use) {
  return "arguments " + memory_text(use.arguments) + ", results " + memory_text(use.results) + ", constants " +
         memory_text(use.constants) + ", arena " + memory_text(use.arena) + ", scratch " + memory_text(use.scratch);
}

}  // namespace

void add_memory_use(const Function& function, const Block& schedule, const MemoryPlan& plan,
                    const MemoryPlanInput& rules, size_t scratch_bytes, bool is_entry, MemoryUse& out) {
  out.constants += constant_bytes(function, schedule);
  if (!is_entry) return;
  for (Type t : function.arg_types()) out.arguments += value_bytes(t);
  const std::vector<Type> results = function.result_types();
  for (size_t j = 0; j < results.size(); ++j) {
    if (std::ranges::none_of(rules.donations, [&](const auto& d) { return d.second == j; }))
      out.results += value_bytes(results[j]);
  }
  out.arena = plan.arena_bytes;
  out.scratch = scratch_bytes;
}

void expect_within_limit(const Function& function, const MemoryUse& use, size_t limit) {
  limit = memory_limit(limit);
  if (limit != 0 && use.total() > limit)
    throw UserError("out of memory: @" + function.name() + " needs " + memory_text(use.total()) + " (" + parts_of(use) +
                        "), the limit is " + memory_text(limit),
                    function.loc());
  expect_memory(use.arena + use.scratch, "the working memory of @" + function.name());
}

}  // namespace weft::native
