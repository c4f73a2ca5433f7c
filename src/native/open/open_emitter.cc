#include "native/open/open_emitter.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstring>

#include "native/codegen/kernel.h"
#include "native/codegen/reads.h"
#include "native/codegen/reduce.h"
#include "ops/families.h"

namespace weft::native {

using codegen::Structural;

llvm::Value* emit_number(llvm::IRBuilder<>& b, const ExtentNames& names, llvm::Value* table, int64_t number) {
  const ExtentNames::Product p = names.decode(number);
  llvm::Value* v = nullptr;
  for (size_t s : p.symbols) {
    auto* load = b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), table, s));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    v = v == nullptr ? static_cast<llvm::Value*>(load) : b.CreateMul(v, load, "", true, true);
  }
  llvm::Value* c = b.getInt64(static_cast<uint64_t>(p.coefficient));
  return v == nullptr ? c : p.coefficient == 1 ? v : b.CreateMul(v, c, "", true, true);
}

OpenEmitter::OpenEmitter(llvm::Module& module, llvm::Function& function, const Function& kernel,
                         const ExtentNames& names, llvm::Value* buffers)
    : module_(module), function_(function), kernel_(kernel), names_(names), buffers_(buffers) {
  auto* first = llvm::BasicBlock::Create(context(), "start", &function);
  auto* body = llvm::BasicBlock::Create(context(), "body", &function);
  start_ = llvm::BranchInst::Create(body, first);
  levels_.push_back(llvm::ReturnInst::Create(context(), body));
}

// ---- loops

std::vector<llvm::Value*> OpenEmitter::loop(int depth, llvm::Value* low, llvm::Value* high,
                                            std::span<llvm::Value* const> carried, const Body& body) {
  // Deeper levels do not enclose the new loop.
  const std::vector<llvm::Instruction*> deeper(levels_.begin() + depth + 1, levels_.end());
  levels_.resize(static_cast<size_t>(depth) + 1);
  llvm::Instruction* place = levels_.back();
  llvm::BasicBlock* before = place->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(place, "after");
  before->getTerminator()->eraseFromParent();
  auto* header = llvm::BasicBlock::Create(context(), "loop", &function_, after);
  auto* inside = llvm::BasicBlock::Create(context(), "inside", &function_, after);
  // What the loop does not vary goes in front of it.
  levels_.back() = llvm::BranchInst::Create(header, before);
  llvm::IRBuilder<> b(header);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2, "i");
  i->addIncoming(low, before);
  std::vector<llvm::PHINode*> phis;
  std::vector<llvm::Value*> inner;
  for (llvm::Value* v : carried) {
    phis.push_back(b.CreatePHI(v->getType(), 2));
    phis.back()->addIncoming(v, before);
    inner.push_back(phis.back());
  }
  b.CreateCondBr(b.CreateICmpSLT(i, high), inside, after);
  llvm::Instruction* latch = llvm::BranchInst::Create(header, inside);
  levels_.push_back(latch);
  const std::vector<llvm::Value*> next = body({i, depth + 1}, inner);
  latch = levels_.back();
  b.SetInsertPoint(latch);
  i->addIncoming(b.CreateAdd(i, b.getInt64(1), "", true, true), latch->getParent());
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], latch->getParent());
  levels_.pop_back();
  levels_.back() = place;
  levels_.insert(levels_.end(), deeper.begin(), deeper.end());
  return inner;
}

// ---- index arithmetic

OpenIndex OpenEmitter::memo(char kind, OpenIndex a, OpenIndex b,
                            const std::function<llvm::Value*(llvm::IRBuilder<>&)>& make) {
  const auto key = std::make_tuple(kind, a.v, b.v);
  const auto it = indices_.find(key);
  if (it != indices_.end()) return it->second;
  const int depth = std::max(a.depth, b.depth);
  llvm::IRBuilder<> builder = at(depth);
  return indices_[key] = {make(builder), depth};
}

namespace {
bool is_constant(OpenIndex x, int64_t c) {
  const auto* k = llvm::dyn_cast<llvm::ConstantInt>(x.v);
  return k != nullptr && k->getBitWidth() == 64 && k->getSExtValue() == c;
}
}  // namespace

