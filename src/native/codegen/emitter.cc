#include "native/codegen/emitter.h"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstring>

#include "native/codegen/contraction.h"
#include "ops/families.h"

namespace weft::codegen {

using llvm::Value;

Emitter::Emitter(llvm::Module& module, llvm::Function& function, const Function& kernel, const KernelOptions& options)
    : module_(module), function_(function), kernel_(kernel), options_(options) {
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context(), "entry", &function_);
  top_.at = llvm::ReturnInst::Create(context(), entry);
  current_ = &top_;
}

// ---- loops

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

  levels_.push_back(std::make_unique<Level>());
  Level* level = levels_.back().get();
  level->parent = parent;
  level->depth = parent->depth + 1;
  level->at = b.CreateBr(header);
  parent->at = before->getTerminator();
  current_ = level;
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
  levels_.push_back(std::make_unique<Level>());
  Level* level = levels_.back().get();
  level->parent = parent;
  level->depth = parent->depth + 1;
  level->at = b.CreateBr(after);
  parent->at = before->getTerminator();
  current_ = level;
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
  levels_.push_back(std::make_unique<Level>());
  Level* level = levels_.back().get();
  level->parent = parent;
  level->depth = parent->depth + 1;
  level->at = b.CreateBr(after);
  parent->at = before->getTerminator();
  current_ = level;
  body(level);
  leave(level);
  parent->at = rest;
  current_ = parent;
}

void Emitter::lane_loop(Value* low, Value* high, int64_t extent, int count, bool whole, bool narrow_memory,
                        const std::function<void(const Expr&)>& body) {
  const Lanes outer = lanes;
  const Range range{0, extent - 1};
  auto run = [&](Level* level, Value* base, int n, Value* active) {
    const AtomId a = variable(base, level, range, n);
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

AtomId Emitter::variable(Value* value, Level* level, Range range, int lanes) {
  const AtomId a = new_atom(range);
  set_atom(a, {level, value, lanes, true});
  return a;
}

AtomId Emitter::opaque(Value* value, Level* level, Range range, int lanes) {
  const AtomId a = new_atom(range);
  set_atom(a, {level, value, lanes, lanes == 1});
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
  set_atom(a, {level, q, by_lane ? lanes.count : 1, !by_lane});
}

void Emitter::on_name(AtomId a, const Expr& e) { set_atom(a, {level_of(e), scalar_of(e), 1, true}); }

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

// ---- values

Val Emitter::constant(ElementType t, uint64_t bits) {
  llvm::Value* v = register_constant(context(), part_type(t), bits, 1);
  return {v, is_complex(t) ? v : nullptr, &top_, 1};
}

Val Emitter::convert(const Val& v, ElementType from, ElementType to) {
  if (from == to) return v;
  llvm::IRBuilder<> b = at(v.level);
  Val r{emit_convert(b, v.v, part_type(from), part_type(to), v.lanes), nullptr, v.level, v.lanes};
  if (is_complex(to)) {
    r.im = is_complex(from) ? emit_convert(b, v.im, part_type(from), part_type(to), v.lanes)
                            : llvm::Constant::getNullValue(r.v->getType());
  }
  return r;
}

Val Emitter::spread(const Val& v, int count) {
  if (v.lanes == count || count == 1) return v;
  auto splat = [&](Value* x) -> Value* {
    if (x == nullptr) return nullptr;
    if (auto* c = llvm::dyn_cast<llvm::Constant>(x)) {
      return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(count)), c);
    }
    auto& slot = splats_[{x, count}];
    if (slot.first == nullptr) slot = {at(v.level).CreateVectorSplat(static_cast<unsigned>(count), x), v.level};
    return slot.first;
  };
  return {splat(v.v), splat(v.im), v.level, count};
}

Mask Emitter::both(const Mask& a, const Mask& b) {
  auto conjunction = [&](Value* x, Level* xl, Value* y, Level* yl) -> std::pair<Value*, Level*> {
    if (x == nullptr) return {y, yl};
    if (y == nullptr || x == y) return {x, xl};
    auto& slot = ands_[{x, y}];
    if (slot.first == nullptr) {
      Level* level = deeper(xl, yl);
      slot = {at(level).CreateAnd(x, y), level};
    }
    return slot;
  };
  Mask m;
  std::tie(m.scalar, m.scalar_level) = conjunction(a.scalar, a.scalar_level, b.scalar, b.scalar_level);
  std::tie(m.vector, m.vector_level) = conjunction(a.vector, a.vector_level, b.vector, b.vector_level);
  return m;
}

