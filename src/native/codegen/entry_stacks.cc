// weft.stack_* in the entry: calls of the runtime, per store.
#include "native/codegen/entry_emitter.h"

namespace weft::native {

llvm::Value* EntryEmitter::new_stack(Type stack) {
  const Type element = stack.stacked();
  auto* handle = b_.CreateCall(runtime("weft_rt_stack_new", ptr_, {ptr_, i64_, i32_}),
                               {context_, number(value_bytes(element)), b_.getInt32(element.is_stack() ? 1 : 0)});
  leave_if(b_.CreateIsNull(handle));
  return handle;
}

void EntryEmitter::emit_stack_new(const Step& step) {
  const Value v = f_.result(step.op);
  const Type t = f_.type(v);
  if (t.shape().empty()) return set_scalar(v, new_stack(t));
  llvm::Value* base = address(v);
  counted(num_elements(t.shape()), [&](llvm::Value* i) { b_.CreateStore(new_stack(t), b_.CreateGEP(ptr_, base, i)); });
}

void EntryEmitter::emit_stack_push(const Step& step) {
  const Value stack = f_.operand(step.op, 0);
  const Value value = f_.operand(step.op, 1);
  for_each_store(stack, address(value), value_bytes(f_.type(stack).stacked()),
                 [&](llvm::Value* handle, llvm::Value* from) {
                   auto* status = b_.CreateCall(runtime("weft_rt_stack_push", i32_, {ptr_, ptr_}), {handle, from});
                   leave_if(b_.CreateICmpNE(status, b_.getInt32(0)));
                 });
  if (f_.type(stack).shape().empty()) set_scalar(f_.result(step.op), scalar(stack));
}

void EntryEmitter::store_zero(Type t, llvm::Value* to) {
  if (!t.is_stack()) {
    b_.CreateMemSet(to, b_.getInt8(0), number(value_bytes(t)), llvm::Align(1));
    return;
  }
  const int64_t stores = num_elements(t.shape());
  if (stores == 1) {
    b_.CreateStore(new_stack(t), to);
    return;
  }
  counted(stores, [&](llvm::Value* i) { b_.CreateStore(new_stack(t), b_.CreateGEP(ptr_, to, i)); });
}

void EntryEmitter::emit_stack_pop(const Step& step) {
  const Value stack = f_.operand(step.op, 0);
  const Value value = f_.result(step.op, 1);
  const bool to_register = !in_memory(value);
  llvm::Value* place = to_register ? element_place("popped") : address(value);
  for_each_store(stack, place, value_bytes(f_.type(stack).stacked()), [&](llvm::Value* handle, llvm::Value* to) {
    auto* status = b_.CreateCall(runtime("weft_rt_stack_try_pop", i32_, {ptr_, ptr_}), {handle, to});
    auto* empty = llvm::BasicBlock::Create(c_, "empty", fn_);
    auto* popped = llvm::BasicBlock::Create(c_, "popped", fn_);
    b_.CreateCondBr(b_.CreateICmpNE(status, b_.getInt32(0)), empty, popped);
    b_.SetInsertPoint(empty);
    store_zero(f_.type(stack).stacked(), to);
    b_.CreateBr(popped);
    b_.SetInsertPoint(popped);
  });
  if (to_register) set_scalar(value, load(f_.type(value), place));
  if (f_.type(stack).shape().empty()) set_scalar(f_.result(step.op, 0), scalar(stack));
}

}  // namespace weft::native
