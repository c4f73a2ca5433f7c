#include "native/codegen/comparator.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "native/codegen/kernel.h"
#include "native/codegen/scalar_emit.h"
#include "ops/families.h"

namespace weft::codegen {
namespace {

bool is_computed(ElementType t) { return !is_index(t); }

bool is_constant(const Function& f, weft::Value v) {
  const OpId op = f.defining_op(v);
  return op && f.def(op).mnemonic == "stablehlo.constant" && f.type(v).is_tensor() && f.type(v).rank() == 0 &&
         is_computed(f.type(v).element_type());
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
    // Branches may use arguments: their loads stand before all of them.
    for (weft::Value v : f_.args(region_)) value(v);
    const OpView end = emit(region_);
    b_.CreateRet(b_.CreateZExt(value(end.operand(0))[0], b_.getInt32Ty()));
  }

 private:
  llvm::LLVMContext& context() { return function_.getContext(); }

  /// A value in a register, or two parts of a complex number.
  using Parts = std::vector<llvm::Value*>;

  /// The ops of a region; returns its terminator.
  OpView emit(RegionId region) {
    for (const OpId id : f_.ops(region)) {
      const OpView op{f_, id};
      if (op.def().is_terminator) break;
      if (!op.regions().empty()) {
        choose(op);
      } else if (!is_constant(f_, op.result())) {
        values_[op.result()] = compute(op);
      }
    }
    return {f_, f_.terminator(region)};
  }

  /// if and case: control flow as it is written.
  void choose(const OpView& op) {
    llvm::Value* which = value(op.operand(0))[0];
    llvm::BasicBlock* before = b_.GetInsertBlock();
    std::vector<llvm::BasicBlock*> first, last;
    std::vector<std::vector<Parts>> results;
    for (const RegionId r : op.regions()) {
      first.push_back(llvm::BasicBlock::Create(context(), "branch", &function_));
      b_.SetInsertPoint(first.back());
      const OpView end = emit(r);
      results.emplace_back();
      for (weft::Value v : end.operands()) results.back().push_back(value(v));
      last.push_back(b_.GetInsertBlock());
    }
    b_.SetInsertPoint(before);
    if (op.def().mnemonic == "stablehlo.if") {
      b_.CreateCondBr(which, first[0], first[1]);
    } else {
      // Any other index is that of the last branch.
      llvm::SwitchInst* choice = b_.CreateSwitch(which, first.back(), static_cast<unsigned>(first.size()));
      for (size_t k = 0; k + 1 < first.size(); ++k)
        choice->addCase(llvm::ConstantInt::get(llvm::cast<llvm::IntegerType>(which->getType()), k), first[k]);
    }
    llvm::BasicBlock* after = llvm::BasicBlock::Create(context(), "after", &function_);
    for (llvm::BasicBlock* block : last) {
      b_.SetInsertPoint(block);
      b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
    for (size_t i = 0; i < op.num_results(); ++i) {
      Parts joined;
      for (size_t part = 0; part < results[0][i].size(); ++part) {
        llvm::PHINode* phi = b_.CreatePHI(results[0][i][part]->getType(), static_cast<unsigned>(last.size()));
        for (size_t k = 0; k < last.size(); ++k) phi->addIncoming(results[k][i][part], last[k]);
        joined.push_back(phi);
      }
      values_[op.result(i)] = std::move(joined);
    }
  }

  const Parts& value(weft::Value v) {
    Parts& known = values_[v];
    if (known.empty()) known = is_constant(f_, v) ? constant(v) : argument(v);
    return known;
  }

  Parts constant(weft::Value v) {
    const Literal& literal = f_.attrs(f_.defining_op(v)).literal("value");
    const ElementType t = literal.type.element_type(), part = part_type(t);
    Parts parts;
    for (size_t i = 0; i < byte_size(t) / byte_size(part); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, literal.element(0) + i * byte_size(part), byte_size(part));
      parts.push_back(register_constant(context(), part, bits, 1));
    }
    return parts;
  }

