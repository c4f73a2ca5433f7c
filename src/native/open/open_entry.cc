// The parts of the entry that open extents change: numbers of the call, the arena's pools, kernels whose units are counted in
// the call, and library calls that are prepared for the extents at hand.
#include "native/open/open_entry.h"

#include <algorithm>

#include "native/codegen/entry_emitter.h"
#include "native/open/open_emitter.h"

namespace weft::native {
namespace {

/// As entry.cc: below this a kernel runs on the calling thread, and no part is smaller than kMinPartNs.
constexpr uint64_t kSerialNs = 8000, kMinPartNs = 4000;

bool holds_names(Type t, const ExtentNames& names) {
  if (t.is_stack() && holds_names(t.stacked(), names)) return true;
  return (t.is_tensor() || t.is_stack()) && names.any_open(t.shape());
}

bool holds_names(const Attrs& attrs, const ExtentNames& names) {
  return std::ranges::any_of(attrs.entries(), [&](const auto& entry) {
    const auto* ints = entry.second.template get_if<std::vector<int64_t>>();
    const auto* n = entry.second.template get_if<int64_t>();
    return (ints != nullptr && names.any_open(*ints)) || (n != nullptr && names.is_open(*n));
  });
}

}  // namespace

bool has_open_numbers(const OpView& op, const ExtentNames& names) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (holds_names(op.operand_type(i), names)) return true;
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (holds_names(op.result_type(i), names)) return true;
  }
  if (holds_names(op.attrs(), names)) return true;
  for (RegionId r : op.regions()) {
    for (OpId inner : op.function.ops(r)) {
      if (has_open_numbers(OpView{op.function, inner}, names)) return true;
    }
  }
  return false;
}

bool has_open_numbers(const Function& f, const ExtentNames& names) {
  for (Value v : f.args()) {
    if (holds_names(f.type(v), names)) return true;
  }
  return std::ranges::any_of(f.ops(f.body()), [&](OpId op) { return has_open_numbers(OpView{f, op}, names); });
}

llvm::Value* EntryEmitter::number(int64_t n) {
  if (in_.open == nullptr) return b_.getInt64(static_cast<uint64_t>(n));
  return emit_number(b_, in_.open->names, workspace_, n);
}

llvm::Value* EntryEmitter::scratch() {
  return in_.open != nullptr ? pools_.back() : offset(workspace_, layout_.scratch_offset);
}

bool EntryEmitter::is_open(const Step& step) const {
  if (in_.open == nullptr) return false;
  if (step.kind == StepKind::kKernel) return has_open_numbers(*step.kernel.function, in_.open->names);
  return has_open_numbers(OpView{f_, step.op}, in_.open->names);
}

void EntryEmitter::place_pools() {
  llvm::Value* at = offset(workspace_, in_.open->arena.header_bytes);
  const OpenArena& arena = in_.open->arena;
  for (const OpenArena::Pool& pool : arena.pools) {
    llvm::Value* unit = number(pool.unit);
    if (arena.is_guarded) {
      llvm::Value* least = b_.CreateSelect(b_.CreateICmpEQ(unit, b_.getInt64(0)), b_.getInt64(OpenArena::kLeast), unit);
      llvm::Value* pages = b_.CreateAnd(b_.CreateAdd(least, b_.getInt64(OpenArena::kPage - 1)),
                                        ~static_cast<uint64_t>(OpenArena::kPage - 1));
      pools_.push_back(offset(at, b_.CreateSub(pages, least)));
      at = offset(at, b_.CreateAdd(pages, b_.getInt64(OpenArena::kPage)));
      continue;
    }
    pools_.push_back(at);
    unit = b_.CreateAnd(b_.CreateAdd(unit, b_.getInt64(63)), ~uint64_t{63});
    at = offset(at, b_.CreateMul(unit, b_.getInt64(static_cast<uint64_t>(pool.count))));
  }
  pools_.push_back(at);
}

llvm::Value* EntryEmitter::open_address(int buffer) {
  const OpenArena::Spot& spot = in_.open->arena.spots[static_cast<size_t>(buffer)];
  if (spot.first == 0) return pools_[spot.pool];
  const int64_t bytes = in_.open->arena.pools[spot.pool].unit;
  llvm::Value* unit = b_.CreateAnd(b_.CreateAdd(number(bytes), b_.getInt64(63)), ~uint64_t{63});
  return offset(pools_[spot.pool], b_.CreateMul(unit, b_.getInt64(static_cast<uint64_t>(spot.first))));
}

void EntryEmitter::emit_open_kernel(const Step& step) {
  const OpenKernelCode& code = in_.open->kernel(step);
  std::vector<llvm::Value*> pointers;
  for (Value v : step.kernel.inputs) pointers.push_back(address(v));
  for (Value v : step.kernel.outputs) pointers.push_back(address(v));
  run_open_kernel(code, pointers);
}