Mask Emitter::bounds(std::span<const Bound> bounds) {
  Mask all;
  for (const Bound& bound : bounds) {
    const bool by_lane = varies_by_lane(bound.expr);
    auto& slot = checks_[{bound.expr, bound.low, bound.high}];
    if (slot.first == nullptr) {
      Level* level = level_of(bound.expr);
      const Range r = range(bound.expr);
      const Expr shifted = bound.expr + -bound.low;
      const bool narrow = r.low - bound.low >= INT32_MIN / 2 && r.high - bound.low <= INT32_MAX / 2 &&
                          bound.high - bound.low <= INT32_MAX;
      Value* x = by_lane ? vector_of(shifted, lanes.count, narrow ? 32 : 64) : scalar_of(shifted);
      llvm::IRBuilder<> b = at(level);
      slot = {b.CreateICmpULT(x, llvm::ConstantInt::get(x->getType(), static_cast<uint64_t>(bound.high - bound.low))),
              level};
    }
    const Mask one =
        by_lane ? Mask{nullptr, nullptr, slot.first, slot.second} : Mask{slot.first, slot.second, nullptr, nullptr};
    all = both(all, one);
  }
  return all;
}

Value* Emitter::lane_mask(const Mask& mask, int count, Level** level) {
  Mask m = mask;
  if (count > 1 && lanes.active != nullptr) m = both(m, {nullptr, nullptr, lanes.active, lanes.level});
  if (count == 1) {
    if (m.scalar != nullptr) *level = deeper(*level, m.scalar_level);
    return m.scalar;
  }
  if (m.scalar != nullptr) {
    const Val s = spread({m.scalar, nullptr, m.scalar_level, 1}, count);
    m = both({nullptr, nullptr, m.vector, m.vector_level}, {nullptr, nullptr, s.v, s.level});
  }
  if (m.vector != nullptr) *level = deeper(*level, m.vector_level);
  return m.vector;
}

Val Emitter::select(const Mask& mask, const Val& a, const Val& b) {
  if (mask.none()) return a;
  Val r;
  r.lanes = std::max({a.lanes, b.lanes, mask.vector != nullptr ? lanes.count : 1});
  r.level = deeper(a.level, b.level);
  const Val x = spread(a, r.lanes), y = spread(b, r.lanes);
  auto pick = [&](Value* c, Level* level, int count) {
    r.level = deeper(r.level, level);
    if (r.lanes > count) c = spread({c, nullptr, level, 1}, r.lanes).v;
    return c;
  };
  Value* condition = nullptr;
  if (mask.scalar != nullptr) condition = pick(mask.scalar, mask.scalar_level, 1);
  if (mask.vector != nullptr) {
    Value* c = pick(mask.vector, mask.vector_level, lanes.count);
    condition = condition == nullptr ? c : at(r.level).CreateAnd(condition, c);
  }
  llvm::IRBuilder<> builder = at(r.level);
  r.v = builder.CreateSelect(condition, x.v, y.v);
  if (x.im != nullptr) r.im = builder.CreateSelect(condition, x.im, y.im);
  return r;
}

Val Emitter::choose(Level* level, Value* condition, const Val& a, const Val& b) const {
  llvm::IRBuilder<> builder = at(level);
  Val r{builder.CreateSelect(condition, a.v, b.v), nullptr, level, a.lanes};
  if (a.im != nullptr) r.im = builder.CreateSelect(condition, a.im, b.im);
  return r;
}

Val Emitter::eval(weft::Value v, const Index& index, const Mask& mask) {
  if (auto it = bound_.find(v.index); it != bound_.end()) return it->second;
  if (!mask.none()) {
    if (auto it = memo_.find(Key{v.index, index, nullptr, nullptr}); it != memo_.end()) return it->second;
  }
  const Key key{v.index, index, mask.scalar, mask.vector};
  if (auto it = memo_.find(key); it != memo_.end()) return it->second;
  const Val r = compute(v, index, mask);
  memo_[key] = r;
  return r;
}

