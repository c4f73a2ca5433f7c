#include "native/open/open_emitter.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

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
  if (masks_tails && latch->getMetadata(llvm::LLVMContext::MD_loop) == nullptr) {
    llvm::Metadata* hint[] = {llvm::MDString::get(context(), "llvm.loop.vectorize.predicate.enable"),
                              llvm::ConstantAsMetadata::get(b.getTrue())};
    llvm::Metadata* parts[] = {nullptr, llvm::MDNode::get(context(), hint)};
    llvm::MDNode* id = llvm::MDNode::getDistinct(context(), parts);
    id->replaceOperandWith(0, id);
    latch->setMetadata(llvm::LLVMContext::MD_loop, id);
  }
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
      if (const auto made = parts_.find(f.at.v); made != parts_.end() && f.extent != 0 && need % f.extent != 0) {
        // It was put together from two: no division takes it apart.
        const auto [outer, inner] = made->second;
        const bool is_of_use =
            inner.extent != 0 && (need % inner.extent == 0 || (need != 0 && inner.extent % need == 0));
        if (f.extent == outer.extent * inner.extent && is_of_use) {
          f = outer;
          left.push_back(inner);
          continue;
        }
      }
      if (f.extent != 0 && need % f.extent == 0) {
        const OpenIndex so_far = out[d];
        out[d] = add(out[d], mul(f.at, number(scale)));
        if (scale != 1 && out[d].v != f.at.v && out[d].v != so_far.v)
          parts_[out[d].v] = {{f.extent, f.at}, {scale, so_far}};
        scale *= f.extent;
        need /= f.extent;
        left.pop_back();
      } else if (need != 0 && f.extent % need == 0) {
        const OpenDigit whole = f;
        const OpenIndex inner = rem(f.at, number(need));
        out[d] = add(out[d], mul(inner, number(scale)));
        f = {f.extent / need, div(f.at, number(need))};
        wholes_[{f.at.v, inner.v, need}] = whole;
        need = 1;
      } else {
        if (left.size() < 2) throw Unsupported("the native target cannot relate two shapes with open extents");
        const OpenDigit inner = f;
        left.pop_back();
        OpenDigit& outer = left.back();
        const OpenDigit before = outer;
        outer = joined(outer, inner);
        if (outer.at.v != inner.at.v && outer.at.v != before.at.v) parts_[outer.at.v] = {before, inner};
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
  int64_t extent = 1;
  for (const OpenDigit& f : place) {
    e = joined({extent, e}, f).at;
    extent *= f.extent;
  }
  return e;
}

OpenDigit OpenEmitter::joined(const OpenDigit& outer, const OpenDigit& inner) {
  const int64_t extent = outer.extent * inner.extent;
  const auto it = wholes_.find({outer.at.v, inner.at.v, inner.extent});
  if (it != wholes_.end() && it->second.extent == extent) return it->second;
  return {extent, add(mul(outer.at, number(inner.extent)), inner.at)};
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
  if (llvm::AllocaInst* row = kept(v, place)) {
    const OpenIndex i = place.back().at;
    llvm::Type* type = row->getAllocatedType()->getArrayElementType();
    llvm::IRBuilder<> b = at(i.depth);
    r = {b.CreateLoad(type, b.CreateGEP(type, row, i.v)), nullptr, i.depth};
  } else if (!id) {
    r = load(buffer(kernel_.position(v)), kernel_.type(v).element_type(), linear(place));
  } else {
    const OpView op{kernel_, id};
    const bool is_window = op.def().mnemonic == "stablehlo.reduce_window";
    if (is_window || op.def().mnemonic == "stablehlo.reduce") {
      const std::vector<OpenValue> all = is_window ? reduce_window(op, place) : reduce(op, place);
      for (size_t i = 0; i < all.size(); ++i) values_[{op.result(i).index, key}] = {all[i]};
      return all[kernel_.position(v)];
    }
    r = compute(op, kernel_.position(v), place);
    keep(v, place, r);
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
  if (m == "stablehlo.convolution") return convolution(op, place);
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
  std::vector<OpenValue> args(op.num_operands());
  // What folds meet is kept for what comes after them.
  std::vector<size_t> order(args.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](size_t i) { return folds_below(op.operand(i)); });
  for (size_t i : order) {
    // clamp and select take scalars beside tensors.
    const Value v = op.operand(i);
    args[i] = eval(v, kernel_.type(v).rank() == 0 ? OpenPlace{} : place);
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

}  // namespace weft::native
