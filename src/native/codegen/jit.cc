#include "native/codegen/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>

#include "weft/error.h"

namespace weft::codegen {
namespace {

void initialize_llvm() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

std::unique_ptr<llvm::TargetMachine> target_machine(const Isa& isa) {
  initialize_llvm();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) throw InternalError("[codegen] LLVM has no target for " + triple + ": " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, isa.cpu, isa.features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine) throw InternalError("[codegen] LLVM makes no target machine for " + isa.cpu);
  return machine;
}

[[noreturn]] void fail(const char* what, llvm::Error error) {
  throw InternalError("[codegen] " + std::string(what) + ": " + llvm::toString(std::move(error)));
}

llvm::SmallVector<char, 0> compile(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(module, &problems)) throw InternalError("[codegen] generated code is malformed: " + problem);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type))
    throw InternalError("[codegen] LLVM cannot emit this file type");
  passes.run(module);
  return bytes;
}

}  // namespace

struct Jit::State {
  Isa isa;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::mutex mutex;
};

Jit::Jit(const Isa& isa, std::span<const std::pair<std::string, void*>> symbols) : state_(std::make_unique<State>()) {
  state_->isa = isa;
  state_->machine = target_machine(isa);
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create();
  if (!jit) fail("LLVM's JIT does not start", jit.takeError());
  state_->jit = std::move(*jit);
  llvm::orc::JITDylib& lib = state_->jit->getMainJITDylib();
  if (!symbols.empty()) {
    llvm::orc::SymbolMap map;
    for (const auto& [name, address] : symbols) {
      map[state_->jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                                 llvm::JITSymbolFlags::Exported};
    }
    if (auto e = lib.define(llvm::orc::absoluteSymbols(std::move(map)))) fail("symbols", std::move(e));
  }
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(state_->jit->getDataLayout().getGlobalPrefix());
  if (!process) fail("process symbols", process.takeError());
  lib.addGenerator(std::move(*process));
}

Jit::~Jit() = default;

llvm::LLVMContext& Jit::context() { return *state_->context; }

std::unique_ptr<llvm::Module> Jit::new_module(const std::string& name) {
  auto module = std::make_unique<llvm::Module>(name, *state_->context);
  module->setTargetTriple(state_->machine->getTargetTriple().str());
  module->setDataLayout(state_->machine->createDataLayout());
  return module;
}

void Jit::add(std::unique_ptr<llvm::Module> module) {
  const std::lock_guard lock(state_->mutex);
  const llvm::SmallVector<char, 0> bytes = compile(*module, *state_->machine, llvm::CodeGenFileType::ObjectFile);
  if (on_object) on_object(module->getName().str(), std::as_bytes(std::span(bytes.data(), bytes.size())));
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(bytes.data(), bytes.size()), module->getName());
  if (auto e = state_->jit->addObjectFile(std::move(buffer))) fail("object", std::move(e));
}

void Jit::add_object(std::vector<std::byte> object, const std::string& name) {
  const std::lock_guard lock(state_->mutex);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(reinterpret_cast<const char*>(object.data()), object.size()), name);
  if (auto e = state_->jit->addObjectFile(std::move(buffer))) fail("object", std::move(e));
}

void* Jit::find(const std::string& name) {
  const std::lock_guard lock(state_->mutex);
  auto symbol = state_->jit->lookup(name);
  if (!symbol) fail("lookup", symbol.takeError());
  return symbol->toPtr<void*>();
}

void set_target(llvm::Module& module, const Isa& isa) {
  const auto machine = target_machine(isa);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
}

std::vector<std::byte> emit_object(llvm::Module& module, const Isa& isa) {
  const auto machine = target_machine(isa);
  const auto bytes = compile(module, *machine, llvm::CodeGenFileType::ObjectFile);
  const auto span = std::as_bytes(std::span(bytes.data(), bytes.size()));
  return {span.begin(), span.end()};
}

std::string emit_assembly(llvm::Module& module, const Isa& isa) {
  const auto machine = target_machine(isa);
  const auto bytes = compile(module, *machine, llvm::CodeGenFileType::AssemblyFile);
  return {bytes.data(), bytes.size()};
}

}  // namespace weft::codegen
