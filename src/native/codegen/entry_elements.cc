// Single elements of tensors, read and written by the entry itself.
#include <llvm/IR/Intrinsics.h>

#include "native/codegen/entry_emitter.h"
#include "ops/families.h"

namespace weft::native {

llvm::Value* EntryEmitter::element_index(Value v, int64_t extent) {
  llvm::Value* i = scalar(v);
  const bool is_signed = is_signed_integer(f_.type(v).element_type());
  i = is_signed ? b_.CreateSExt(i, i64_) : b_.CreateZExt(i, i64_);
  const IntegerRange known = facts_.range(v);
  if (in_.open == nullptr && known.low >= 0 && known.high < extent) return i;
  if (is_signed) i = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, i, b_.getInt64(0));
  llvm::Value* last = b_.CreateSub(number(extent), b_.getInt64(1), "last", /*NUW=*/true, /*NSW=*/true);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, i, last);
}

llvm::Value* EntryEmitter::element_address(const OpView& op, llvm::Value* base) {
  const Type whole = op.operand_type(0);
  const bool is_static = op.def().mnemonic == "stablehlo.slice";
  const size_t first_index = op.def().mnemonic == "stablehlo.dynamic_update_slice" ? 2 : 1;
  llvm::Value* at = b_.getInt64(0);
  for (size_t d = 0; d < whole.shape().size(); ++d) {
    const int64_t extent = whole.dim(static_cast<int64_t>(d));
    llvm::Value* i =
        is_static ? number(op.attrs().ints("start_indices")[d]) : element_index(op.operand(first_index + d), extent);
    at = b_.CreateAdd(b_.CreateMul(at, number(extent), "row", true, true), i, "at", true, true);
  }
  const ElementType e = whole.element_type();
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateMul(at, b_.getInt64(byte_size(e)), "byte", true, true));
}

void EntryEmitter::emit_element(const Step& step) {
  const OpView op{f_, step.op};
  const Value whole = op.operand(0);
  if (step.kernel.updates_input.empty()) {
    const Value out = step.kernel.outputs[0];
    return set_scalar(out, load(f_.type(out), element_address(op, address(whole))));
  }
  llvm::Value* value = scalar(step.kernel.inputs[1]);
  if (in_.memory.find(whole) != in_.memory.find(op.result()))
    copy(address(op.result()), address(whole), value_bytes(f_.type(whole)));
  store(f_.type(step.kernel.inputs[1]), value, element_address(op, address(op.result())));
}

}  // namespace weft::native