void EntryEmitter::run_open_kernel(const OpenKernelCode& code, std::vector<llvm::Value*> pointers) {
  pointers.push_back(workspace_);
  llvm::Value* table = pointer_table(pointers);
  llvm::Value* units = b_.CreateCall(code.units, {workspace_});
  llvm::Value* work = b_.CreateCall(code.work, {workspace_});
  llvm::Value* parts =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, units, b_.CreateUDiv(work, b_.getInt64(kMinPartNs)));
  parts = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, parts, b_.getInt64(static_cast<uint64_t>(in_.partitions)));
  llvm::Value* is_serial =
      b_.CreateOr(b_.CreateICmpULT(parts, b_.getInt64(2)), b_.CreateICmpULT(work, b_.getInt64(kSerialNs)));
  auto* serial = llvm::BasicBlock::Create(c_, "serial", fn_);
  auto* parallel = llvm::BasicBlock::Create(c_, "parallel", fn_);
  auto* done = llvm::BasicBlock::Create(c_, "done", fn_);
  b_.CreateCondBr(is_serial, serial, parallel);
  b_.SetInsertPoint(serial);
  b_.CreateCall(code.main, {table, b_.getInt64(0), units});
  b_.CreateBr(done);
  b_.SetInsertPoint(parallel);
  b_.CreateCall(runtime("weft_rt_parallel", b_.getVoidTy(), {ptr_, ptr_, i64_}), {code.part, table, parts});
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

// Where a kernel is faster than a library's call. By rows as in kernels/matmul.cc; plain loops only for few multiplications, or a matrix
// by a vector.
static llvm::Value* is_small(llvm::IRBuilder<>& b, const SmallProduct& p,
                             const std::function<llvm::Value*(int64_t)>& number) {
  constexpr uint64_t kSmallMatrix = 512, kSmallBatch = 4096, kLargeVector = 1 << 20;
  llvm::Value *rows = number(p.rows), *columns = number(p.columns), *depth = number(p.depth);
  llvm::Value* one = b.CreateMul(b.CreateMul(rows, columns), depth);
  const auto at_most = [&](llvm::Value* v, uint64_t n) { return b.CreateICmpULE(v, b.getInt64(n)); };
  llvm::Value* is_vector = b.CreateOr(at_most(rows, 1), at_most(columns, 1));
  if (p.code->is_by_rows) {
    constexpr uint64_t kNarrow = 16 * 16 * 16, kWide = 64 * 64 * 64, kFewRows = 32, kRightElements = 1 << 16;
    llvm::Value* is_thin = b.CreateOr(at_most(depth, p.is_narrow ? 1 : 8), at_most(rows, p.is_narrow ? 0 : 4));
    llvm::Value* is_few =
        b.CreateAnd(at_most(rows, p.is_narrow ? 0 : kFewRows), at_most(b.CreateMul(columns, depth), kRightElements));
    is_few = b.CreateAnd(is_few, b.CreateICmpEQ(b.CreateAnd(columns, b.getInt64(15)), b.getInt64(0)));
    is_few = b.CreateAnd(is_few, b.CreateICmpEQ(b.CreateAnd(rows, b.getInt64(3)), b.getInt64(0)));
    return b.CreateOr(b.CreateOr(is_vector, at_most(one, p.is_narrow ? kNarrow : kWide)), b.CreateOr(is_thin, is_few));
  }
  llvm::Value* all = b.CreateMul(one, number(p.batch));
  return b.CreateOr(b.CreateOr(at_most(one, kSmallMatrix), at_most(all, kSmallBatch)),
                    b.CreateAnd(is_vector, at_most(all, kLargeVector)));
}

void EntryEmitter::emit_open_library(const Step& step) {
  llvm::BasicBlock* done = nullptr;
  if (const SmallProduct* small = in_.open->small(step.library)) {
    auto* kernel = llvm::BasicBlock::Create(c_, "small", fn_);
    auto* library = llvm::BasicBlock::Create(c_, "library", fn_);
    done = llvm::BasicBlock::Create(c_, "done", fn_);
    b_.CreateCondBr(is_small(b_, *small, [this](int64_t n) { return number(n); }), kernel, library);
    b_.SetInsertPoint(kernel);
    std::vector<llvm::Value*> places;
    for (size_t i : small->inputs) places.push_back(address(step.kernel.inputs[i]));
    for (Value v : step.kernel.outputs) places.push_back(address(v));
    run_open_kernel(*small->code, places);
    b_.CreateBr(done);
    b_.SetInsertPoint(library);
  }
  std::vector<llvm::Value*> pointers;
  for (Value v : step.kernel.inputs) pointers.push_back(address(v));
  for (Value v : step.kernel.outputs) pointers.push_back(address(v));
  const int64_t at = site(step.op);
  auto* status = b_.CreateCall(runtime("weft_open_library", i32_, {ptr_, ptr_, ptr_, i64_, i64_, ptr_, ptr_}),
                               {host_, context_, workspace_, b_.getInt64(static_cast<uint64_t>(step.library)),
                                b_.getInt64(static_cast<uint64_t>(at)), pointer_table(pointers), scratch()});
  leave_if(b_.CreateICmpNE(status, b_.getInt32(0)));
  if (done == nullptr) return;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

}  // namespace weft::native