OpenIndex OpenEmitter::add(OpenIndex a, OpenIndex b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  return memo('+', a, b, [&](llvm::IRBuilder<>& k) { return k.CreateNSWAdd(a.v, b.v); });
}
OpenIndex OpenEmitter::sub(OpenIndex a, OpenIndex b) {
  if (is_constant(b, 0)) return a;
  return memo('-', a, b, [&](llvm::IRBuilder<>& k) { return k.CreateNSWSub(a.v, b.v); });
}
OpenIndex OpenEmitter::mul(OpenIndex a, OpenIndex b) {
  if (is_constant(a, 0) || is_constant(b, 1)) return a;
  if (is_constant(b, 0) || is_constant(a, 1)) return b;
  return memo('*', a, b, [&](llvm::IRBuilder<>& k) { return k.CreateNSWMul(a.v, b.v); });
}
OpenIndex OpenEmitter::div(OpenIndex a, OpenIndex b) {
  if (is_constant(b, 1)) return a;
  ++divisions_;
  return memo('/', a, b, [&](llvm::IRBuilder<>& k) { return k.CreateUDiv(a.v, b.v); });
}
OpenIndex OpenEmitter::rem(OpenIndex a, OpenIndex b) {
  if (is_constant(b, 1)) return number(0);
  return memo('%', a, b, [&](llvm::IRBuilder<>& k) { return k.CreateURem(a.v, b.v); });
}
OpenIndex OpenEmitter::clamp(OpenIndex x, OpenIndex low, OpenIndex high) {
  const OpenIndex upper = memo(
      'm', x, high, [&](llvm::IRBuilder<>& k) { return k.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x.v, high.v); });
  return memo('M', upper, low,
              [&](llvm::IRBuilder<>& k) { return k.CreateBinaryIntrinsic(llvm::Intrinsic::smax, upper.v, low.v); });
}
OpenIndex OpenEmitter::condition(llvm::CmpInst::Predicate p, OpenIndex a, OpenIndex b) {
  return memo(static_cast<char>('A' + p), a, b, [&](llvm::IRBuilder<>& k) { return k.CreateICmp(p, a.v, b.v); });
}
OpenIndex OpenEmitter::both(OpenIndex a, OpenIndex b) {
  if (a.v == nullptr) return b;
  if (b.v == nullptr) return a;
  return memo('&', a, b, [&](llvm::IRBuilder<>& k) { return k.CreateAnd(a.v, b.v); });
}

OpenIndex OpenEmitter::number(int64_t n) {
  const auto [it, is_new] = numbers_.try_emplace(n);
  if (!is_new) return it->second;
  llvm::IRBuilder<> b(start_);
  llvm::Value* table = nullptr;
  if (names_.is_open(n)) {
    const OpId last = kernel_.terminator(kernel_.body());
    table = buffer(kernel_.args().size() + kernel_.operands(last).size());
    b.SetInsertPoint(start_);
  }
  return it->second = {emit_number(b, names_, table, n), 0};
}

llvm::Value* OpenEmitter::buffer(size_t i) {
  if (i >= pointers_.size()) pointers_.resize(i + 1, nullptr);
  if (pointers_[i] == nullptr) {
    llvm::IRBuilder<> b(start_);
    auto* pointer = b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), buffers_, i));
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context(), {}));
    pointers_[i] = pointer;
  }
  return pointers_[i];
}

std::vector<OpenIndex> OpenEmitter::digits(const OpenPlace& place, std::span<const int64_t> extents) {
  std::vector<OpenIndex> out(extents.size(), number(0));
  OpenPlace left = place;
  for (size_t d = extents.size(); d-- > 0;) {
    int64_t need = extents[d], scale = 1;
    while (need != 1) {
      if (left.empty()) throw Unsupported("the native target cannot relate two shapes with open extents");
      OpenDigit& f = left.back();
      if (f.extent != 0 && need % f.extent == 0) {
        out[d] = add(out[d], mul(f.at, number(scale)));
        scale *= f.extent;
        need /= f.extent;
        left.pop_back();
      } else if (need != 0 && f.extent % need == 0) {
        out[d] = add(out[d], mul(rem(f.at, number(need)), number(scale)));
        f = {f.extent / need, div(f.at, number(need))};
        need = 1;
      } else {
        if (left.size() < 2) throw Unsupported("the native target cannot relate two shapes with open extents");
        const OpenDigit inner = f;
        left.pop_back();
        OpenDigit& outer = left.back();
        outer = {outer.extent * inner.extent, add(mul(outer.at, number(inner.extent)), inner.at)};
      }
    }
  }
  return out;
}

