#include "native/codegen/shared_functions.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/float_format.h"
#include "base/hash.h"
#include "native/codegen/complex_programs.h"
#include "native/codegen/scalar_emit.h"

namespace weft::codegen {

using llvm::Value;

llvm::Function* new_shared_function(llvm::IRBuilder<>& b, llvm::FunctionType* signature, const std::string& name) {
  llvm::Function* caller = b.GetInsertBlock()->getParent();
  auto* made = llvm::Function::Create(signature, llvm::GlobalValue::InternalLinkage, name, *caller->getParent());
  for (llvm::StringRef key : {"target-cpu", "target-features", "prefer-vector-width", "min-legal-vector-width"}) {
    if (caller->hasFnAttribute(key)) made->addFnAttr(caller->getFnAttribute(key));
  }
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->addFnAttr(llvm::Attribute::NoInline);
  return made;
}

llvm::Function* libm_helper(llvm::IRBuilder<>& b, LibmFunction which, llvm::Type* type) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  const int lanes = vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
  llvm::Type* element = type->getScalarType();
  std::string callee = which == LibmFunction::kSin ? "sin" : "cos";
  if (element->isFloatTy()) callee += "f";
  const std::string name = "weft.libm." + callee + ".x" + std::to_string(lanes);
  if (llvm::Function* known = module.getFunction(name)) return known;
  auto* signature = llvm::FunctionType::get(type, {type, with_lanes(b.getInt1Ty(), lanes), type}, false);
  llvm::Function* helper = new_shared_function(b, signature, name);
  llvm::FunctionCallee libm = module.getOrInsertFunction(callee, llvm::FunctionType::get(element, {element}, false));
  auto* entry = llvm::BasicBlock::Create(b.getContext(), "entry", helper);
  auto* rare = llvm::BasicBlock::Create(b.getContext(), "rare", helper);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", helper);
  Value *x = helper->getArg(0), *pred = helper->getArg(1), *otherwise = helper->getArg(2);
  llvm::IRBuilder<> inner(entry);
  inner.CreateCondBr(lanes == 1 ? pred : inner.CreateOrReduce(pred), rare, done);
  inner.SetInsertPoint(done);
  inner.CreateRet(otherwise);
  inner.SetInsertPoint(rare);
  Value* called = lanes == 1 ? inner.CreateCall(libm, {x}) : otherwise;
  for (int i = 0; lanes > 1 && i < lanes; ++i) {
    called = inner.CreateInsertElement(called, inner.CreateCall(libm, {inner.CreateExtractElement(x, i)}), i);
  }
  inner.CreateRet(inner.CreateSelect(pred, called, otherwise));
  return helper;
}

llvm::Function* complex_helper(llvm::IRBuilder<>& b, ComplexFunction which, llvm::Type* type) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  const uint64_t lanes = vector == nullptr ? 1 : vector->getNumElements();
  llvm::Type* element = type->getScalarType();
  const bool is_single = element->isFloatTy();
  const unsigned parts = is_binary(which) ? 4 : 2;
  const std::string name = std::string("weft.complex.") + (is_single ? "f32." : "f64.") +
                           std::to_string(static_cast<int>(which)) + ".x" + std::to_string(lanes);
  if (llvm::Function* known = module.getFunction(name)) return known;
  auto* result = llvm::StructType::get(b.getContext(), {type, type});
  auto* signature = llvm::FunctionType::get(result, std::vector<llvm::Type*>(parts, type), false);
  llvm::Function* helper = new_shared_function(b, signature, name);
  llvm::IRBuilder<> inner(llvm::BasicBlock::Create(b.getContext(), "entry", helper));
  const auto joined = [&](Value* real, Value* imag) {
    return inner.CreateInsertValue(inner.CreateInsertValue(llvm::PoisonValue::get(result), real, 0), imag, 1);
  };
  if (const auto fast = is_single ? complex_program(which) : std::nullopt) {
    std::vector<Value*> inputs;
    for (llvm::Argument& a : helper->args()) inputs.push_back(&a);
    const std::vector<Value*> out = emit_scalar(
        inner, fast->program, std::array{fast->real, fast->imag, fast->is_right}, inputs, static_cast<int>(lanes));
    Value* all = lanes == 1 ? out[2] : inner.CreateAndReduce(out[2]);
    auto* right = llvm::BasicBlock::Create(b.getContext(), "right", helper);
    auto* rare = llvm::BasicBlock::Create(b.getContext(), "rare", helper);
    inner.CreateCondBr(all, right, rare);
    inner.SetInsertPoint(right);
    inner.CreateRet(joined(out[0], out[1]));
    inner.SetInsertPoint(rare);
  }
  llvm::Type* pointer = inner.getPtrTy();
  const llvm::FunctionCallee callee = module.getOrInsertFunction(
      is_single ? "weft_rt_complex_f32" : "weft_rt_complex_f64",
      llvm::FunctionType::get(inner.getVoidTy(), {inner.getInt32Ty(), inner.getInt64Ty(), pointer, pointer}, false));
  const llvm::Align align(element->getPrimitiveSizeInBits().getFixedValue() / 8);
  Value* operands = inner.CreateAlloca(llvm::ArrayType::get(element, parts * lanes));
  Value* results = inner.CreateAlloca(llvm::ArrayType::get(element, 2 * lanes));
  auto part = [&](Value* memory, uint64_t i) { return inner.CreateConstGEP1_64(element, memory, i * lanes); };
  for (unsigned i = 0; i < parts; ++i) inner.CreateAlignedStore(helper->getArg(i), part(operands, i), align);
  inner.CreateCall(callee, {inner.getInt32(static_cast<uint32_t>(which)), inner.getInt64(lanes), operands, results});
  Value* parts_read[2];
  for (unsigned i = 0; i < 2; ++i) parts_read[i] = inner.CreateAlignedLoad(type, part(results, i), align);
  inner.CreateRet(joined(parts_read[0], parts_read[1]));
  return helper;
}

