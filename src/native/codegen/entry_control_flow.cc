// Loops, branches and lanes of the entry.
#include <algorithm>
#include <unordered_set>

#include "native/codegen/entry_emitter.h"
#include "native/schedule/polling.h"

namespace weft::native {

void EntryEmitter::assign(llvm::AllocaInst* variable, int buffer, Value v) {
  if (buffer < 0) {
    b_.CreateStore(scalar(v), variable);
    return;
  }
  if (in_.memory.find(v) == buffer) return;
  copy(address_of(buffer), address(v), value_bytes(f_.type(v)));
}

void EntryEmitter::emit_while(const Step& step) {
  const size_t n = f_.num_results(step.op);
  const CarryPlan& carry = in_.memory.carries.at(step.op);
  std::vector<llvm::AllocaInst*> variables(n, nullptr);
  for (size_t i = 0; i < n; ++i) {
    const Value result = f_.result(step.op, i);
    if (carry.buffers[i] < 0 && !f_.type(result).is_token())
      variables[i] = local(register_type(f_.type(result)), "carry");
    if (f_.type(result).is_token()) continue;
    assign(variables[i], carry.buffers[i], f_.operand(step.op, i));
  }
  loop(step, carry, variables);
  for (size_t i = 0; i < n; ++i) {
    if (variables[i] != nullptr) bind(f_.result(step.op, i), variables[i]);
  }
}

void EntryEmitter::loop(const Step& step, const CarryPlan& carry, std::span<llvm::AllocaInst* const> variables) {
  const Block& cond = step.blocks[0];
  const Block& body = step.blocks[1];
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i] == nullptr) continue;
    bind(f_.args(cond.region)[i], variables[i]);
    bind(f_.args(body.region)[i], variables[i]);
  }
  const Polling polling = polling_of(f_, step);
  auto* header = llvm::BasicBlock::Create(c_, "while", fn_);
  auto* inside = llvm::BasicBlock::Create(c_, "body", fn_);
  auto* done = llvm::BasicBlock::Create(c_, "done", fn_);
  llvm::BasicBlock* part = nullptr;
  llvm::AllocaInst* turns = nullptr;
  if (polling == Polling::kSometimes) {
    // Loops over parts of so many turns: the inner one has nothing that keeps it from becoming vectors.
    part = llvm::BasicBlock::Create(c_, "part", fn_);
    turns = local(i64_, "turns");
    b_.CreateBr(part);
    b_.SetInsertPoint(part);
    poll_interrupts();
    b_.CreateStore(b_.getInt64(0), turns);
  }
  b_.CreateBr(header);
  b_.SetInsertPoint(header);
  const IntegerFacts outside = facts_;
  if (step.kind == StepKind::kWhile) facts_.enter_condition(step.op);
  emit_block(cond);
  llvm::Value* goes_on = scalar(cond.results[0]);
  if (part == nullptr) {
    b_.CreateCondBr(goes_on, inside, done);
  } else {
    auto* ends = llvm::BasicBlock::Create(c_, "part_ends", fn_);
    llvm::Value* is_early = b_.CreateICmpULT(b_.CreateLoad(i64_, turns), b_.getInt64(kTurnsBetweenPolls));
    b_.CreateCondBr(b_.CreateAnd(goes_on, is_early), inside, ends);
    b_.SetInsertPoint(ends);
    b_.CreateCondBr(goes_on, part, done);
  }
  b_.SetInsertPoint(inside);
  if (step.kind == StepKind::kWhile) facts_.enter_body(step.op);
  emit_block(body);
  facts_ = outside;
  next_carries(body, carry, variables);
  if (polling == Polling::kEachTurn) poll_interrupts();
  if (turns != nullptr)
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, turns), b_.getInt64(1), "turn", true, true), turns);
  b_.CreateBr(header);
  b_.SetInsertPoint(done);
}