OpenPlace OpenEmitter::place(std::span<const int64_t> extents, std::span<const OpenIndex> digits) const {
  OpenPlace p;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] != 1) p.push_back({extents[d], digits[d]});
  }
  return p;
}

OpenIndex OpenEmitter::linear(const OpenPlace& place) {
  OpenIndex e = number(0);
  for (const OpenDigit& f : place) e = add(mul(e, number(f.extent)), f.at);
  return e;
}

// ---- memory

OpenValue OpenEmitter::load(llvm::Value* base, ElementType t, OpenIndex offset) {
  const ElementType part = part_type(t);
  llvm::Type* memory = codegen::memory_type(context(), part);
  const llvm::Align align(byte_size(part));
  llvm::IRBuilder<> b = at(offset.depth);
  OpenValue r;
  r.depth = offset.depth;
  if (!is_complex(t)) {
    r.v = codegen::from_memory(b, b.CreateAlignedLoad(memory, b.CreateGEP(memory, base, offset.v), align), part);
    return r;
  }
  llvm::Value* p = b.CreateGEP(memory, base, b.CreateMul(offset.v, b.getInt64(2)));
  r.v = b.CreateAlignedLoad(memory, p, align);
  r.im = b.CreateAlignedLoad(memory, b.CreateConstGEP1_64(memory, p, 1), align);
  return r;
}

void OpenEmitter::store(size_t index, ElementType t, const OpenPlace& place, const OpenValue& v) {
  const ElementType part = part_type(t);
  llvm::Type* memory = codegen::memory_type(context(), part);
  const llvm::Align align(byte_size(part));
  const OpenIndex offset = linear(place);
  llvm::Value* base = buffer(index);
  llvm::IRBuilder<> b = at(depth());
  llvm::Value* element = is_complex(t) ? b.CreateMul(offset.v, b.getInt64(2)) : offset.v;
  llvm::Value* p = b.CreateGEP(memory, base, element);
  b.CreateAlignedStore(codegen::to_memory(b, v.v, part), p, align);
  if (is_complex(t)) b.CreateAlignedStore(v.im, b.CreateConstGEP1_64(memory, p, 1), align);
}

// ---- values

OpenValue OpenEmitter::eval(Value v, const OpenPlace& place) {
  const auto bound = bound_.find(v.index);
  if (bound != bound_.end()) return bound->second;
  std::vector<llvm::Value*> key;
  for (const OpenDigit& d : place) key.push_back(d.at.v);
  const auto it = values_.find({v.index, key});
  if (it != values_.end()) return it->second[0];
  const OpId id = kernel_.defining_op(v);
  OpenValue r;
  if (!id) {
    r = load(buffer(kernel_.position(v)), kernel_.type(v).element_type(), linear(place));
  } else {
    const OpView op{kernel_, id};
    if (op.def().mnemonic == "stablehlo.reduce") {
      const std::vector<OpenValue> all = reduce(op, place);
      for (size_t i = 0; i < all.size(); ++i) values_[{op.result(i).index, key}] = {all[i]};
      return all[kernel_.position(v)];
    }
    r = compute(op, kernel_.position(v), place);
  }
  values_[{v.index, std::move(key)}] = {r};
  return r;
}

