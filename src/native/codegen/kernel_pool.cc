#include "native/codegen/kernel_pool.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <atomic>
#include <exception>
#include <thread>

#include "native/codegen/jit.h"
#include "native/codegen/scalar_emit.h"

namespace weft::native {
namespace {

/// So many kernels are one module: enough to be worth an LLVM context and a target machine, few enough to be shared out evenly.
constexpr size_t kKernelsPerModule = 8;

llvm::Function* declare(llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& c = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(c);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(c), {llvm::PointerType::get(c, 0), i64, i64}, false);
  auto* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  f->addFnAttr(llvm::Attribute::NoUnwind);
  return f;
}

}  // namespace

std::string kernel_name(const FusedKernel& kernel, const codegen::KernelOptions& options) {
  return "k_" + codegen::kernel_hash(*kernel.function, options);
}

const KernelCode& KernelPool::get(const FusedKernel& kernel) {
  const std::string name = kernel_name(kernel, options_);
  const auto [it, is_new] = index_.try_emplace(name, pool_.size());
  if (is_new) {
    auto entry = std::make_unique<Entry>();
    entry->function = kernel.function;
    entry->code.name = name;
    entry->code.plan = codegen::plan_kernel(*kernel.function, options_);
    if (entry->code.plan.units > 0) {
      entry->code.code.main = declare(module_, name);
      if (entry->code.plan.scratch_bytes > 0) entry->code.code.finish = declare(module_, name + "_finish");
    }
    pool_.push_back(std::move(entry));
  }
  return pool_[it->second]->code;
}

void KernelPool::emit_into(llvm::Module& module, const Entry& entry) const {
  const codegen::EmittedKernel made =
      codegen::emit_kernel(module, *entry.function, entry.code.plan, options_, entry.code.name);
  for (llvm::Function* f : {made.main, made.finish}) {
    // Other modules of the program call it, and nobody else.
    if (f != nullptr) f->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

void KernelPool::emit_here() {
  for (const auto& entry : pool_) {
    llvm::Function* const declared[] = {entry->code.code.main, entry->code.code.finish};
    for (llvm::Function* f : declared) {
      if (f != nullptr) f->setName("declared");
    }
    if (entry->code.plan.units <= 0) continue;
    const codegen::EmittedKernel made =
        codegen::emit_kernel(module_, *entry->function, entry->code.plan, options_, entry->code.name);
    llvm::Function* const defined[] = {made.main, made.finish};
    for (size_t i = 0; i < 2; ++i) {
      if (declared[i] == nullptr) continue;
      declared[i]->replaceAllUsesWith(defined[i]);
      declared[i]->eraseFromParent();
      defined[i]->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    entry->code.code = made;
  }
}

std::vector<std::byte> KernelPool::generate_part(size_t begin, size_t end, const codegen::DumpFn& dump) const {
  llvm::LLVMContext context;
  llvm::Module module("kernels" + std::to_string(begin / kKernelsPerModule), context);
  codegen::set_target(module, options_.isa);
  if (options_.contract) codegen::allow_contraction(module);
  for (size_t i = begin; i < end; ++i) {
    if (pool_[i]->code.plan.units > 0) emit_into(module, *pool_[i]);
  }
  if (dump) codegen::dump_code(module, options_.isa, dump);
  return codegen::emit_object(module, options_.isa);
}

std::vector<std::vector<std::byte>> KernelPool::generate(int threads, const codegen::DumpFn& dump) {
  if (pool_.size() <= kKernelsPerModule) {
    emit_here();
    if (dump) codegen::dump_code(module_, options_.isa, dump);
    return {codegen::emit_object(module_, options_.isa)};
  }
  // Part 0 is the module of the entry, mostly the longest.
  const size_t parts = 1 + (pool_.size() + kKernelsPerModule - 1) / kKernelsPerModule;
  std::vector<std::vector<std::byte>> objects(parts);
  std::vector<std::exception_ptr> errors(parts);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t part = next++; part < parts; part = next++) {
      try {
        if (part == 0) {
          if (dump) codegen::dump_code(module_, options_.isa, dump);
          objects[0] = codegen::emit_object(module_, options_.isa);
        } else {
          const size_t begin = (part - 1) * kKernelsPerModule;
          objects[part] = generate_part(begin, std::min(pool_.size(), begin + kKernelsPerModule), dump);
        }
      } catch (...) { errors[part] = std::current_exception(); }
    }
  };
  const size_t wanted = dump ? 1 : std::min<size_t>(static_cast<size_t>(std::max(threads, 1)), parts);
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < wanted) others.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads to be had: those there are do it all
  }
  work();
  for (std::thread& t : others) t.join();
  for (const std::exception_ptr& e : errors) {
    if (e != nullptr) std::rethrow_exception(e);
  }
  return objects;
}

}  // namespace weft::native
