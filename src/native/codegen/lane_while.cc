#include "native/codegen/lane_while.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "native/codegen/layout.h"
#include "native/codegen/reduce.h"

namespace weft::codegen {

using llvm::Value;

namespace {

constexpr int64_t kLanesPerUnit = 256;
constexpr size_t kSmallBody = 24;  // ops; such a body is repeated between two looks at the masks

struct LaneLayout {
  int64_t lanes = 1;
  size_t carries;
  std::vector<int64_t> varies;
  explicit LaneLayout(const OpView& op)
      : carries(static_cast<size_t>(op.attrs().integer("num_carries"))), varies(op.attrs().ints("varies")) {
    for (int64_t n : op.attrs().ints("lanes")) lanes *= n;
  }
};

size_t body_size(const OpView& op) {
  return op.function.ops(op.region(0)).size() + op.function.ops(op.region(1)).size();
}

/// A step takes about as long as what is done with masks.
bool is_short(const OpView& op) {
  constexpr double kFlops = 8;
  const auto is_costly = [&](OpId id) {
    const OpView inner{op.function, id};
    return !inner.def().is_terminator && !record(inner).cost.refused() &&
           record(inner).cost.rule()(inner).flops > kFlops;
  };
  return body_size(op) <= kSmallBody && std::ranges::none_of(op.function.ops(op.region(0)), is_costly) &&
         std::ranges::none_of(op.function.ops(op.region(1)), is_costly);
}

ElementType inner_type(const OpView& op, size_t i) {
  return op.function.type(op.function.args(op.region(1))[i]).element_type();
}

/// Lanes of one register of the type that most of the state has.
int lanes_of_register(const OpView& op, std::span<const size_t> in_state, const Isa& isa) {
  std::array<size_t, 9> count{};  // by bytes
  for (size_t i : in_state) ++count[std::max<size_t>(4, byte_size(compute_type(inner_type(op, i))))];
  return isa.vector_bytes / (count[8] > count[4] ? 8 : 4);
}

/// Elements [first, first + count) of a vector; all of them put together again.
Value* part_of(llvm::IRBuilder<>& b, Value* v, int first, int count) {
  std::vector<int> lanes(static_cast<size_t>(count));
  std::iota(lanes.begin(), lanes.end(), first);
  return b.CreateShuffleVector(v, lanes);
}
Value* joined(llvm::IRBuilder<>& b, std::vector<Value*> parts) {
  while (parts.size() > 1) {
    std::vector<Value*> pairs;
    const auto count = llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements();
    std::vector<int> lanes(2 * static_cast<size_t>(count));
    std::iota(lanes.begin(), lanes.end(), 0);
    for (size_t i = 0; i < parts.size(); i += 2) pairs.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], lanes));
    parts = std::move(pairs);
  }
  return parts[0];
}

}  // namespace

bool can_root_lane_while(const OpView& op, std::string* reason) {
  for (RegionId r : op.regions()) {
    for (weft::Value v : op.function.args(r)) {
      const Type t = op.function.type(v);
      if (t.is_tensor() && t.rank() == 0 && !is_complex(t.element_type())) continue;
      if (reason != nullptr) *reason = "a lane carries more than real scalars";
      return false;
    }
    if (!is_scalar_region(op.function, r, reason)) return false;
  }
  return true;
}

void plan_lane_while(const OpView& op, const KernelOptions& options, Segment& s) {
  const LaneLayout layout(op);
  // As many lanes as keep the state of a block in two thirds of the registers.
  size_t bytes = 0;
  for (size_t i = 0; i < layout.varies.size(); ++i) {
    if (i < layout.carries || layout.varies[i] != 0) bytes += byte_size(compute_type(inner_type(op, i)));
  }
  int lanes = 64;
  const size_t budget =
      static_cast<size_t>(options.isa.registers) * static_cast<size_t>(options.isa.vector_bytes) * 2 / 3;
  while (lanes > 4 && static_cast<size_t>(lanes) * bytes > budget) lanes /= 2;
  s.lanes = lanes_for_extent(layout.lanes, lanes);
  s.chunk = kLanesPerUnit;
  s.units = (layout.lanes + kLanesPerUnit - 1) / kLanesPerUnit;
  s.work_per_unit = static_cast<double>(kLanesPerUnit * static_cast<int64_t>(body_size(op)));
}