void EntryEmitter::next_carries(const Block& body, const CarryPlan& carry,
                                std::span<llvm::AllocaInst* const> variables) {
  const size_t n = body.results.size();
  std::vector<llvm::Value*> next(n, nullptr);
  for (size_t i = 0; i < n; ++i) {
    if (variables[i] != nullptr && carry.buffers[i] < 0) next[i] = scalar(body.results[i]);
  }
  // Copies out of buffers that are about to change, then the other moves, then the copies in.
  for (const bool is_staged : {true, false}) {
    for (size_t i = 0; i < n; ++i) {
      const int to = carry.buffers[i];
      if (to < 0 || in_.memory.find(body.results[i]) == to || carry.exchange[i]) continue;
      if ((carry.staging[i] >= 0) != is_staged) continue;
      copy(address_of(is_staged ? carry.staging[i] : to), address(body.results[i]),
           value_bytes(f_.type(body.results[i])));
    }
  }
  exchange(body, carry);
  for (size_t i = 0; i < n; ++i) {
    if (carry.buffers[i] >= 0 && carry.staging[i] >= 0) {
      copy(address_of(carry.buffers[i]), address_of(carry.staging[i]), value_bytes(f_.type(body.results[i])));
    }
  }
  for (size_t i = 0; i < n; ++i) {
    if (next[i] != nullptr) b_.CreateStore(next[i], variables[i]);
  }
}

void EntryEmitter::exchange(const Block& body, const CarryPlan& carry) {
  std::unordered_map<int, int> source_of, target_of;
  for (size_t i = 0; i < body.results.size(); ++i) {
    if (!carry.exchange[i]) continue;
    const int from = in_.memory.find(body.results[i]);
    source_of[carry.buffers[i]] = from;
    target_of[from] = carry.buffers[i];
  }
  std::unordered_map<int, llvm::Value*> old;
  for (const auto& [to, from] : source_of) {
    for (int b : {to, from}) {
      if (!old.contains(b)) old[b] = address_of(b);
    }
  }
  for (const auto& [to, from] : source_of) {
    b_.CreateStore(old.at(from), slots_[static_cast<size_t>(to)]);
    if (source_of.contains(from)) continue;
    int last = to;  // `from` starts a chain of moves: it gets the memory that the chain's end gives up
    while (target_of.contains(last)) last = target_of.at(last);
    b_.CreateStore(old.at(last), slots_[static_cast<size_t>(from)]);
  }
}

namespace {

constexpr int kFreeChoice = 6;
constexpr int kNoChoice = 1000;

/// Integers and truth values only: a chain of float operations that waits for the condition would be slower than a branch that is foreseen.
bool is_light(const OpView& op) {
  static const std::unordered_set<std::string_view> light = {
      "stablehlo.add", "stablehlo.subtract", "stablehlo.compare", "stablehlo.and",     "stablehlo.or",
      "stablehlo.xor", "stablehlo.not",      "stablehlo.select",  "stablehlo.minimum", "stablehlo.maximum"};
  const ElementType t = op.result_type().element_type();
  return light.contains(op.def().mnemonic) && (is_integer(t) || is_boolean(t));
}

}  // namespace

/// What it costs to compute a block whether its branch is taken or not; kNoChoice and more: too much, or it could fail.
int EntryEmitter::choice_cost(const Block& block) const {
  int cost = 0;
  for (const Step& step : block.steps) {
    const OpView op{f_, step.op};
    switch (step.kind) {
      case StepKind::kScalar:
        if (op.def().mnemonic == "stablehlo.constant") break;
        cost += is_light(op) ? 1 : kNoChoice;
        break;
      case StepKind::kElement: {
        if (!step.kernel.updates_input.empty() || op.def().mnemonic != "stablehlo.dynamic_slice") return kNoChoice;
        const Type whole = op.operand_type(0);
        for (size_t d = 0; d < whole.shape().size(); ++d) {
          const IntegerRange at = facts_.range(op.operand(d + 1));
          if (at.low < 0 || at.high >= whole.dim(static_cast<int64_t>(d))) return kNoChoice;
        }
        cost += 2;
        break;
      }
      case StepKind::kView:
        if (in_.memory.find(f_.result(step.op)) >= 0) return kNoChoice;
        break;
      case StepKind::kCheck:
        if (!facts_.is_true(f_.operand(step.op, 0))) return kNoChoice;
        break;
      case StepKind::kCase:
        for (const Block& inner : step.blocks) cost += choice_cost(inner);
        break;
      default: return kNoChoice;
    }
  }
  return cost;
}