Val Emitter::compute(weft::Value v, const Index& index, const Mask& mask) {
  const Type type = kernel_.type(v);
  const OpId id = kernel_.defining_op(v);
  if (!id) return load(buffer(kernel_.position(v)), type.element_type(), linear(index), type.num_elements(), mask);
  const OpView op{kernel_, id};
  if (const Structural kind = structural_kind(op.def()); kind != Structural::kNone)
    return eval_structural(op, kind, index, mask);
  if (op.def().mnemonic == "stablehlo.constant") return eval_constant(op, index, mask);
  if (op.def().mnemonic == "stablehlo.iota") return eval_iota(op, index);
  if (is_loop(op)) {
    const std::vector<Val> results = eval_results(id, index, mask);
    for (size_t i = 0; i < results.size(); ++i)
      memo_[Key{op.result(i).index, index, mask.scalar, mask.vector}] = results[i];
    return results[kernel_.position(v)];
  }
  const bool keeps = is_kept(v, index, mask);
  if (keeps) {
    const auto row = rows_.find({v.index, linear(Index(index.begin(), index.end() - 1))});
    if (row != rows_.end()) {
      const Factor& place = index.back();
      return load(row->second.buffer, compute_type(type.element_type()), place.expr, place.extent, {},
                  row->second.level);
    }
  }
  std::vector<Val> args;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const bool is_scalar = op.operand_type(i).rank() == 0;
    args.push_back(eval(op.operand(i), is_scalar ? Index{} : index, is_scalar ? Mask{} : mask));
  }
  const Val r = eval_elementwise(op, args);
  if (keeps && pass.extent == index.back().extent && pass.variable == index.back().expr) {
    if (llvm::Value* buffer = row_buffer(v)) {
      store(current_, buffer, compute_type(type.element_type()), pass.variable, spread(r, lanes.count), {});
      pass.kept.push_back({v.index, linear(Index(index.begin(), index.end() - 1))});
    }
  }
  return r;
}

namespace {

/// Rows are short enough for the stack of any thread.
constexpr size_t kMaxRowBytes = 48 << 10;

/// Worth more than a write and a read of memory nearby.
bool is_costly(const OpView& op) {
  constexpr double kFlops = 8;
  if (op.num_results() != 1 || record(op).scalar.refused() || record(op).cost.refused()) return false;
  const auto elements = static_cast<double>(std::max<int64_t>(1, op.result_type().num_elements()));
  return record(op).cost.rule()(op).flops >= kFlops * elements;
}

}  // namespace

bool Emitter::is_kept(weft::Value v, const Index& index, const Mask& mask) {
  if (index.empty() || !mask.none() || is_complex(kernel_.type(v).element_type())) return false;
  if (uses_.empty()) {
    for (const OpId op : kernel_.ops(kernel_.body())) {
      for (const weft::Value operand : kernel_.operands(op)) ++uses_[operand.index];
    }
  }
  const auto uses = uses_.find(v.index);
  return uses != uses_.end() && uses->second > 1 && is_costly({kernel_, kernel_.defining_op(v)});
}

Value* Emitter::row_buffer(weft::Value v) {
  const auto [it, is_new] = row_buffers_.try_emplace(v.index, nullptr);
  if (!is_new) return it->second;
  const ElementType t = compute_type(kernel_.type(v).element_type());
  const size_t bytes = static_cast<size_t>(pass.extent) * byte_size(t);
  if (row_bytes_ + bytes > kMaxRowBytes) return nullptr;
  row_bytes_ += bytes;
  llvm::IRBuilder<> b(&function_.getEntryBlock(), function_.getEntryBlock().begin());
  auto* row = b.CreateAlloca(llvm::ArrayType::get(memory_type(context(), t), static_cast<uint64_t>(pass.extent)));
  row->setAlignment(llvm::Align(64));
  return it->second = row;
}

void Emitter::end_pass() {
  for (const auto& key : pass.kept) rows_[key] = {row_buffers_.at(key.first), current_};
  pass = {};
}

