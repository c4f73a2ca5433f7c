// Loops, the variables that they bring, and arithmetic on indices.
#include "native/codegen/emitter.h"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstring>

namespace weft::codegen {

using llvm::Value;

std::vector<Value*> Emitter::loop(Value* low, Value* high, int64_t step, std::span<Value* const> carried,
                                  const Body& body) {
  Level* parent = current_;
  llvm::Instruction* rest = parent->at;
  llvm::BasicBlock* before = rest->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(rest, "after");
  llvm::BasicBlock* header = llvm::BasicBlock::Create(context(), "loop", &function_, after);
  llvm::BasicBlock* block = llvm::BasicBlock::Create(context(), "body", &function_, after);
  before->getTerminator()->setSuccessor(0, header);

  llvm::IRBuilder<> b(header);
  llvm::PHINode* iv = b.CreatePHI(b.getInt64Ty(), 2, "i");
  iv->addIncoming(low, before);
  std::vector<Value*> phis;
  for (Value* c : carried) {
    llvm::PHINode* p = b.CreatePHI(c->getType(), 2);
    p->addIncoming(c, before);
    phis.push_back(p);
  }
  b.CreateCondBr(b.CreateICmpSLT(iv, high), block, after);
  b.SetInsertPoint(block);

  Level* level = enter(before, b.CreateBr(header));
  const std::vector<Value*> next = body(level, iv, phis);
  b.SetInsertPoint(level->at);
  iv->addIncoming(b.CreateAdd(iv, b.getInt64(static_cast<uint64_t>(step)), "", true, true), level->at->getParent());
  for (size_t i = 0; i < phis.size(); ++i)
    llvm::cast<llvm::PHINode>(phis[i])->addIncoming(next[i], level->at->getParent());
  leave(level);
  parent->at = rest;
  current_ = parent;
  return phis;
}

std::vector<Value*> Emitter::repeat(std::span<Value* const> carried, const RepeatBody& body) {
  Level* parent = current_;
  llvm::Instruction* rest = parent->at;
  llvm::BasicBlock* before = rest->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(rest, "after");
  llvm::BasicBlock* block = llvm::BasicBlock::Create(context(), "repeat", &function_, after);
  before->getTerminator()->setSuccessor(0, block);
  llvm::IRBuilder<> b(block);
  std::vector<Value*> phis;
  for (Value* c : carried) {
    llvm::PHINode* p = b.CreatePHI(c->getType(), 2);
    p->addIncoming(c, before);
    phis.push_back(p);
  }
  Level* level = enter(before, b.CreateBr(after));
  const auto [next, again] = body(level, phis);
  llvm::BasicBlock* last = level->at->getParent();
  level->at->eraseFromParent();
  b.SetInsertPoint(last);
  b.CreateCondBr(again, block, after);
  for (size_t i = 0; i < phis.size(); ++i) llvm::cast<llvm::PHINode>(phis[i])->addIncoming(next[i], last);
  leave(level);
  parent->at = rest;
  current_ = parent;
  return next;
}

void Emitter::branch(Value* condition, const std::function<void(Level*)>& body) {
  Level* parent = current_;
  llvm::Instruction* rest = parent->at;
  llvm::BasicBlock* before = rest->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(rest, "after");
  llvm::BasicBlock* block = llvm::BasicBlock::Create(context(), "then", &function_, after);
  before->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> b(before);
  b.CreateCondBr(condition, block, after);
  b.SetInsertPoint(block);
  Level* level = enter(before, b.CreateBr(after));
  body(level);
  leave(level);
  parent->at = rest;
  current_ = parent;
}

void Emitter::lane_loop(Value* low, Value* high, int64_t extent, int count, bool whole, bool narrow_memory,
                        const std::function<void(const Expr&)>& body) {
  const Lanes outer = lanes;
  const Range range{0, extent - 1};
  // Chunks are multiples of the lanes mostly.
  const auto* product = llvm::dyn_cast<llvm::BinaryOperator>(low);
  const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(
      product != nullptr && product->getOpcode() == llvm::Instruction::Mul ? product->getOperand(1) : low);
  const bool is_aligned = factor != nullptr && factor->getSExtValue() % count == 0;
  auto run = [&](Level* level, Value* base, int n, Value* active) {
    const AtomId a = variable(base, level, range, n, is_aligned && n == count);
    lanes = {a, n, active, level};
    body(Expr::atom(a));
    lanes = outer;
  };
  auto ramp = [&](unsigned bits) {
    std::vector<llvm::Constant*> steps;
    llvm::Type* t = llvm::Type::getIntNTy(context(), bits);
    for (int i = 0; i < count; ++i) steps.push_back(llvm::ConstantInt::get(t, static_cast<uint64_t>(i)));
    return llvm::ConstantVector::get(steps);
  };
  llvm::IRBuilder<> b = at(current_);
  const bool can_mask = options_.isa.has_masks || (!narrow_memory && options_.isa.has_gather);
  if (whole && extent <= count && (extent == count || can_mask)) {
    Value* active = nullptr;
    if (extent < count) {
      Value* limit = llvm::ConstantInt::get(codegen::with_lanes(b.getInt32Ty(), count), static_cast<uint64_t>(extent));
      active = b.CreateICmpULT(ramp(32), limit);
    }
    run(current_, low, count, active);
    return;
  }
  auto block = [&](Value* from, Value* to, int n) {
    loop(from, to, n, {}, [&](Level* level, Value* i, std::span<Value* const>) {
      run(level, i, n, nullptr);
      return std::vector<Value*>{};
    });
  };
  if (count == 1) {
    block(low, high, 1);
    return;
  }
  Value* full = high;
  const bool has_tail = extent % count != 0;
  if (has_tail) {
    Value* rest = b.CreateAnd(b.CreateSub(high, low), b.getInt64(static_cast<uint64_t>(count - 1)));
    full = b.CreateSub(high, rest);
  }
  if (extent >= count) block(low, full, count);
  if (!has_tail) return;
  if (!can_mask) {
    block(extent >= count ? full : low, high, 1);
    return;
  }
  b.SetInsertPoint(current_->at);
  branch(b.CreateICmpSLT(full, high), [&](Level* level) {
    llvm::IRBuilder<> in = at(level);
    Value* left = in.CreateTrunc(in.CreateSub(high, full), in.getInt32Ty());
    run(level, full, count, in.CreateICmpULT(ramp(32), in.CreateVectorSplat(static_cast<unsigned>(count), left)));
  });
}

Level* Emitter::enter(llvm::BasicBlock* before, llvm::Instruction* at) {
  levels_.push_back(std::make_unique<Level>());
  Level* level = levels_.back().get();
  level->parent = current_;
  level->depth = current_->depth + 1;
  level->at = at;
  current_->at = before->getTerminator();
  current_ = level;
  return level;
}

void Emitter::leave(Level* level) {
  std::erase_if(memo_, [&](const auto& e) { return e.second.level == level; });
  std::erase_if(rows_, [&](const auto& e) { return e.second.level == level; });
  std::erase_if(sums_, [&](const auto& e) { return e.second.second == level; });
  std::erase_if(tiles_, [&](const auto& e) { return e.second.level == level; });
  std::erase_if(vectors_, [&](const auto& e) { return e.second.second == level; });
  std::erase_if(splats_, [&](const auto& e) { return e.second.second == level; });
  std::erase_if(checks_, [&](const auto& e) { return e.second.second == level; });
  std::erase_if(ands_, [&](const auto& e) { return e.second.second == level; });
  std::erase_if(clamped_, [&](const auto& e) { return atom(e.second).level == level; });
}

void Emitter::set_atom(AtomId a, AtomData d) {
  if (static_cast<size_t>(a) >= atoms_.size()) atoms_.resize(static_cast<size_t>(a) + 1);
  atoms_[static_cast<size_t>(a)] = d;
}

AtomId Emitter::variable(Value* value, Level* level, Range range, int lanes, bool is_aligned) {
  const AtomId a = new_atom(range);
  set_atom(a, {level, value, lanes, true, is_aligned, {}, 0});
  return a;
}

AtomId Emitter::opaque(Value* value, Level* level, Range range, int lanes) {
  const AtomId a = new_atom(range);
  set_atom(a, {level, value, lanes, lanes == 1, false, {}, 0});
  return a;
}

// ---- index arithmetic

Level* Emitter::level_of(const Expr& e) const {
  Level* level = const_cast<Level*>(&top_);
  for (const auto& [a, c] : e.terms) level = deeper(level, atom(a).level);
  return level;
}

bool Emitter::varies_by_lane(const Expr& e) const {
  return std::any_of(e.terms.begin(), e.terms.end(), [&](const auto& t) { return atom(t.first).lanes > 1; });
}

Value* Emitter::scalar_of(const Expr& e) {
  auto terms = e.terms;
  std::stable_sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) {
    return atom(a.first).level->depth < atom(b.first).level->depth;
  });
  llvm::Type* i64 = llvm::Type::getInt64Ty(context());
  Value* sum = nullptr;
  Expr prefix;
  Level* level = &top_;
  for (const auto& [a, c] : terms) {
    prefix = prefix + Expr::atom(a) * c;
    level = deeper(level, atom(a).level);
    if (auto it = sums_.find(prefix); it != sums_.end()) {
      sum = it->second.first;
      continue;
    }
    llvm::IRBuilder<> b = at(level);
    Value* term = atom(a).value;
    if (c != 1) term = b.CreateMul(term, llvm::ConstantInt::getSigned(i64, c));
    sum = sum == nullptr ? term : b.CreateAdd(sum, term);
    sums_[prefix] = {sum, level};
  }
  if (sum == nullptr) return llvm::ConstantInt::getSigned(i64, e.constant);
  if (e.constant == 0) return sum;
  if (auto it = sums_.find(e); it != sums_.end()) return it->second.first;
  sum = at(level).CreateAdd(sum, llvm::ConstantInt::getSigned(i64, e.constant));
  sums_[e] = {sum, level};
  return sum;
}

