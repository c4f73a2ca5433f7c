#include "native/compile.h"

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <algorithm>
#include <thread>
#include <unordered_map>

#include "native/account.h"
#include "native/codegen/dump.h"
#include "native/codegen/entry.h"
#include "native/contraction/channels_last.h"
#include "native/contraction/prepare.h"
#include "native/lower/lower.h"
#include "native/schedule/expand_top_k.h"
#include "native/schedule/memory.h"
#include "native/schedule/schedule.h"
#include "ops/runnable.h"
#include "text/print.h"
#include "transform/inline.h"
#include "transform/loops.h"
#include "transform/simplify.h"

namespace weft::native {
namespace {

bool is_disabled(const CompileOptions& options, std::string_view pass) {
  return std::ranges::find(options.disabled, pass) != options.disabled.end();
}

class Libraries : public LibraryChooser {
 public:
  Libraries(const CompileOptions& options, int partitions, std::vector<LibraryStep>& calls)
      : options_(options), partitions_(partitions), calls_(calls) {}
  int choose(const OpView& op, std::string& note) override {
    return add(prepare_contraction(op, options_, partitions_, note), op.num_operands(), note);
  }
  int choose_with(const OpView& op, const Epilogue& epilogue, std::string& note) override {
    const size_t num_inputs = op.num_operands() + epilogue.inputs().size();
    const int made = add(prepare_contraction(op, options_, partitions_, note, &epilogue), num_inputs, note);
    if (made >= 0) {
      note += "; with it:";
      for (size_t at = 1; at < epilogue.members.size(); ++at)
        note += " " + std::string(op.function.def(epilogue.members[at]).mnemonic);
    }
    return made;
  }

 private:
  int add(std::unique_ptr<LibraryKernel> call, size_t num_inputs, std::string& note) {
    if (call == nullptr) return -1;
    note = call->implementation() + (note.empty() ? "" : " (" + note + ")");
    calls_.push_back({std::move(call), num_inputs});
    return static_cast<int>(calls_.size() - 1);
  }

  const CompileOptions& options_;
  const int partitions_;
  std::vector<LibraryStep>& calls_;
};

/// Kernels of one module: equal ones are emitted once.
class Kernels {
 public:
  Kernels(llvm::Module& module, const codegen::KernelOptions& options) : module_(module), options_(options) {}

  const KernelCode& get(const Step& step) {
    const Function& kernel = *step.kernel.function;
    const std::string hash = codegen::kernel_hash(kernel, options_);
    const auto [it, is_new] = code_.try_emplace(hash);
    if (is_new) {
      it->second.name = "k_" + hash;
      it->second.plan = codegen::plan_kernel(kernel, options_);
      if (it->second.plan.units > 0) {
        it->second.code = codegen::emit_kernel(module_, kernel, it->second.plan, options_, it->second.name);
        for (llvm::Function* f : {it->second.code.main, it->second.code.finish}) {
          if (f != nullptr) f->setLinkage(llvm::GlobalValue::InternalLinkage);
        }
      }
      scratch_ = std::max(scratch_, it->second.plan.scratch_bytes);
    }
    return it->second;
  }
  size_t scratch_bytes() const { return scratch_; }

 private:
  llvm::Module& module_;
  const codegen::KernelOptions& options_;
  std::unordered_map<std::string, KernelCode> code_;
  size_t scratch_ = 0;
};

/// Instructions of an entry beyond which it is only brought into registers.
constexpr unsigned kLargeEntry = 12000;

/// The entry is scalar code: registers out of stack slots, common subexpressions, invariants out of loops. Kernels come as
/// wide vectors already and pass by.
void optimize(llvm::Function& entry) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  if (entry.getInstructionCount() > kLargeEntry) {
    // Common addresses kept from one end of a long entry to the other are what makes register allocation superlinear.
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    passes.addPass(llvm::InstSimplifyPass());
    passes.run(entry, functions);
    return;
  }
  auto passes =
      builder.buildFunctionSimplificationPipeline(llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None);
  passes.run(entry, functions);
}

/// Kernels would take the stored integers for the numbers.
void refuse_quantized(const Function& f) {
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    const Type t = f.type(Value{i});
    if (!t.is_quantized()) continue;
    const OpId op = f.defining_op(Value{i});
    const std::string where = op ? "[" + std::string(f.def(op).mnemonic) + "] " : "@" + f.name() + ": ";
    throw Unsupported(where + "the native target runs no quantized types yet (the evaluator does): got " + t.str(),
                      op ? f.loc(op) : f.loc());
  }
}