void Emitter::eval_together(OpId id, std::span<const Index> indices) {
  Level* level = &top_;
  bool by_lane = false;
  for (const Index& index : indices) {
    for (const Factor& f : index) {
      level = deeper(level, level_of(f.expr));
      by_lane = by_lane || varies_by_lane(f.expr);
    }
  }
  Level* const here = current_;
  const Lanes open = lanes;
  const Tile outer = tile;
  current_ = level;
  tile = {};
  if (!by_lane) lanes = {};
  const OpView op{kernel_, id};
  const std::vector<Val> results = emit_contraction(*this, op, indices, {});
  for (size_t i = 0; i < results.size(); ++i) memo_[Key{op.result().index, indices[i], nullptr, nullptr}] = results[i];
  lanes = open;
  tile = outer;
  current_ = here;
}

std::vector<Val> Emitter::eval_results(OpId id, const Index& index, const Mask& mask) {
  // The loop goes where its index is known, which may be outside of the loops that are open.
  Level* level = &top_;
  bool by_lane = mask.vector != nullptr;
  for (const Factor& f : index) {
    level = deeper(level, level_of(f.expr));
    by_lane = by_lane || varies_by_lane(f.expr);
  }
  if (mask.scalar != nullptr) level = deeper(level, mask.scalar_level);
  if (mask.vector != nullptr) level = deeper(level, mask.vector_level);
  Level* const here = current_;
  const Lanes open = lanes;
  const Tile outer = tile;
  current_ = level;
  tile = {};
  if (!by_lane) lanes = {};
  std::optional<std::vector<Val>> done;
  if (ready) done = ready({kernel_, id}, index);
  const std::vector<Val> results = done ? *done : emit_loop(*this, {kernel_, id}, index, mask);
  lanes = open;
  tile = outer;
  current_ = here;
  return results;
}

Val Emitter::eval_structural(const OpView& op, Structural kind, const Index& index, const Mask& mask) {
  const Mask outer = structural_mask_;
  structural_mask_ = mask;
  auto read = [&](size_t operand) {
    Read r = read_of(op, kind, operand, index, *this, *this);
    if (op.operand_type(operand).num_elements() == 0) r.never = true;
    return r;
  };
  Val result;
  if (kind == Structural::kPad) {
    result = eval(op.operand(1), {}, {});
    const Read r = read(0);
    if (!r.never) {
      const Mask inside = bounds(r.bounds);
      result = select(inside, eval(op.operand(0), r.index, both(mask, inside)), result);
    }
  } else if (kind == Structural::kConcatenate) {
    for (size_t i = op.num_operands(); i-- > 0;) {
      const Read r = read(i);
      if (r.never) continue;
      if (result.v == nullptr) {  // the last one needs no test: it is what is left
        result = eval(op.operand(i), r.index, both(mask, bounds(r.bounds)));
      } else {
        const Mask inside = bounds(r.bounds);
        result = select(inside, eval(op.operand(i), r.index, both(mask, inside)), result);
      }
    }
  } else if (kind == Structural::kDynamicUpdateSlice) {
    result = eval(op.operand(0), index, mask);
    const Read r = read(1);
    if (!r.never) {
      const Mask inside = bounds(r.bounds);
      result = select(inside, eval(op.operand(1), r.index, both(mask, inside)), result);
    }
  } else {
    const Read r = read(0);
    result = eval(op.operand(0), r.index, mask);
  }
  structural_mask_ = outer;
  return result;
}

Val Emitter::eval_constant(const OpView& op, const Index& index, const Mask& mask) {
  const Literal& literal = op.attrs().literal("value");
  const ElementType t = literal.type.element_type();
  const int64_t count = literal.type.num_elements();
  if (literal.splat || count == 1) {
    const ElementType part = part_type(t);
    uint64_t re = 0, im = 0;
    std::memcpy(&re, literal.element(0), byte_size(part));
    Val v = constant(part, re);
    if (is_complex(t)) {
      std::memcpy(&im, literal.element(0) + byte_size(part), byte_size(part));
      v.im = constant(part, im).v;
    }
    return v;
  }
  llvm::GlobalVariable*& global = literals_[op.id.index];
  if (global == nullptr) {
    const llvm::StringRef bytes(reinterpret_cast<const char*>(literal.element(0)),
                                static_cast<size_t>(count) * byte_size(t));
    llvm::Constant* data = llvm::ConstantDataArray::getString(context(), bytes, false);
    global =
        new llvm::GlobalVariable(module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "literal");
    global->setAlignment(llvm::Align(64));
  }
  return load(global, t, linear(index), count, mask);
}