Value* Emitter::vector_of(const Expr& e, int count, unsigned bits) {
  const auto key = std::make_pair(e, bits);
  if (auto it = vectors_.find(key); it != vectors_.end()) return it->second.first;
  Expr base(e.constant), outer(e.constant);
  int64_t slope = 0;
  std::vector<std::pair<AtomId, int64_t>> vectors;
  for (const auto& [a, c] : e.terms) {
    if (atom(a).is_linear) {
      base = base + Expr::atom(a) * c;
      if (atom(a).lanes > 1) slope += c;
    } else {
      vectors.push_back({a, c});
    }
  }
  Level* level = level_of(e);
  llvm::IRBuilder<> b = at(level);
  llvm::Type* scalar_type = b.getIntNTy(bits);
  llvm::Type* type = codegen::with_lanes(scalar_type, count);
  Value* v = nullptr;
  if (!base.is_constant() || base.constant != 0 || vectors.empty()) {
    Value* s = scalar_of(base);
    Level* base_level = level_of(base);
    llvm::IRBuilder<> at_base = at(base_level);
    v = at_base.CreateVectorSplat(static_cast<unsigned>(count), at_base.CreateTrunc(s, scalar_type));
    b.SetInsertPoint(level->at);
  }
  if (slope != 0) {
    std::vector<llvm::Constant*> steps;
    for (int i = 0; i < count; ++i) steps.push_back(llvm::ConstantInt::getSigned(scalar_type, i * slope));
    Value* ramp = llvm::ConstantVector::get(steps);
    v = v == nullptr ? ramp : b.CreateAdd(v, ramp);
  }
  for (const auto& [a, c] : vectors) {
    Value* x = b.CreateSExtOrTrunc(atom(a).value, type);
    if (c != 1) x = b.CreateMul(x, llvm::ConstantInt::getSigned(type, c));
    v = v == nullptr ? x : b.CreateAdd(v, x);
  }
  vectors_[key] = {v, level};
  return v;
}

