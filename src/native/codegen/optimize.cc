#include "native/codegen/optimize.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopLoadElimination.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollAndJamPass.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "native/codegen/jam_sums.h"
#include "weft/error.h"

namespace weft::codegen {
namespace {

/// Instructions beyond which a function is only brought into registers.
constexpr unsigned kLong = 12000;

std::unique_ptr<llvm::TargetMachine> machine_of(const llvm::Module& module, const Isa& isa) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (target == nullptr) throw InternalError("[codegen] LLVM has no target for the module: " + error);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      module.getTargetTriple(), isa.cpu, isa.features, llvm::TargetOptions(), llvm::Reloc::PIC_));
}

/// Sums in the order of the program, of terms that are computed as vectors: for this CPU LLVM leaves that out unless it is told.
void allow_ordered_sums() {
  static const bool done = [] {
    const auto& all = llvm::cl::getRegisteredOptions();
    const auto found = all.find("force-ordered-reductions");
    return found != all.end() && !found->second->addOccurrence(0, found->first(), "true");
  }();
  (void)done;
}

}  // namespace

struct Optimizer::State {
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  llvm::FunctionPassManager shortest, scalar, jam, loop;

  State(const llvm::Module& module, const Isa& isa) : machine(machine_of(module, isa)), builder(machine.get()) {
    allow_ordered_sums();
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    // Common addresses kept from one end of a long entry to the other are what makes register allocation superlinear.
    shortest.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    shortest.addPass(llvm::InstSimplifyPass());
    scalar = builder.buildFunctionSimplificationPipeline(llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None);
    jam.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopUnrollAndJamPass(2)));
    jam.addPass(llvm::SLPVectorizerPass());
    // Not the SLP vectoriser: it counts throughput, and what it shuffles into pairs lengthens the chain from one iteration to the next, which
    // is what scalar loops wait for (Mandelbrot 1.25 times as long with it, five bodies 1.2, Life 2.1; of 30 loops two gained, 1.15).
    loop.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
    loop.addPass(llvm::LoopVectorizePass());
    loop.addPass(llvm::LoopLoadEliminationPass());
    loop.addPass(llvm::InstCombinePass());
    loop.addPass(llvm::SimplifyCFGPass());
    loop.addPass(llvm::VectorCombinePass());
    loop.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2)));
    loop.addPass(llvm::InstCombinePass());
    loop.addPass(llvm::EarlyCSEPass());
    loop.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    loop.addPass(llvm::SimplifyCFGPass());
  }
};

Optimizer::Optimizer(llvm::Module& module, const Isa& isa) : state_(std::make_unique<State>(module, isa)) {}
Optimizer::~Optimizer() = default;

void Optimizer::run(llvm::Function& function) {
  if (function.getInstructionCount() > kLong) {
    state_->shortest.run(function, state_->functions);
  } else {
    state_->scalar.run(function, state_->functions);
    auto& loops = state_->functions.getResult<llvm::LoopAnalysis>(function);
    if (mark_ordered_sums(loops)) state_->jam.run(function, state_->functions);
    if (!loops.empty()) state_->loop.run(function, state_->functions);
  }
  // What is known of it would not hold any more once somebody else changes it.
  state_->functions.clear(function, function.getName());
}

}  // namespace weft::codegen