Val Emitter::eval_iota(const OpView& op, const Index& index) {
  const Type type = op.result_type();
  const int64_t d = op.attrs().integer("iota_dimension");
  int64_t before = 1, after = 1;
  for (int64_t i = 0; i < type.rank(); ++i) (i < d ? before : after) *= i == d ? 1 : type.dim(i);
  const std::vector<Expr> parts = digits(index, std::array{before, type.dim(d), after});
  const Expr& e = parts[1];
  const ElementType t = part_type(type.element_type());
  Val v;
  v.level = level_of(e);
  v.lanes = varies_by_lane(e) ? lanes.count : 1;
  const bool narrow = type.dim(d) <= INT32_MAX;
  Value* x = v.lanes > 1 ? vector_of(e, v.lanes, narrow ? 32 : 64) : scalar_of(e);
  llvm::IRBuilder<> b = at(v.level);
  llvm::Type* register_t = codegen::with_lanes(register_type(context(), t), v.lanes);
  v.v = is_float(t) ? round_to(b, b.CreateSIToFP(x, register_t), t) : b.CreateIntCast(x, register_t, true);
  if (is_complex(type.element_type())) v.im = llvm::Constant::getNullValue(register_t);
  return v;
}

const Emitter::Program& Emitter::program_of(const OpView& op) {
  std::unique_ptr<Program>& p = programs_[op.id.index];
  if (p == nullptr) {
    p = std::make_unique<Program>();
    std::vector<ElementType> types;
    for (size_t i = 0; i < op.num_operands(); ++i) types.push_back(compute_type(op.operand_type(i).element_type()));
    p->results = nodes_of(record(op).scalar.require(op, "no generated code")(op, scalar_args(p->program, types)));
  }
  return *p;
}

Val Emitter::eval_elementwise(const OpView& op, std::span<const Val> args) {
  Val r;
  for (const Val& a : args) {
    r.level = deeper(r.level, a.level);
    r.lanes = std::max(r.lanes, a.lanes);
  }
  if (r.level == nullptr) r.level = &top_;
  const ElementType t = op.result_type().element_type();
  if (op.def().mnemonic == "stablehlo.convert") {
    const Val v = convert(spread(args[0], r.lanes), op.operand_type(0).element_type(), t);
    return {v.v, v.im, r.level, r.lanes};
  }
  std::vector<Value*> values;
  for (const Val& a : args) {
    const Val x = spread(a, r.lanes);
    values.push_back(x.v);
    if (x.im != nullptr) values.push_back(x.im);
  }
  llvm::IRBuilder<> b = at(r.level);
  if (op.def().mnemonic == "stablehlo.bitcast_convert") {
    Value* bits = to_memory(b, values[0], op.operand_type(0).element_type());
    r.v = from_memory(b, b.CreateBitCast(bits, codegen::with_lanes(memory_type(context(), t), r.lanes)), t);
    return r;
  }
  const Program& p = program_of(op);
  const std::vector<Value*> results = emit_scalar(b, p.program, p.results, values, r.lanes);
  r.v = rounding ? round_to(b, results[0], t) : results[0];
  if (results.size() > 1) r.im = results[1];
  return r;
}

std::vector<Val> Emitter::eval_region(RegionId region, std::span<const Val> args) {
  std::vector<uint32_t> names;
  auto bind = [&](weft::Value v, const Val& value) {
    bound_[v.index] = value;
    names.push_back(v.index);
  };
  const auto params = kernel_.args(region);
  for (size_t i = 0; i < params.size(); ++i) bind(params[i], args[i]);
  std::vector<Val> results;
  for (const OpId id : kernel_.ops(region)) {
    const OpView op{kernel_, id};
    if (op.def().is_terminator) {
      for (weft::Value v : op.operands()) results.push_back(eval(v, {}, {}));
      break;
    }
    bind(op.result(), compute(op.result(), {}, {}));
  }
  for (uint32_t n : names) bound_.erase(n);
  return results;
}

// ---- memory