void Emitter::on_division(AtomId a, const Expr& e, int64_t divisor) {
  Level* level = level_of(e);
  const bool by_lane = varies_by_lane(e);
  Value* x = by_lane ? vector_of(e, lanes.count, range(e).high <= INT32_MAX ? 32 : 64) : scalar_of(e);
  Value* q = at(level).CreateUDiv(x, llvm::ConstantInt::get(x->getType(), static_cast<uint64_t>(divisor)));
  set_atom(a, {level, q, by_lane ? lanes.count : 1, !by_lane, false, e, divisor});
}

void Emitter::on_name(AtomId a, const Expr& e) { set_atom(a, {level_of(e), scalar_of(e), 1, true, false, {}, 0}); }

Expr Emitter::limited(weft::Value v, const Index& index, int64_t low, int64_t high) {
  const Val s = eval(v, index, structural_mask_);
  const auto key = std::make_tuple(s.v, low, high);
  if (auto it = clamped_.find(key); it != clamped_.end()) return Expr::atom(it->second);
  const ElementType t = kernel_.type(v).element_type();
  const bool is_signed = is_signed_integer(t);
  llvm::IRBuilder<> b = at(s.level);
  const bool narrow = s.lanes > 1 && bit_width(t) <= (is_signed ? 32 : 31) && high <= INT32_MAX;
  llvm::Type* type = codegen::with_lanes(b.getIntNTy(narrow ? 32 : 64), s.lanes);
  Value* x = b.CreateIntCast(s.v, type, is_signed);
  Value* top = llvm::ConstantInt::getSigned(type, high);
  if (is_signed) x = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, llvm::ConstantInt::getSigned(type, low));
  x = b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, top);
  const AtomId a = opaque(x, s.level, {low, high}, s.lanes);
  clamped_[key] = a;
  return Expr::atom(a);
}

}  // namespace weft::codegen