OpenValue OpenEmitter::compute(const OpView& op, size_t, const OpenPlace& place) {
  const std::string_view m = op.def().mnemonic;
  if (m == "stablehlo.constant") return constant(op, place);
  if (m == "stablehlo.iota") return iota(op, place);
  if (m == "stablehlo.pad") return pad(op, place);
  if (m == "stablehlo.concatenate") return concatenate(op, place);
  if (m == "stablehlo.dot_general") return dot(op, place);
  if (m == "stablehlo.dynamic_update_slice") {
    // Inside the update, or else the operand.
    const Type x = op.operand_type(0), u = op.operand_type(1);
    const std::vector<OpenIndex> at = digits(place, x.shape());
    std::vector<OpenIndex> inner;
    OpenIndex inside;
    for (int64_t d = 0; d < x.rank(); ++d) {
      const OpenIndex extent = number(x.dim(d)), size = number(u.dim(d));
      OpenIndex e = at[static_cast<size_t>(d)];
      if (x.dim(d) != u.dim(d)) {
        const OpenIndex start =
            clamp(index_value(op.operand(static_cast<size_t>(d) + 2), {}), number(0), sub(extent, size));
        e = sub(e, start);
        inside = both(inside, condition(llvm::CmpInst::ICMP_ULT, e, size));
        e = clamp(e, number(0), sub(size, number(1)));
      }
      inner.push_back(e);
    }
    const OpenIndex exists = non_empty(u.shape());
    for (OpenIndex& e : inner) e = mul(e, exists);
    const OpenValue update = eval(op.operand(1), this->place(u.shape(), inner));
    return inside.v == nullptr ? update : choose(inside, update, eval(op.operand(0), place));
  }
  if (codegen::structural_kind(op.def()) != Structural::kNone) return eval(op.operand(0), read(op, place));
  std::vector<OpenValue> args;
  for (Value v : op.operands()) {
    // clamp and select take scalars beside tensors.
    args.push_back(eval(v, kernel_.type(v).rank() == 0 ? OpenPlace{} : place));
  }
  return elementwise(op, args);
}

OpenValue OpenEmitter::elementwise(const OpView& op, std::span<const OpenValue> args) {
  OpenValue r;
  for (const OpenValue& a : args) r.depth = std::max(r.depth, a.depth);
  const ElementType t = op.result_type().element_type();
  if (op.def().mnemonic == "stablehlo.convert") return convert(args[0], op.operand_type(0).element_type(), t);
  llvm::IRBuilder<> b = at(r.depth);
  if (op.def().mnemonic == "stablehlo.bitcast_convert") {
    llvm::Value* bits = codegen::to_memory(b, args[0].v, op.operand_type(0).element_type());
    r.v = codegen::from_memory(b, b.CreateBitCast(bits, codegen::memory_type(context(), t)), t);
    return r;
  }
  ScalarProgram program;
  std::vector<ElementType> types;
  std::vector<llvm::Value*> values;
  for (size_t i = 0; i < args.size(); ++i) {
    types.push_back(codegen::compute_type(op.operand_type(i).element_type()));
    values.push_back(args[i].v);
    if (args[i].im != nullptr) values.push_back(args[i].im);
  }
  const auto nodes =
      codegen::nodes_of(record(op).scalar.require(op, "no generated code")(op, scalar_args(program, types)));
  const std::vector<llvm::Value*> results = codegen::emit_scalar(b, program, nodes, values, 1);
  r.v = rounding_ ? codegen::round_to(b, results[0], t) : results[0];
  if (results.size() > 1) r.im = results[1];
  return r;
}

OpenValue OpenEmitter::convert(const OpenValue& v, ElementType from, ElementType to) {
  if (from == to) return v;
  OpenValue r;
  r.depth = v.depth;
  llvm::IRBuilder<> b = at(v.depth);
  const ElementType part = part_type(from), target = part_type(to);
  r.v = codegen::emit_convert(b, v.v, part, target, 1);
  if (is_complex(to)) {
    r.im = v.im != nullptr ? codegen::emit_convert(b, v.im, part, target, 1)
                           : llvm::Constant::getNullValue(codegen::register_type(context(), target));
  }
  return r;
}

OpenValue OpenEmitter::choose(OpenIndex condition, const OpenValue& a, const OpenValue& b) {
  OpenValue r;
  r.depth = std::max({condition.depth, a.depth, b.depth});
  llvm::IRBuilder<> k = at(r.depth);
  r.v = k.CreateSelect(condition.v, a.v, b.v);
  if (a.im != nullptr) r.im = k.CreateSelect(condition.v, a.im, b.im);
  return r;
}