  /// Arguments come in pairs, one per operand of the sort: of element a and of element b.
  Parts argument(weft::Value v) {
    const size_t position = f_.position(v);
    const ElementType t = f_.type(v).element_type(), part = part_type(t);
    const size_t count = byte_size(t) / byte_size(part);
    llvm::Value* line =
        b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_.getArg(0), position / 2));
    llvm::Value* at = function_.getArg(1 + position % 2);
    if (const uint64_t step = static_cast<uint64_t>(step_) * count; step != 1) at = b_.CreateMul(at, b_.getInt64(step));
    llvm::Type* memory = memory_type(context(), part);
    llvm::Value* p = b_.CreateInBoundsGEP(memory, line, at);
    Parts parts;
    for (size_t i = 0; i < count; ++i)
      parts.push_back(from_memory(b_, b_.CreateLoad(memory, b_.CreateConstInBoundsGEP1_64(memory, p, i)), part));
    return parts;
  }

  Parts compute(const OpView& op) {
    Parts operands;
    std::vector<ElementType> types;
    for (weft::Value v : op.operands()) {
      const Parts& parts = value(v);
      operands.insert(operands.end(), parts.begin(), parts.end());
      types.push_back(compute_type(f_.type(v).element_type()));
    }
    const ElementType from = op.operand_type(0).element_type(), to = op.result_type().element_type();
    if (op.def().mnemonic == "stablehlo.convert" && !is_complex(from) && !is_complex(to))
      return {emit_convert(b_, operands[0], from, to, 1)};
    ScalarProgram program;
    const SExpr result = record(op).scalar.require(op, "native")(op, scalar_args(program, types));
    Parts parts = emit_scalar(b_, program, nodes_of(result), operands, 1);
    if (parts.size() == 1) parts[0] = round_to(b_, parts[0], to);
    return parts;
  }

  const Function& f_;
  const RegionId region_;
  const int64_t step_;
  llvm::Function& function_;
  llvm::IRBuilder<> b_;
  std::unordered_map<weft::Value, Parts> values_;
};

/// Why the ops of a region cannot be computed for two elements; empty when they can. known: values from around it.
std::string why_not_computed(const Function& f, RegionId region, std::unordered_set<weft::Value> known) {
  for (weft::Value v : f.args(region)) known.insert(v);
  for (const OpId id : f.ops(region)) {
    const OpView op{f, id};
    for (weft::Value v : op.operands()) {
      const Type t = f.type(v);
      if (!t.is_tensor() || t.rank() != 0 || !is_computed(t.element_type()))
        return "the comparator computes on " + t.str();
      if (!known.contains(v) && !is_constant(f, v)) return "the comparator reads a value from outside it";
    }
    if (op.def().is_terminator) continue;
    const std::string name(op.def().mnemonic);
    const bool is_choice = name == "stablehlo.if" || name == "stablehlo.case";
    if (!is_choice && (op.num_results() != 1 || !op.regions().empty())) return name + " in the comparator";
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Type t = f.type(op.result(i));
      if (!t.is_tensor() || t.rank() != 0 || !is_computed(t.element_type()))
        return "the comparator computes " + t.str();
      known.insert(op.result(i));
    }
    for (const RegionId r : op.regions()) {
      if (std::string why = why_not_computed(f, r, known); !why.empty()) return why;
    }
    if (is_choice || is_constant(f, op.result())) continue;
    if (name != "stablehlo.convert" && (record(op).scalar.refused() || !has_scalar_code(op)))
      return name + " in the comparator";
  }
  return {};
}

}  // namespace

bool can_compile_comparator(const OpView& sort, std::string* reason) {
  std::string why = why_not_computed(sort.function, sort.region(0), {});
  const bool can = why.empty();
  if (reason != nullptr && !can) *reason = std::move(why);
  return can;
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