void emit_lane_while(Emitter& e, const OpView& op, std::span<Value* const> outputs, const Segment& s, Value* begin,
                     Value* end) {
  const LaneLayout layout(op);
  const size_t operands = layout.varies.size(), carries = layout.carries;
  const int width = s.lanes;
  llvm::IRBuilder<> top = e.at(e.current());
  llvm::Type* i64 = top.getInt64Ty();
  const bool narrow = layout.lanes <= INT32_MAX;
  llvm::Type* number_type = with_lanes(narrow ? top.getInt32Ty() : i64, width);
  llvm::Type* mask_type = with_lanes(top.getInt1Ty(), width);
  auto constant = [&](int64_t v) { return llvm::ConstantInt::getSigned(i64, v); };
  Value* first = top.CreateMul(begin, constant(s.chunk));
  Value* limit =
      top.CreateBinaryIntrinsic(llvm::Intrinsic::smin, top.CreateMul(end, constant(s.chunk)), constant(layout.lanes));

  // State of a block: next lane to admit, lanes at work, their numbers, then carries and what else varies by lane.
  std::vector<Val> uniform(operands);
  std::vector<size_t> in_state;
  for (size_t i = 0; i < operands; ++i) {
    if (layout.varies[i] == 0) uniform[i] = e.eval(op.operand(i), {}, {});
    if (i < carries || layout.varies[i] != 0) in_state.push_back(i);
  }
  std::vector<Value*> start = {first, llvm::Constant::getNullValue(mask_type),
                               llvm::Constant::getNullValue(number_type)};
  for (size_t i : in_state)
    start.push_back(llvm::Constant::getNullValue(with_lanes(register_type(e.context(), inner_type(op, i)), width)));

  std::vector<llvm::Constant*> ramp;
  for (int i = 0; i < width; ++i)
    ramp.push_back(llvm::ConstantInt::get(number_type->getScalarType(), static_cast<uint64_t>(i)));
  llvm::Constant* numbers = width == 1 ? ramp[0] : llvm::ConstantVector::get(ramp);
  auto* table =
      new llvm::GlobalVariable(e.module(), number_type, true, llvm::GlobalValue::PrivateLinkage, numbers, "ramp");

  auto splat = [&](llvm::IRBuilder<>& b, Value* v) {
    return width == 1 ? v : b.CreateVectorSplat(static_cast<unsigned>(width), v);
  };
  auto bits = [&](llvm::IRBuilder<>& b, Value* mask) {
    return b.CreateZExt(width == 1 ? mask : b.CreateBitCast(mask, b.getIntNTy(static_cast<unsigned>(width))), i64);
  };
  auto count = [&](llvm::IRBuilder<>& b, Value* mask) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits(b, mask));
  };
  // Elements p[0], p[1], … into the lanes of `mask`, in order.
  auto expand = [&](llvm::IRBuilder<>& b, llvm::Type* type, Value* p, Value* mask, Value* old) -> Value* {
    if (width == 1) return b.CreateSelect(mask, b.CreateLoad(type, p), old);
    return b.CreateIntrinsic(llvm::Intrinsic::masked_expandload, {type}, {p, mask, old});
  };

  // Registers of lanes go through a short loop side by side, so that their masks are registers of their own: taking a mask of many
  // lanes apart and putting it together takes as long as a step. In long bodies wide vectors have instructions in better order.
  const int part = is_short(op) ? std::min(width, lanes_of_register(op, in_state, e.options().isa)) : width;
  const auto parts = static_cast<size_t>(width / part);
  const auto split = [&](llvm::IRBuilder<>& b, Value* v, size_t p) {
    return parts == 1 ? v : part_of(b, v, static_cast<int>(p) * part, part);
  };

  e.branch(top.CreateICmpSLT(first, limit), [&](Level*) {
    e.repeat(start, [&](Level* level, std::span<Value* const> phis) {
      llvm::IRBuilder<> b = e.at(level);
      Value *next = phis[0], *active = phis[1], *number = phis[2];
      std::vector<Value*> state(phis.begin() + 3, phis.end());

      // Admit waiting lanes to the free places.
      Value* free = b.CreateNot(active);
      Value* waiting = b.CreateSub(limit, next);
      Value* take = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count(b, free), waiting);
      Value* rank = expand(b, number_type, table, free, llvm::Constant::getNullValue(number_type));
      auto narrowed = [&](Value* v) { return splat(b, narrow ? b.CreateTrunc(v, b.getInt32Ty()) : v); };
      Value* admitted = b.CreateAnd(free, b.CreateICmpULT(rank, narrowed(take)));
      number = b.CreateSelect(admitted, b.CreateAdd(narrowed(next), rank), number);
      const Lanes open = e.lanes;
      const AtomId atom = e.opaque(number, level, {0, layout.lanes - 1}, width);
      e.lanes = {atom, width, admitted, level};
      for (size_t k = 0; k < in_state.size(); ++k) {
        const size_t i = in_state[k];
        const Type from = op.operand_type(i);
        const ElementType t = inner_type(op, i);
        const bool is_argument = !e.kernel().defining_op(op.operand(i));
        b.SetInsertPoint(level->at);
        if (layout.varies[i] != 0 && is_argument && compute_type(t) == t && byte_size(t) >= 4) {
          Value* p = b.CreateGEP(memory_type(e.context(), t), e.buffer(e.kernel().position(op.operand(i))), next);
          state[k] = expand(b, state[k]->getType(), p, admitted, state[k]);
          continue;
        }
        const Val v = layout.varies[i] == 0
                          ? uniform[i]
                          : e.eval(op.operand(i),
                                   from.num_elements() == 1 ? Index{} : Index{{layout.lanes, Expr::atom(atom)}}, {});
        Value* x = e.spread(v, width).v;
        b.SetInsertPoint(level->at);
        state[k] = b.CreateSelect(admitted, x, state[k]);
      }
      e.lanes = open;
      b.SetInsertPoint(level->at);
      active = b.CreateOr(active, admitted);
      next = b.CreateAdd(next, take);
      // Go on until a quarter of the lanes is free and others wait, or until all are done.
      Value* enough =
          b.CreateSelect(b.CreateICmpSLT(next, limit), constant(width - std::max(1, width / 4)), constant(0));

      // Part by part: its lanes at work, then its state.
      const size_t stride = 1 + in_state.size();
      std::vector<Value*> inner;
      for (size_t p = 0; p < parts; ++p) {
        inner.push_back(split(b, active, p));
        for (Value* v : state) inner.push_back(split(b, v, p));
      }
      const auto whole = [&](llvm::IRBuilder<>& to, std::span<Value* const> values, size_t k) {
        std::vector<Value*> all;
        for (size_t p = 0; p < parts; ++p) all.push_back(values[p * stride + k]);
        return joined(to, std::move(all));
      };
      const int repeats = body_size(op) <= kSmallBody ? 4 : 1;
      const std::vector<Value*> pieces = e.repeat(inner, [&](Level* hot, std::span<Value* const> now) {
        std::vector<Value*> values(now.begin(), now.end());
        for (int r = 0; r < repeats; ++r) {
          for (size_t p = 0; p < parts; ++p) {
            const std::span<Value*> mine = std::span(values).subspan(p * stride, stride);
            std::vector<Val> args = uniform;
            for (size_t k = 0; k < in_state.size(); ++k) args[in_state[k]] = {mine[1 + k], nullptr, hot, part};
            const Val goes = e.spread(e.eval_region(op.region(0), args)[0], part);
            mine[0] = e.at(hot).CreateAnd(mine[0], goes.v);
            const std::vector<Val> results = e.eval_region(op.region(1), args);
            for (size_t c = 0; c < carries; ++c) {  // carries come first in the state
              Value* next_value = e.spread(results[c], part).v;
              // What nobody reads may go on in lanes that are done.
              mine[1 + c] =
                  outputs[c] == nullptr ? next_value : e.at(hot).CreateSelect(mine[0], next_value, mine[1 + c]);
            }
          }
        }
        llvm::IRBuilder<> h = e.at(hot);
        Value* again = h.CreateICmpSGT(count(h, whole(h, values, 0)), enough);
        return std::make_pair(values, again);
      });
      b.SetInsertPoint(level->at);
      std::vector<Value*> after;
      for (size_t k = 0; k < stride; ++k) after.push_back(whole(b, pieces, k));

      // Write what has finished.
      Value* running = after[0];
      b.SetInsertPoint(level->at);
      Value* done = b.CreateAnd(active, b.CreateNot(running));
      const AtomId place = e.opaque(number, level, {0, layout.lanes - 1}, width);
      e.lanes = {place, width, done, level};
      for (size_t c = 0; c < carries; ++c) {
        if (outputs[c] == nullptr) continue;
        const Val v{after[1 + c], nullptr, level, width};
        if (width == 1) {
          e.store(level, outputs[c], inner_type(op, c), Expr::atom(place), v, {done, level, nullptr, nullptr});
        } else {
          e.store(level, outputs[c], inner_type(op, c), Expr::atom(place), v, {});
        }
      }
      e.lanes = open;
      b.SetInsertPoint(level->at);
      Value* again = b.CreateOr(b.CreateICmpNE(bits(b, running), constant(0)), b.CreateICmpSLT(next, limit));
      std::vector<Value*> out = {next, running, number};
      out.insert(out.end(), after.begin() + 1, after.end());
      return std::make_pair(out, again);
    });
  });
}

}  // namespace weft::codegen