void add_host_ops(const Block& block, std::vector<OpId>& out) {
  for (const Step& step : block.steps) {
    if (step.kind == StepKind::kHost) out.push_back(step.op);
    for (const Block& inner : step.blocks) add_host_ops(inner, out);
  }
}

/// Values beyond what a process can address would overflow the sums of the memory plan.
void expect_addressable(const Function& f) {
  constexpr size_t kAddressable = size_t{1} << 47;
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    const Type t = f.type(Value{i});
    if (t.is_tensor() && t.is_static() && t.num_bytes() > kAddressable)
      throw UserError("out of memory: a value of type " + t.str() + " is larger than the address space", f.loc());
  }
}

}  // namespace

CompiledProgram compile_into(llvm::Module& module, const Module& program, const std::string& entry,
                             const CompileOptions& options, const codegen::KernelOptions& kernel_options,
                             const std::string& symbol) {
  CompiledProgram out;
  const Function& source = program.get(entry);
  if (const std::string chain = recursion_chain(program, source); !chain.empty()) {
    throw Unsupported("the native target does not run recursion yet: " + chain, source.loc());
  }
  expect_runnable(program, entry);
  if (const Function* missing = called_declaration(program, source))
    throw Unsupported("[func.call] @" + missing->name() + " has no body: there is nothing to run", missing->loc());
  if (options.dump) options.dump("input", entry, print_function(source));
  const std::unique_ptr<Function> inlined = lower(expand_approx_top_k(program, inline_calls(program, source)));
  refuse_quantized(*inlined);
  if (options.dump) options.dump("inlined", entry, print_function(*inlined));
  std::shared_ptr<const Function> function =
      transform_loops(lower_barriers(simplify(*inlined, nullptr, {options.disabled})), options.disabled);
  if (!options.no_libraries && !is_disabled(options, "channels_last")) {
    if (const auto ordered = channels_last(*function)) function = simplify(*ordered, nullptr, {options.disabled});
  }
  if (options.dump) options.dump("simplified", entry, print_function(*function));
  expect_addressable(*function);
  out.function = function;
  Libraries libraries(options, kernel_options.partitions, out.libraries);
  Block steps = schedule(*function, libraries, !is_disabled(options, "fuse"));
  number_steps(steps);
  const MemoryPlan memory = plan_memory(*function, steps, options, !is_disabled(options, "in_place"));
  Kernels kernels(module, kernel_options);
  EntryLayout layout;
  layout.scratch_offset = (memory.arena_bytes + 63) / 64 * 64;
  size_t step_scratch = 0;
  EntryInput input{*function,
                   steps,
                   memory,
                   [&](const Step& step) -> const KernelCode& { return kernels.get(step); },
                   kernel_options.partitions,
                   out.sites,
                   step_scratch,
                   options.profile};
  optimize(*emit_entry(module, input, layout, symbol));
  size_t scratch = std::max(kernels.scratch_bytes(), step_scratch);
  for (const LibraryStep& call : out.libraries) scratch = std::max(scratch, call.kernel->scratch_bytes());
  out.workspace_bytes = memory.arena_bytes + scratch == 0 ? 0 : layout.scratch_offset + scratch;
  add_host_ops(steps, out.host_ops);
  out.account = account_of(*function, steps, memory, [&](const Step& step) { return kernels.get(step).name; });
  out.account.scratch_bytes = scratch;
  if (options.dump) codegen::dump_code(module, kernel_options.isa, options.dump);
  return out;
}

}  // namespace weft::native