namespace {

/// Shuffles between `lanes` complex numbers in memory order (re, im, re, im, …) and their parts.
struct Interleaved {
  std::vector<int> real, imag, twice, joined;
  explicit Interleaved(int lanes) {
    for (int i = 0; i < lanes; ++i) {
      real.push_back(2 * i);
      imag.push_back(2 * i + 1);
      twice.insert(twice.end(), {i, i});
      joined.insert(joined.end(), {i, lanes + i});
    }
  }
};

}  // namespace

Value* Emitter::buffer(size_t position) {
  if (position >= buffers_.size()) buffers_.resize(position + 1, nullptr);
  if (buffers_[position] == nullptr) {
    llvm::IRBuilder<> b(&function_.getEntryBlock(), function_.getEntryBlock().begin());
    Value* slot = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), function_.getArg(0), position);
    auto* pointer = b.CreateLoad(b.getPtrTy(), slot);
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context(), {}));
    buffers_[position] = pointer;
  }
  return buffers_[position];
}

Val Emitter::load(Value* base, ElementType t, const Expr& offset, int64_t elements, const Mask& mask, Level* least) {
  const bool complex = is_complex(t);
  const ElementType part = part_type(t);
  llvm::Type* memory = memory_type(context(), part);
  const llvm::Align align(complex ? byte_size(t) / 2 : byte_size(t));
  Val r;
  r.level = deeper(level_of(offset), least);
  if (!varies_by_lane(offset)) {
    Value* place = scalar_of(offset);
    llvm::IRBuilder<> b = at(r.level);
    const Range range = this->range(offset);
    if (range.low < 0 || range.high >= elements) {
      // Read under a mask: where the element does not exist, any other will do.
      place = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, place, b.getInt64(0));
      place = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, place, b.getInt64(static_cast<uint64_t>(elements - 1)));
    }
    if (complex) place = b.CreateMul(place, b.getInt64(2));
    Value* p = b.CreateGEP(memory, base, place);
    r.v = from_memory(b, b.CreateAlignedLoad(memory, p, align), part);
    if (complex) r.im = b.CreateAlignedLoad(memory, b.CreateConstGEP1_64(memory, p, 1), align);
    return r;
  }
  r.lanes = lanes.count;
  Value* active = lane_mask(mask, r.lanes, &r.level);
  llvm::Type* vector = codegen::with_lanes(memory, r.lanes);
  int64_t slope = 0;
  Expr outer(offset.constant);
  bool affine = true;
  AtomId lane_atom = -1;
  for (const auto& [a, c] : offset.terms) {
    if (atom(a).lanes == 1) {
      outer = outer + Expr::atom(a) * c;
    } else if (atom(a).is_linear) {
      slope += c;
      lane_atom = a;
    } else {
      affine = false;
    }
  }
  Value* zero = llvm::Constant::getNullValue(vector);
  if (affine && (slope == 1 || slope == -1) && !complex) {
    // The part that stays the same during the loop goes into a pointer outside of it.
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer));
    llvm::IRBuilder<> b = at(r.level);
    Value* lane0 = atom(lane_atom).value;
    if (slope == -1) lane0 = b.CreateSub(b.getInt64(static_cast<uint64_t>(1 - r.lanes)), lane0);
    Value* p = b.CreateGEP(memory, start, lane0);
    std::vector<int> backwards;
    for (int i = r.lanes; i-- > 0;) backwards.push_back(i);
    if (slope == -1 && active != nullptr) active = b.CreateShuffleVector(active, backwards);
    Value* x = active == nullptr ? static_cast<Value*>(b.CreateAlignedLoad(vector, p, align))
                                 : b.CreateMaskedLoad(vector, p, align, active, zero);
    if (slope == -1) x = b.CreateShuffleVector(x, backwards);
    r.v = from_memory(b, x, part);
    return r;
  }
  if (affine && slope == 1 && complex) {
    // Parts stand side by side: one read of all, taken apart in registers.
    const Interleaved pairs(r.lanes);
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer * 2));
    llvm::IRBuilder<> b = at(r.level);
    Value* p = b.CreateGEP(memory, start, b.CreateMul(atom(lane_atom).value, b.getInt64(2)));
    llvm::Type* wide = codegen::with_lanes(memory, 2 * r.lanes);
    Value* x = active == nullptr ? static_cast<Value*>(b.CreateAlignedLoad(wide, p, align))
                                 : b.CreateMaskedLoad(wide, p, align, b.CreateShuffleVector(active, pairs.twice),
                                                      llvm::Constant::getNullValue(wide));
    r.v = b.CreateShuffleVector(x, pairs.real);
    r.im = b.CreateShuffleVector(x, pairs.imag);
    return r;
  }
  if (affine && active == nullptr && !complex) {
    if (const auto v = load_tile(base, memory, align, offset, r.level)) {
      llvm::IRBuilder<> b = at(r.level);
      r.v = from_memory(b, *v, part);
      return r;
    }
  }
  constexpr int64_t kMaxStride = 4;
  if (affine && !complex && slope > 1 && slope <= kMaxStride && options_.isa.has_masks && r.lanes > 2) {
    // One masked read of all that lies between, taken apart in registers.
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer));
    llvm::IRBuilder<> b = at(r.level);
    Value* p = b.CreateGEP(memory, start, b.CreateMul(atom(lane_atom).value, b.getInt64(static_cast<uint64_t>(slope))));
    const int count = r.lanes * static_cast<int>(slope);
    std::vector<int> wanted, spaced;
    for (int i = 0; i < r.lanes; ++i) wanted.push_back(i * static_cast<int>(slope));
    for (int i = 0; i < count; ++i) spaced.push_back(i % slope == 0 ? i / static_cast<int>(slope) : r.lanes);
    Value* some = active != nullptr ? active : llvm::ConstantInt::getTrue(codegen::with_lanes(b.getInt1Ty(), r.lanes));
    Value* mask = b.CreateShuffleVector(some, llvm::Constant::getNullValue(some->getType()), spaced);
    llvm::Type* wide = codegen::with_lanes(memory, count);
    Value* x = b.CreateMaskedLoad(wide, p, align, mask, llvm::Constant::getNullValue(wide));
    r.v = from_memory(b, b.CreateShuffleVector(x, wanted), part);
    return r;
  }
  const Expr place = complex ? offset * 2 : offset;
  const Range range = this->range(place);
  const bool narrow = range.low >= INT32_MIN / 2 && range.high <= INT32_MAX / 2;
  Value* places = vector_of(place, r.lanes, narrow ? 32 : 64);
  llvm::IRBuilder<> b = at(r.level);
  if (active != nullptr && align.value() < 4) {
    // Without a gather instruction for the type, masked lanes would become branches.
    places = b.CreateSelect(active, places, llvm::Constant::getNullValue(places->getType()));
    active = nullptr;
  }
  if (active == nullptr) active = llvm::ConstantInt::getTrue(codegen::with_lanes(b.getInt1Ty(), r.lanes));
  auto gather = [&](Value* from) {
    return from_memory(b, b.CreateMaskedGather(vector, b.CreateGEP(memory, from, places), align, active, zero), part);
  };
  r.v = gather(base);
  if (complex) r.im = gather(b.CreateConstGEP1_64(memory, base, 1));
  return r;
}