OpenValue OpenEmitter::bits(ElementType t, uint64_t re, uint64_t im) {
  const ElementType part = part_type(t);
  OpenValue v;
  v.v = codegen::register_constant(context(), part, re, 1);
  if (is_complex(t)) v.im = codegen::register_constant(context(), part, im, 1);
  return v;
}

OpenValue OpenEmitter::constant(const OpView& op, const OpenPlace& place) {
  const Literal& literal = op.attrs().literal("value");
  const ElementType t = literal.type.element_type(), part = part_type(t);
  const int64_t count = literal.splat ? 1 : literal.type.num_elements();
  if (count == 1) {
    uint64_t re = 0, im = 0;
    std::memcpy(&re, literal.element(0), byte_size(part));
    if (is_complex(t)) std::memcpy(&im, literal.element(0) + byte_size(part), byte_size(part));
    return bits(t, re, im);
  }
  const llvm::StringRef bytes(reinterpret_cast<const char*>(literal.element(0)),
                              static_cast<size_t>(count) * byte_size(t));
  llvm::Constant* data = llvm::ConstantDataArray::getString(context(), bytes, false);
  auto* global =
      new llvm::GlobalVariable(module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "literal");
  global->setAlignment(llvm::Align(64));
  return load(global, t, linear(place));
}

OpenValue OpenEmitter::iota(const OpView& op, const OpenPlace& place) {
  const Type type = op.result_type();
  const OpenIndex i = digits(place, type.shape())[static_cast<size_t>(op.attrs().integer("iota_dimension"))];
  const ElementType t = part_type(type.element_type());
  llvm::IRBuilder<> b = at(i.depth);
  OpenValue v;
  v.depth = i.depth;
  llvm::Type* r = codegen::register_type(context(), t);
  v.v = is_float(t) ? codegen::round_to(b, b.CreateSIToFP(i.v, r), t) : b.CreateIntCast(i.v, r, true);
  if (is_complex(type.element_type())) v.im = llvm::Constant::getNullValue(r);
  return v;
}

OpenIndex OpenEmitter::index_value(Value v, const OpenPlace& place) {
  const OpenValue x = eval(v, place);
  const bool is_signed = is_signed_integer(kernel_.type(v).element_type());
  return memo(is_signed ? 's' : 'u', {x.v, x.depth}, {nullptr, 0}, [&](llvm::IRBuilder<>& b) -> llvm::Value* {
    llvm::Value* wide = b.CreateIntCast(x.v, b.getInt64Ty(), is_signed);
    // An unsigned number beyond the signed range is the largest index.
    if (!is_signed && x.v->getType()->getIntegerBitWidth() == 64)
      wide = b.CreateSelect(b.CreateICmpSLT(wide, b.getInt64(0)), b.getInt64(INT64_MAX), wide);
    return wide;
  });
}

// ---- reductions

OpenPlace OpenEmitter::reduced_place(const OpView& op, const std::vector<OpenIndex>& kept,
                                     const std::vector<OpenIndex>& reduced) const {
  const Type x = op.operand_type(0);
  const auto& dims = op.attrs().ints("dimensions");
  OpenPlace p;
  size_t k = 0, r = 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const OpenIndex at = std::ranges::count(dims, d) != 0 ? reduced[r++] : kept[k++];
    if (x.dim(d) != 1) p.push_back({x.dim(d), at});
  }
  return p;
}

std::vector<OpenValue> OpenEmitter::region(RegionId region, std::span<const OpenValue> args) {
  std::vector<uint32_t> names;
  const auto bind = [&](Value v, const OpenValue& value) {
    bound_[v.index] = value;
    names.push_back(v.index);
  };
  for (size_t i = 0; i < args.size(); ++i) bind(kernel_.args(region)[i], args[i]);
  std::vector<OpenValue> results;
  for (OpId id : kernel_.ops(region)) {
    const OpView op{kernel_, id};
    if (op.def().is_terminator) {
      for (Value v : op.operands()) results.push_back(eval(v, {}));
      break;
    }
    bind(op.result(), compute(op, 0, {}));
  }
  for (uint32_t n : names) bound_.erase(n);
  return results;
}

