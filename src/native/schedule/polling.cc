#include "native/schedule/polling.h"

#include <algorithm>
#include <optional>

#include "transform/counted_loop.h"

namespace weft::native {
namespace {

constexpr int64_t kFewTurns = int64_t{1} << 16;

/// Turns of all loops in the block together, where they are known and nothing else takes time.
std::optional<int64_t> turns_of(const Function& f, const Block& block);

std::optional<int64_t> turns_of(const Function& f, const Step& step) {
  switch (step.kind) {
    case StepKind::kScalar:
    case StepKind::kConstant:
    case StepKind::kElement:
    case StepKind::kView:
    case StepKind::kCheck: return 0;
    case StepKind::kCase: {
      int64_t most = 0;
      for (const Block& branch : step.blocks) {
        const auto turns = turns_of(f, branch);
        if (!turns) return std::nullopt;
        most = std::max(most, *turns);
      }
      return most;
    }
    case StepKind::kWhile: {
      const auto counted = counted_loop(f, step.op);
      const auto cond = turns_of(f, step.blocks[0]), body = turns_of(f, step.blocks[1]);
      if (!counted || !cond || !body || counted->trips > kFewTurns) return std::nullopt;
      return counted->trips * (1 + *cond + *body);
    }
    default: return std::nullopt;
  }
}

std::optional<int64_t> turns_of(const Function& f, const Block& block) {
  int64_t sum = 0;
  for (const Step& step : block.steps) {
    const auto turns = turns_of(f, step);
    if (!turns || sum + *turns > kFewTurns) return std::nullopt;
    sum += *turns;
  }
  return sum;
}

/// Whether the condition compares a carry with what stays the same, and the body moves that carry by a constant.
bool is_counted(const Function& f, const Step& loop) {
  const Value test = loop.blocks[0].results[0];
  const OpId compare = f.defining_op(test);
  if (!compare || f.def(compare).mnemonic != "stablehlo.compare") return false;
  const RegionId cond = f.region(test), body = loop.blocks[1].region;
  const auto next = [&](size_t carry) { return loop.blocks[1].results[carry]; };
  const auto is_carry = [&](Value v) { return !f.defining_op(v) && f.region(v) == cond; };
  const auto stays = [&](Value v) {
    if (is_carry(v)) return next(f.position(v)) == f.args(body)[f.position(v)];
    return f.region(v) != cond || integer_constant(f, v).has_value();
  };
  const auto moves = [&](Value v) {
    if (!is_carry(v) || !is_integer(f.type(v).element_type())) return false;
    const OpId step = f.defining_op(next(f.position(v)));
    if (!step || f.def(step).mnemonic != "stablehlo.add" || f.parent(step) != body) return false;
    const Value counter = f.args(body)[f.position(v)];
    const auto operands = f.operands(step);
    return (operands[0] == counter && integer_constant(f, operands[1])) ||
           (operands[1] == counter && integer_constant(f, operands[0]));
  };
  const auto sides = f.operands(compare);
  return (moves(sides[0]) && stays(sides[1])) || (moves(sides[1]) && stays(sides[0]));
}

}  // namespace

Polling polling_of(const Function& function, const Step& loop) {
  if (loop.kind == StepKind::kWhile && turns_of(function, loop)) return Polling::kNever;
  const bool is_inner = turns_of(function, loop.blocks[0]) == 0 && turns_of(function, loop.blocks[1]) == 0;
  return is_inner && is_counted(function, loop) ? Polling::kSometimes : Polling::kEachTurn;
}

}  // namespace weft::native