// One contiguous read per lane, along the tile's loop, and a transposition in registers.
std::optional<Value*> Emitter::load_tile(Value* base, llvm::Type* memory, llvm::Align align, const Expr& offset,
                                         Level* level) {
  const int n = tile.count;
  if (n == 1 || lanes.count != n) return std::nullopt;
  int64_t slope = 0;
  bool along = false;
  for (const auto& [a, c] : offset.terms) {
    if (a == tile.atom && c == n) along = true;
    if (atom(a).lanes > 1) slope = c;
  }
  if (!along) return std::nullopt;
  const Expr first = offset + -static_cast<int64_t>(tile.t);
  TileRows& t = tiles_[{base, first}];
  if (t.rows.empty()) {
    Value* start = scalar_of(first);
    llvm::IRBuilder<> b = at(level);
    llvm::Type* row = codegen::with_lanes(memory, n);
    for (int l = 0; l < n; ++l) {
      Value* p = b.CreateGEP(memory, base, b.CreateAdd(start, b.getInt64(static_cast<uint64_t>(l * slope))));
      t.rows.push_back(b.CreateAlignedLoad(row, p, align));
    }
    for (int k = 1; k < n; k *= 2) {
      std::vector<int> low, high;
      for (int j = 0; j < n; ++j) {
        low.push_back((j & k) == 0 ? j : n + (j ^ k));
        high.push_back((j & k) == 0 ? (j | k) : n + j);
      }
      for (int i = 0; i < n; ++i) {
        if ((i & k) != 0) continue;
        Value *x = t.rows[static_cast<size_t>(i)], *y = t.rows[static_cast<size_t>(i | k)];
        t.rows[static_cast<size_t>(i)] = b.CreateShuffleVector(x, y, low);
        t.rows[static_cast<size_t>(i | k)] = b.CreateShuffleVector(x, y, high);
      }
    }
    t.level = level;
  }
  return t.rows[static_cast<size_t>(tile.t)];
}