namespace {

/// The body of a reduction and what is carried for it: sums and products of 16-bit floats run in f32 and are rounded once.
struct Accumulators {
  std::vector<ElementType> types;
  std::optional<codegen::Monoid> monoid;
  bool wide = false;

  Accumulators(const Function& f, const OpView& op) {
    for (Value v : f.args(op.region(0))) types.push_back(f.type(v).element_type());
    types.resize(op.num_results());
    if (op.num_results() == 1) monoid = codegen::monoid_of(f, op.region(0));
    if (monoid) {
      const std::string_view m = f.def(monoid->op).mnemonic;
      wide = (m == "stablehlo.add" || m == "stablehlo.multiply") && codegen::compute_type(types[0]) != types[0];
    }
  }
};

/// Order and grouping of sums, products and extrema do not matter: LLVM may do several at once.
void allow_reordering(llvm::Value* v) {
  auto* i = llvm::dyn_cast<llvm::BinaryOperator>(v);
  if (i == nullptr || !llvm::isa<llvm::FPMathOperator>(i)) return;
  if (i->getOpcode() == llvm::Instruction::FAdd || i->getOpcode() == llvm::Instruction::FMul)
    i->setHasAllowReassoc(true);
}

}  // namespace

std::vector<OpenValue> OpenEmitter::reduce(const OpView& op, const OpenPlace& place) {
  const std::vector<OpenIndex> kept = digits(place, op.result_type().shape());
  if (auto columns = column_reduce(op, kept)) return *columns;
  const size_t n = op.num_results();
  const Accumulators acc(kernel_, op);
  std::vector<OpenValue> start;
  int level = 0;
  for (OpenIndex k : kept) level = std::max(level, k.depth);
  for (size_t i = 0; i < n; ++i) {
    const Value init = op.operand(n + i);
    start.push_back(convert(eval(init, {}), kernel_.type(init).element_type(), acc.types[i]));
    level = std::max(level, start.back().depth);
  }
  std::vector<llvm::Value*> carried;
  for (const OpenValue& v : start) {
    carried.push_back(v.v);
    if (v.im != nullptr) carried.push_back(v.im);
  }
  const auto unpack = [&](std::span<llvm::Value* const> flat, int depth) {
    std::vector<OpenValue> out;
    size_t k = 0;
    for (const OpenValue& v : start) {
      OpenValue x{flat[k++], nullptr, depth};
      if (v.im != nullptr) x.im = flat[k++];
      out.push_back(x);
    }
    return out;
  };
  const Type x = op.operand_type(0);
  const auto& dims = op.attrs().ints("dimensions");
  std::vector<OpenIndex> reduced;
  std::vector<int64_t> extents;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (std::ranges::count(dims, d) != 0) extents.push_back(x.dim(d));
  }
  // Fresh accumulators at every level keep the code of an element inside the innermost loop.
  std::function<std::vector<llvm::Value*>(int, std::span<llvm::Value* const>)> nest =
      [&](int depth, std::span<llvm::Value* const> now) -> std::vector<llvm::Value*> {
    if (reduced.size() == extents.size()) {
      const OpenPlace at = reduced_place(op, kept, reduced);
      std::vector<OpenValue> args = unpack(now, depth);
      for (size_t i = 0; i < n; ++i) {
        const OpenValue element = eval(op.operand(i), at);
        args.push_back(convert(element, kernel_.type(op.operand(i)).element_type(), acc.types[i]));
      }
      const bool rounding = rounding_;
      rounding_ = rounding && !acc.wide;
      const std::vector<OpenValue> next = region(op.region(0), args);
      rounding_ = rounding;
      std::vector<llvm::Value*> flat;
      for (const OpenValue& v : next) {
        if (acc.monoid) allow_reordering(v.v);
        flat.push_back(v.v);
        if (v.im != nullptr) {
          if (acc.monoid) allow_reordering(v.im);
          flat.push_back(v.im);
        }
      }
      return flat;
    }
    const int64_t extent = extents[reduced.size()];
    return loop(depth, number(0).v, number(extent).v, now, [&](OpenIndex i, std::span<llvm::Value* const> inner) {
      reduced.push_back(i);
      auto out = nest(depth + 1, inner);
      reduced.pop_back();
      return out;
    });
  };
  std::vector<OpenValue> results = unpack(nest(level, carried), level);
  for (size_t i = 0; i < n; ++i) {
    llvm::IRBuilder<> b = at(level);
    if (acc.wide) results[i].v = codegen::round_to(b, results[i].v, acc.types[i]);
    results[i] = convert(results[i], acc.types[i], op.result_type(i).element_type());
  }
  return results;
}

