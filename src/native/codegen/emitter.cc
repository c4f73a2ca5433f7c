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
  const ElementType rounded = rounding ? t : compute_type(part_type(t));
  const std::vector<Value*> results = scalar_code_.emit(b, p.program, p.results, values, r.lanes, rounded);
  r.v = results[0];
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

}  // namespace weft::codegen