namespace {

std::string name_of(const ScalarProgram& program, std::span<const int> results, int lanes, ElementType rounded) {
  Hasher hash;
  for (const ScalarNode& n : program.nodes()) {
    hash.add(static_cast<uint64_t>(n.op) << 8 | static_cast<uint64_t>(n.type));
    for (int32_t operand : {n.a, n.b, n.c, n.d}) hash.add(static_cast<uint64_t>(static_cast<uint32_t>(operand)));
    hash.add(n.bits);
  }
  for (int result : results) hash.add(static_cast<uint64_t>(result));
  hash.add(static_cast<uint64_t>(rounded));
  return "weft.scalar." + hash_text(hash.value()) + ".x" + std::to_string(lanes);
}

/// How many instructions there are, roughly: what the time to compile goes by.
size_t size_of(const ScalarProgram& program, int lanes, ElementType rounded) {
  constexpr size_t kVectorBits = 512, kIntegerQuotient = 6, kSmallFloatRounding = 50, kBf16Rounding = 8,
                   kHalfRounding = 2;
  const auto vectors = [&](int bits) {
    return (static_cast<size_t>(lanes * std::max(bits, 32)) + kVectorBits - 1) / kVectorBits;
  };
  size_t size = 0;
  for (const ScalarNode& n : program.nodes()) {
    if (n.op == ScalarOpcode::kArg || n.op == ScalarOpcode::kConst) continue;
    const bool divides = !is_float(n.type) && (n.op == ScalarOpcode::kDiv || n.op == ScalarOpcode::kRem);
    // No vector instruction divides 64-bit integers.
    if (divides && bit_width(n.type) == 64) size += kIntegerQuotient * static_cast<size_t>(lanes);
    else size += (divides ? kIntegerQuotient : 1) * vectors(bit_width(n.type));
  }
  if (is_small_float(rounded)) size += kSmallFloatRounding * vectors(32);
  if (rounded == ElementType::kBF16) size += kBf16Rounding * vectors(32);
  if (rounded == ElementType::kF16) size += kHalfRounding * vectors(32);
  return size;
}

}  // namespace

std::vector<Value*> ScalarCode::emit(llvm::IRBuilder<>& b, const ScalarProgram& program, std::span<const int> results,
                                     std::span<Value* const> args, int lanes, ElementType rounded) {
  const auto emit_to = [&](llvm::IRBuilder<>& to, std::span<Value* const> inputs) {
    std::vector<Value*> out = emit_scalar(to, program, results, inputs, lanes);
    if (out.size() == 1) out[0] = round_to(to, out[0], rounded);
    return out;
  };
  constexpr size_t kInPlace = 2048, kWorthACall = 24;
  const size_t size = size_of(program, lanes, rounded);
  const auto passes = [](const Value* v) {
    const unsigned bits = v->getType()->getScalarSizeInBits();
    return bits == 32 || bits == 64;
  };
  const bool can_call = std::ranges::all_of(args, passes) && std::ranges::all_of(results, [&](int r) {
                          return bit_width(program[r].type) == 32 || bit_width(program[r].type) == 64;
                        });
  if (size < kWorthACall || size_ + size <= kInPlace || !can_call) {
    size_ += size;
    return emit_to(b, args);
  }
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const std::string name = name_of(program, results, lanes, rounded);
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) {
    std::vector<llvm::Type*> types, parts;
    for (const Value* v : args) types.push_back(v->getType());
    for (int r : results) parts.push_back(with_lanes(register_type(b.getContext(), program[r].type), lanes));
    llvm::Type* result = parts.size() == 1 ? parts[0] : llvm::StructType::get(b.getContext(), parts);
    function = new_shared_function(b, llvm::FunctionType::get(result, types, false), name);
    llvm::IRBuilder<> inner(llvm::BasicBlock::Create(b.getContext(), "entry", function));
    std::vector<Value*> inputs;
    for (llvm::Argument& a : function->args()) inputs.push_back(&a);
    const std::vector<Value*> made = emit_to(inner, inputs);
    Value* all = parts.size() == 1 ? made[0] : llvm::PoisonValue::get(result);
    for (unsigned i = 0; parts.size() > 1 && i < parts.size(); ++i) all = inner.CreateInsertValue(all, made[i], i);
    inner.CreateRet(all);
  }
  Value* called = b.CreateCall(function, llvm::ArrayRef(args.data(), args.size()));
  if (results.size() == 1) return {called};
  std::vector<Value*> out;
  for (unsigned i = 0; i < results.size(); ++i) out.push_back(b.CreateExtractValue(called, i));
  return out;
}

}  // namespace weft::codegen