// Sums over outer dimensions for each place of the innermost loop: all columns of the loop side by side, row by row, so that
// memory is read as it lies. The accumulators stand on the stack.
std::optional<std::vector<OpenValue>> OpenEmitter::column_reduce(const OpView& op, const std::vector<OpenIndex>& kept) {
  if (columns.i == nullptr || op.num_results() != 1 || is_complex(op.result_type().element_type())) return std::nullopt;
  const Type x = op.operand_type(0);
  const auto& dims = op.attrs().ints("dimensions");
  if (x.rank() == 0 || std::ranges::count(dims, x.rank() - 1) != 0 || kept.empty() || kept.back().v != columns.i)
    return std::nullopt;
  for (size_t k = 0; k + 1 < kept.size(); ++k) {
    if (kept[k].depth >= columns.depth) return std::nullopt;
  }
  const Accumulators acc(kernel_, op);
  const int level = columns.depth - 1;
  const Value init = op.operand(1);
  const OpenValue start = convert(eval(init, {}), kernel_.type(init).element_type(), acc.types[0]);
  if (start.depth > level) return std::nullopt;
  llvm::Type* type = start.v->getType();
  llvm::IRBuilder<> entry(start_);
  llvm::AllocaInst* row = entry.CreateAlloca(llvm::ArrayType::get(type, kMaxColumns), nullptr, "columns");
  row->setAlignment(llvm::Align(64));
  const Columns outer = columns;
  columns = {};
  const OpenIndex count = sub(outer.high, outer.low);
  const auto place_of = [&](llvm::IRBuilder<>& b, llvm::Value* i) { return b.CreateGEP(type, row, i); };
  const auto each = [&](int depth, const std::function<void(OpenIndex)>& body) {
    loop(depth, number(0).v, count.v, {}, [&](OpenIndex i, std::span<llvm::Value* const>) {
      body(i);
      return std::vector<llvm::Value*>{};
    });
  };
  each(level, [&](OpenIndex i) {
    llvm::IRBuilder<> b = at(i.depth);
    b.CreateStore(start.v, place_of(b, i.v));
  });
  std::vector<int64_t> extents;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (std::ranges::count(dims, d) != 0) extents.push_back(x.dim(d));
  }
  std::vector<OpenIndex> reduced;
  std::function<void(int)> nest = [&](int depth) {
    if (reduced.size() < extents.size()) {
      loop(depth, number(0).v, number(extents[reduced.size()]).v, {}, [&](OpenIndex i, std::span<llvm::Value* const>) {
        reduced.push_back(i);
        nest(depth + 1);
        reduced.pop_back();
        return std::vector<llvm::Value*>{};
      });
      return;
    }
    each(depth, [&](OpenIndex i) {
      std::vector<OpenIndex> here = kept;
      here.back() = add(outer.low, i);
      const OpenValue element = eval(op.operand(0), reduced_place(op, here, reduced));
      llvm::IRBuilder<> b = at(i.depth);
      llvm::Value* p = place_of(b, i.v);
      const OpenValue sum{b.CreateLoad(type, p), nullptr, i.depth};
      const std::vector<OpenValue> args = {sum,
                                           convert(element, kernel_.type(op.operand(0)).element_type(), acc.types[0])};
      const bool rounding = rounding_;
      rounding_ = rounding && !acc.wide;
      const OpenValue next = region(op.region(0), args)[0];
      rounding_ = rounding;
      llvm::IRBuilder<> end = at(i.depth);
      end.CreateStore(next.v, p);
    });
  };
  nest(level);
  columns = outer;
  llvm::IRBuilder<> b = at(outer.depth);
  OpenValue r{b.CreateLoad(type, place_of(b, b.CreateSub(outer.i, outer.low.v))), nullptr, outer.depth};
  if (acc.wide) r.v = codegen::round_to(b, r.v, acc.types[0]);
  return std::vector<OpenValue>{convert(r, acc.types[0], op.result_type().element_type())};
}