/// Whether both branches of an `if` are computed, and results chosen: no branch has to be foreseen, and loops around become vectors.
bool EntryEmitter::is_choice(const Step& step) const {
  if (in_.open != nullptr || step.blocks.size() != 2 ||
      f_.type(f_.operand(step.op, 0)).element_type() != ElementType::kI1)
    return false;
  for (size_t i = 0; i < f_.num_results(step.op); ++i) {
    const Value v = f_.result(step.op, i);
    if (!f_.type(v).is_scalar() || in_memory(v)) return false;
    const ElementType t = f_.type(v).element_type();
    if (!is_integer(t) && !is_boolean(t)) return false;
  }
  return choice_cost(step.blocks[0]) + choice_cost(step.blocks[1]) <= kFreeChoice;
}

void EntryEmitter::emit_case(const Step& step) {
  if (is_choice(step)) {
    std::vector<std::vector<llvm::Value*>> values(2);
    for (size_t k = 0; k < 2; ++k) {
      emit_block(step.blocks[k]);
      for (const Value v : step.blocks[k].results) values[k].push_back(scalar(v));
    }
    llvm::Value* selector = scalar(f_.operand(step.op, 0));
    for (size_t i = 0; i < values[0].size(); ++i) {
      const Value result = f_.result(step.op, i);
      set_scalar(result, b_.CreateSelect(selector, values[0][i], values[1][i]));
      facts_.learn(result, facts_.range_when(f_.operand(step.op, 0), true, step.blocks[0].results[i])
                               .joined(facts_.range_when(f_.operand(step.op, 0), false, step.blocks[1].results[i])));
    }
    return;
  }
  const size_t n = f_.num_results(step.op);
  std::vector<llvm::AllocaInst*> variables(n, nullptr);
  for (size_t i = 0; i < n; ++i) {
    const Value result = f_.result(step.op, i);
    if (!in_memory(result) && !f_.type(result).is_token()) variables[i] = variable(result);
  }
  llvm::Value* selector = scalar(f_.operand(step.op, 0));
  auto* done = llvm::BasicBlock::Create(c_, "joined", fn_);
  std::vector<llvm::BasicBlock*> blocks;
  for (size_t i = 0; i < step.blocks.size(); ++i) blocks.push_back(llvm::BasicBlock::Create(c_, "branch", fn_));
  if (selector->getType()->isIntegerTy(1)) {
    b_.CreateCondBr(selector, blocks[0], blocks[1]);
  } else {
    auto* choice = b_.CreateSwitch(selector, blocks.back());  // out of range: the last branch (specification: case)
    for (size_t i = 0; i + 1 < blocks.size(); ++i) {
      choice->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(selector->getType(), i)), blocks[i]);
    }
  }
  std::vector<IntegerRange> ranges(n);
  for (size_t k = 0; k < blocks.size(); ++k) {
    b_.SetInsertPoint(blocks[k]);
    const IntegerFacts outside = facts_;
    if (step.blocks.size() == 2 && selector->getType()->isIntegerTy(1)) facts_.assume(f_.operand(step.op, 0), k == 0);
    emit_block(step.blocks[k]);
    for (size_t i = 0; i < n; ++i) {
      const IntegerRange r = facts_.range(step.blocks[k].results[i]);
      ranges[i] = k == 0 ? r : ranges[i].joined(r);
    }
    facts_ = outside;
    // Registers first: a copy below may write over what they are loaded from.
    std::vector<llvm::Value*> loaded(n, nullptr);
    for (size_t i = 0; i < n; ++i) {
      if (variables[i] != nullptr) loaded[i] = scalar(step.blocks[k].results[i]);
    }
    for (size_t i = 0; i < n; ++i) {
      if (loaded[i] != nullptr) b_.CreateStore(loaded[i], variables[i]);
    }
    copy_branch_results(step, step.blocks[k].results);
    b_.CreateBr(done);
  }
  for (size_t i = 0; i < n; ++i) facts_.learn(f_.result(step.op, i), ranges[i]);
  b_.SetInsertPoint(done);
}

