#include "native/codegen/comparator.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstring>
#include <unordered_map>

#include "native/codegen/scalar_emit.h"

namespace weft::codegen {
namespace {

bool is_computed(ElementType t) {
  using enum ElementType;
  return is_boolean(t) || is_integer(t) || t == kF16 || t == kBF16 || t == kF32 || t == kF64;
}

bool is_constant(const Function& f, weft::Value v) {
  const OpId op = f.defining_op(v);
  return op && f.def(op).mnemonic == "stablehlo.constant" && f.type(v).is_tensor() && f.type(v).rank() == 0 &&
         is_computed(f.type(v).element_type());
}

/// The real or imaginary part of a complex argument of the region.
bool is_part(const OpView& op, RegionId region) {
  const std::string_view name = op.def().mnemonic;
  if (name != "stablehlo.real" && name != "stablehlo.imag") return false;
  const weft::Value v = op.operand(0);
  return is_complex(op.operand_type(0).element_type()) && !op.function.defining_op(v) &&
         op.function.region(v) == region;
}

class ComparatorEmitter {
 public:
  ComparatorEmitter(llvm::Function& function, const OpView& sort, int64_t step)
      : f_(sort.function),
        region_(sort.region(0)),
        step_(step),
        function_(function),
        b_(llvm::BasicBlock::Create(function.getContext(), "entry", &function)) {}

  void run() {
    for (const OpId id : f_.ops(region_)) {
      const OpView op{f_, id};
      if (op.def().is_terminator) {
        b_.CreateRet(b_.CreateZExt(value(op.operand(0)), b_.getInt32Ty()));
        return;
      }
      if (!is_constant(f_, op.result())) values_[op.result()] = compute(op);
    }
  }

 private:
  llvm::LLVMContext& context() { return function_.getContext(); }

  llvm::Value* value(weft::Value v) {
    auto& known = values_[v];
    if (known == nullptr) known = is_constant(f_, v) ? constant(v) : argument(v);
    return known;
  }

  llvm::Value* constant(weft::Value v) {
    const Literal& literal = f_.attrs(f_.defining_op(v)).literal("value");
    const ElementType t = literal.type.element_type();
    uint64_t bits = 0;
    std::memcpy(&bits, literal.element(0), byte_size(t));
    return register_constant(context(), t, bits, 1);
  }

  /// Arguments come in pairs, one per operand of the sort: of element a and of element b.
  llvm::Value* argument(weft::Value v) { return load(v, f_.type(v).element_type(), 1, 0); }

  /// Number `part` of the `parts` of which an element consists.
  llvm::Value* load(weft::Value v, ElementType t, int64_t parts, int64_t part) {
    const size_t position = f_.position(v);
    llvm::Value* line =
        b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_.getArg(0), position / 2));
    llvm::Value* at = function_.getArg(1 + position % 2);
    if (step_ * parts != 1) at = b_.CreateMul(at, b_.getInt64(static_cast<uint64_t>(step_ * parts)));
    if (part != 0) at = b_.CreateAdd(at, b_.getInt64(static_cast<uint64_t>(part)));
    llvm::Type* memory = memory_type(context(), t);
    return from_memory(b_, b_.CreateLoad(memory, b_.CreateInBoundsGEP(memory, line, at)), t);
  }

  llvm::Value* compute(const OpView& op) {
    const ElementType to = op.result_type().element_type();
    if (is_part(op, region_)) return load(op.operand(0), to, 2, op.def().mnemonic == "stablehlo.imag" ? 1 : 0);
    std::vector<llvm::Value*> operands;
    for (weft::Value v : op.operands()) operands.push_back(value(v));
    if (op.def().mnemonic == "stablehlo.convert")
      return emit_convert(b_, operands[0], op.operand_type(0).element_type(), to, 1);
    ScalarProgram program;
    std::vector<SExpr> exprs;
    for (size_t i = 0; i < operands.size(); ++i) {
      exprs.push_back(SExpr::arg(program, static_cast<int>(i), compute_type(op.operand_type(i).element_type())));
    }
    const SExpr result = record(op).scalar.require(op, "native")(op, exprs);
    return round_to(b_, emit_scalar(b_, program, result.id(), operands, 1), to);
  }

  const Function& f_;
  const RegionId region_;
  const int64_t step_;
  llvm::Function& function_;
  llvm::IRBuilder<> b_;
  std::unordered_map<weft::Value, llvm::Value*> values_;
};

}  // namespace

bool can_compile_comparator(const OpView& sort, std::string* reason) {
  const Function& f = sort.function;
  const RegionId region = sort.region(0);
  const auto refuse = [&](std::string text) {
    if (reason != nullptr) *reason = std::move(text);
    return false;
  };
  for (const OpId id : f.ops(region)) {
    const OpView op{f, id};
    const bool reads_part = op.num_operands() == 1 && is_part(op, region);
    for (weft::Value v : op.operands()) {
      if (reads_part) break;
      const Type t = f.type(v);
      if (!t.is_tensor() || t.rank() != 0 || !is_computed(t.element_type()))
        return refuse("the comparator computes on " + t.str());
      if (f.region(v) != region && !is_constant(f, v)) return refuse("the comparator reads a value from outside it");
    }
    if (op.def().is_terminator) continue;
    const std::string name(op.def().mnemonic);
    if (op.num_results() != 1 || !op.regions().empty()) return refuse(name + " in the comparator");
    if (is_constant(f, op.result())) continue;
    const Type t = op.result_type();
    if (!t.is_tensor() || t.rank() != 0 || !is_computed(t.element_type()))
      return refuse("the comparator computes " + t.str());
    if (!reads_part && name != "stablehlo.convert" && record(op).scalar.refused())
      return refuse(name + " in the comparator");
  }
  return true;
}

llvm::Function* emit_comparator(llvm::Module& module, const OpView& sort, int64_t step, const std::string& name) {
  llvm::LLVMContext& c = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(c);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(c), {llvm::PointerType::get(c, 0), i64, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  ComparatorEmitter(*function, sort, step).run();
  return function;
}

}  // namespace weft::codegen