OpenValue OpenEmitter::dot(const OpView& op, const OpenPlace& place) {
  const Attrs& a = op.attrs();
  const auto &lb = a.ints("lhs_batching_dimensions"), &rb = a.ints("rhs_batching_dimensions"),
             &lc = a.ints("lhs_contracting_dimensions"), &rc = a.ints("rhs_contracting_dimensions");
  const std::vector<OpenIndex> out = digits(place, op.result_type().shape());
  const ElementType t = op.result_type().element_type(), sum_type = codegen::compute_type(t);
  int level = 0;
  for (OpenIndex k : out) level = std::max(level, k.depth);
  std::vector<OpenIndex> inner;
  const auto side_place = [&](size_t side) {
    const Type x = op.operand_type(side);
    const auto &batch = side == 0 ? lb : rb, &contracting = side == 0 ? lc : rc;
    size_t free = lb.size();
    if (side == 1) free += static_cast<size_t>(op.operand_type(0).rank()) - lb.size() - lc.size();
    std::vector<OpenIndex> at;
    for (int64_t d = 0; d < x.rank(); ++d) {
      const auto b = std::ranges::find(batch, d), c = std::ranges::find(contracting, d);
      at.push_back(b != batch.end()         ? out[static_cast<size_t>(b - batch.begin())]
                   : c != contracting.end() ? inner[static_cast<size_t>(c - contracting.begin())]
                                            : out[free++]);
    }
    return this->place(x.shape(), at);
  };
  const OpenValue zero = bits(sum_type, 0, 0);
  std::vector<llvm::Value*> start = {zero.v};
  if (zero.im != nullptr) start.push_back(zero.im);
  std::function<std::vector<llvm::Value*>(int, std::span<llvm::Value* const>)> nest =
      [&](int depth, std::span<llvm::Value* const> now) -> std::vector<llvm::Value*> {
    if (inner.size() < lc.size()) {
      const int64_t extent = op.operand_type(0).dim(lc[inner.size()]);
      return loop(depth, number(0).v, number(extent).v, now, [&](OpenIndex i, std::span<llvm::Value* const> carried) {
        inner.push_back(i);
        auto next = nest(depth + 1, carried);
        inner.pop_back();
        return next;
      });
    }
    const OpenValue x = convert(eval(op.operand(0), side_place(0)), op.operand_type(0).element_type(), sum_type);
    const OpenValue y = convert(eval(op.operand(1), side_place(1)), op.operand_type(1).element_type(), sum_type);
    llvm::IRBuilder<> b = at(depth);
    if (is_complex(t)) {
      llvm::Value* re = b.CreateFSub(b.CreateFMul(x.v, y.v), b.CreateFMul(x.im, y.im));
      llvm::Value* im = b.CreateFAdd(b.CreateFMul(x.v, y.im), b.CreateFMul(x.im, y.v));
      return {b.CreateFAdd(now[0], re), b.CreateFAdd(now[1], im)};
    }
    if (is_float(sum_type)) {
      llvm::Value* sum = b.CreateFAdd(now[0], b.CreateFMul(x.v, y.v));
      allow_reordering(sum);
      return {sum};
    }
    if (is_boolean(t)) return {b.CreateOr(now[0], b.CreateAnd(x.v, y.v))};
    return {b.CreateAdd(now[0], b.CreateMul(x.v, y.v))};
  };
  const std::vector<llvm::Value*> sum = nest(level, start);
  llvm::IRBuilder<> b = at(level);
  OpenValue r{codegen::round_to(b, sum[0], t), nullptr, level};
  if (sum.size() > 1) r.im = sum[1];
  return r;
}

}  // namespace weft::native