void EntryEmitter::copy_branch_results(const Step& step, std::span<const Value> results) {
  struct Move {
    int to;
    int from;  // a buffer; -1: none that a copy could write over
    llvm::Value* source;
    size_t bytes;
  };
  std::vector<Move> moves;
  for (size_t i = 0; i < results.size(); ++i) {
    const int to = in_.memory.find(f_.result(step.op, i)), from = in_.memory.find(results[i]);
    if (to < 0 || to == from) continue;
    moves.push_back({to, from, address(results[i]), value_bytes(f_.type(results[i]))});
  }
  size_t saved = 0;
  while (!moves.empty()) {
    // One that writes over nothing that another has yet to read.
    auto next = std::ranges::find_if(moves, [&](const Move& move) {
      return std::ranges::none_of(moves, [&](const Move& m) { return &m != &move && m.from == move.to; });
    });
    if (next == moves.end()) {
      // A circle: what the first one writes over is saved behind the arena.
      next = moves.begin();
      if (in_.open != nullptr)
        throw Unsupported("[case] the native target cannot exchange buffers between branches with open extents",
                          f_.loc(step.op));
      llvm::Value* place = offset(workspace_, layout_.scratch_offset + saved);
      copy(place, address_of(next->to), next->bytes);
      for (Move& m : moves) {
        if (m.from != next->to) continue;
        m.from = -1;
        m.source = place;
      }
      saved += (next->bytes + 63) / 64 * 64;
      in_.step_scratch_bytes = std::max(in_.step_scratch_bytes, saved);
    }
    copy(address_of(next->to), next->source, next->bytes);
    moves.erase(next);
  }
}

void EntryEmitter::emit_lane_while(const Step& step) {
  const size_t n = f_.num_results(step.op);
  const auto operands = f_.operands(step.op);
  const auto& varies = f_.attrs(step.op).ints("varies");
  const int64_t lanes = num_elements(f_.attrs(step.op).ints("lanes"));
  const CarryPlan& carry = in_.memory.carries.at(step.op);
  const auto args = f_.args(step.blocks[0].region);
  std::vector<llvm::AllocaInst*> variables(operands.size(), nullptr);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (carry.buffers[i] < 0) variables[i] = local(register_type(f_.type(args[i])), "lane_carry");
  }
  // Initial carries that differ by lane move into the result's buffer, where each lane leaves its own.
  for (size_t i = 0; i < n; ++i) {
    if (varies[i] != 0) assign(nullptr, carry.lane_buffers[i], operands[i]);
  }
  counted(lanes, [&](llvm::Value* lane) {
    const auto part = [&](llvm::Value* base, size_t i) {
      return offset(base, b_.CreateMul(lane, number(value_bytes(f_.type(args[i])))));
    };
    for (size_t i = 0; i < operands.size(); ++i) {
      llvm::Value* from = nullptr;
      if (i < n && varies[i] != 0) {
        from = part(address_of(carry.lane_buffers[i]), i);
      } else {
        from = varies[i] != 0 ? part(address(operands[i]), i) : address(operands[i]);
      }
      if (variables[i] != nullptr) {
        b_.CreateStore(load(f_.type(args[i]), from), variables[i]);
      } else if (i < n) {
        copy(address_of(carry.buffers[i]), from, value_bytes(f_.type(args[i])));
      } else {
        b_.CreateStore(from, slots_[static_cast<size_t>(carry.buffers[i])]);
      }
    }
    loop(step, carry, variables);
    for (size_t i = 0; i < n; ++i) {
      llvm::Value* to = part(address_of(carry.lane_buffers[i]), i);
      if (variables[i] != nullptr) {
        store(f_.type(args[i]), b_.CreateLoad(variables[i]->getAllocatedType(), variables[i]), to);
      } else {
        copy(to, address_of(carry.buffers[i]), value_bytes(f_.type(args[i])));
      }
    }
  });
}

}  // namespace weft::native