void Emitter::store(Level* level, Value* base, ElementType t, const Expr& offset, const Val& value, const Mask& mask) {
  const bool complex = is_complex(t);
  const ElementType part = part_type(t);
  llvm::Type* memory = memory_type(context(), part);
  const llvm::Align align(complex ? byte_size(t) / 2 : byte_size(t));
  if (!varies_by_lane(offset)) {
    Value* place = scalar_of(complex ? offset * 2 : offset);
    auto write = [&](Level*) {
      llvm::IRBuilder<> b = at(current_);
      Value* p = b.CreateGEP(memory, base, place);
      b.CreateAlignedStore(to_memory(b, value.v, part), p, align);
      if (complex) b.CreateAlignedStore(value.im, b.CreateConstGEP1_64(memory, p, 1), align);
    };
    if (mask.scalar != nullptr) {
      branch(mask.scalar, write);
    } else {
      write(level);
    }
    return;
  }
  const int count = lanes.count;
  Level* unused = level;
  Value* active = lane_mask(mask, count, &unused);
  const Val v = spread(value, count);
  bool affine = true;
  int64_t slope = 0;
  Expr outer(offset.constant);
  AtomId lane_atom = -1;
  for (const auto& [a, c] : offset.terms) {
    if (atom(a).lanes == 1) {
      outer = outer + Expr::atom(a) * c;
    } else if (atom(a).is_linear) {
      slope += c;
      lane_atom = a;
    } else {
      affine = false;
    }
  }
  if (affine && slope == 1 && !complex) {
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer));
    llvm::IRBuilder<> b = at(level);
    Value* p = b.CreateGEP(memory, start, atom(lane_atom).value);
    Value* x = to_memory(b, v.v, part);
    if (active == nullptr && streaming) {
      llvm::Metadata* one = llvm::ConstantAsMetadata::get(b.getInt32(1));
      b.CreateAlignedStore(x, p, llvm::Align(64))
          ->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context(), one));
    } else if (active == nullptr) {
      b.CreateAlignedStore(x, p, align);
    } else {
      b.CreateMaskedStore(x, p, align, active);
    }
    return;
  }
  if (affine && slope == 1 && complex) {
    const Interleaved pairs(count);
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer * 2));
    llvm::IRBuilder<> b = at(level);
    Value* p = b.CreateGEP(memory, start, b.CreateMul(atom(lane_atom).value, b.getInt64(2)));
    Value* x = b.CreateShuffleVector(v.v, v.im, pairs.joined);
    if (active == nullptr) {
      b.CreateAlignedStore(x, p, align);
    } else {
      b.CreateMaskedStore(x, p, align, b.CreateShuffleVector(active, pairs.twice));
    }
    return;
  }
  const Expr place = complex ? offset * 2 : offset;
  const Range range = this->range(place);
  const bool narrow = range.low >= INT32_MIN / 2 && range.high <= INT32_MAX / 2;
  Value* places = vector_of(place, count, narrow ? 32 : 64);
  llvm::IRBuilder<> b = at(level);
  if (active == nullptr) active = llvm::ConstantInt::getTrue(codegen::with_lanes(b.getInt1Ty(), count));
  b.CreateMaskedScatter(to_memory(b, v.v, part), b.CreateGEP(memory, base, places), align, active);
  if (complex)
    b.CreateMaskedScatter(v.im, b.CreateGEP(memory, b.CreateConstGEP1_64(memory, base, 1), places), align, active);
}

}  // namespace weft::codegen
