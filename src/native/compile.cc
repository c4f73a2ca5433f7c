#include "native/compile.h"

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <algorithm>
#include <thread>
#include <unordered_map>

#include "ir/clone.h"
#include "native/account.h"
#include "native/codegen/dump.h"
#include "native/codegen/entry.h"
#include "native/contraction/channels_last.h"
#include "native/contraction/prepare.h"
#include "native/functions/in_out.h"
#include "native/functions/partition.h"
#include "native/kernels/linear_algebra.h"
#include "native/lower/lower.h"
#include "native/lower/random.h"
#include "native/schedule/expand_top_k.h"
#include "native/schedule/memory.h"
#include "native/schedule/memory_check.h"
#include "native/schedule/memory_use.h"
#include "native/schedule/schedule.h"
#include "ops/runnable.h"
#include "text/print.h"
#include "transform/expand_quantized.h"
#include "transform/inline.h"
#include "transform/loops.h"
#include "transform/simplify.h"

namespace weft::native {
namespace {

bool is_disabled(const CompileOptions& options, std::string_view pass) {
  return std::ranges::find(options.disabled, pass) != options.disabled.end();
}

bool uses_lapack(const CompileOptions& options) { return !options.no_libraries && !is_disabled(options, "lapack"); }

class Libraries : public LibraryChooser {
 public:
  Libraries(const CompileOptions& options, int partitions, std::vector<LibraryStep>& calls)
      : options_(options), partitions_(partitions), calls_(calls) {}
  int choose(const OpView& op, std::string& note) override {
    if (uses_lapack(options_) && is_library_matrix_op(op, note))
      return add(make_matrix_kernel(op, partitions_), op.num_operands(), note);
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
    }
    return it->second;
  }

 private:
  llvm::Module& module_;
  const codegen::KernelOptions& options_;
  std::unordered_map<std::string, KernelCode> code_;
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

void add_host_ops(const Function& f, const Block& block, std::vector<Site>& out) {
  for (const Step& step : block.steps) {
    if (step.kind == StepKind::kHost) out.push_back({&f, step.op});
    for (const Block& inner : step.blocks) add_host_ops(f, inner, out);
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

/// Each function in its final form, before it is scheduled. `program` has what custom calls name.
void simplify_functions(const Module& program, Module& functions, const CompileOptions& options) {
  std::vector<std::string> names;
  for (const auto& f : functions.functions()) names.push_back(f->name());
  for (const std::string& name : names) {
    const Function& f = functions.replace(
        lower(expand_approx_top_k(program, clone_function(functions.get(name), name)), uses_lapack(options)));
    if (options.dump) options.dump("inlined", name, print_function(f));
    if (has_quantized_values(f)) functions.replace(expand_quantized(f));
  }
  for (const std::string& name : names) {
    std::unique_ptr<Function> simple = transform_loops(
        lower_barriers(simplify(functions.get(name), &functions, {options.disabled})), options.disabled);
    if (!options.no_libraries && !is_disabled(options, "channels_last")) {
      if (const auto ordered = channels_last(*simple)) simple = simplify(*ordered, &functions, {options.disabled});
    }
    const Function& f = functions.replace(std::move(simple));
    if (options.dump) options.dump("simplified", name, print_function(f));
    expect_addressable(f);
  }
}

}  // namespace

CompiledProgram compile_into(llvm::Module& module, const Module& given, const std::string& entry,
                             const CompileOptions& options, const codegen::KernelOptions& kernel_options,
                             const std::string& symbol, size_t external_constant_bytes) {
  CompiledProgram out;
  const std::unique_ptr<Module> seeded = with_seeds(given);
  const Module& program = seeded != nullptr ? *seeded : given;
  const Function& source = program.get(entry);
  expect_runnable(program, entry);
  if (const Function* missing = called_declaration(program, source))
    throw Unsupported("[func.call] @" + missing->name() + " has no body: there is nothing to run", missing->loc());
  if (options.dump) options.dump("input", entry, print_function(source));
  const Partition partition = partition_functions(program, entry);
  const bool has_quantized = has_quantized_values(partition.module->get(partition.entry));
  out.arg_types = partition.module->get(partition.entry).arg_types();
  out.result_types = partition.module->get(partition.entry).result_types();
  simplify_functions(program, *partition.module, options);
  out.functions = partition.module;

  const bool in_place = !is_disabled(options, "in_place");
  const std::vector<const Function*> order = callees_first(*partition.module, partition.entry);
  const auto in_out = find_in_out(*partition.module);
  Libraries libraries(options, kernel_options.partitions, out.libraries);
  Kernels kernels(module, kernel_options);
  std::unordered_map<std::string, FunctionCode> functions;
  int num_steps = 0;
  for (const Function* f : order) {
    if (f->name() == partition.entry) break;
    FunctionCode& code = functions[f->name()];
    code.in_out = in_out.at(f->name());
    code.is_recursive = is_recursive(*partition.module, f->name());
    code.needs_frames = !recursion_chain(*partition.module, *f).empty();
    declare_function(module, *f, code);
  }
  for (const Function* f : order) {
    const bool is_entry = f->name() == partition.entry;
    Block steps = schedule(*f, libraries, !is_disabled(options, "fuse"));
    num_steps = number_steps(steps, num_steps, is_entry);
    const InOutPairs& shared = is_entry ? options.donations : in_out.at(f->name());
    const MemoryPlanInput rules = {shared, in_place, !is_entry, &in_out, options.guard_pages && is_entry};
    const MemoryPlan memory = plan_memory(*f, steps, rules);
    if (options.check_memory_plan || kAlwaysCheckMemoryPlan) check_memory_plan(*f, steps, memory, rules);
    const EntryLayout layout{(memory.arena_bytes + 63) / 64 * 64};
    size_t scratch = 0;
    const EntryInput input{
        *f,
        steps,
        memory,
        [&](const Step& step) -> const KernelCode& { return kernels.get(step); },
        kernel_options.partitions,
        out.sites,
        scratch,
        [&](int library) { return out.libraries[static_cast<size_t>(library)].kernel->scratch_bytes(); },
        [&](const std::string& name) -> const FunctionCode& { return functions.at(name); },
        options.guard_pages ? 1 : external_constant_bytes,
        out.constants,
        options.profile};
    if (is_entry) {
      const bool recursion = !recursion_chain(*partition.module, *f).empty();
      optimize(*emit_entry(module, input, layout, symbol, recursion));
      out.function = std::shared_ptr<const Function>(partition.module, f);
      if (!has_quantized) {
        out.arg_types = f->arg_types();
        out.result_types = f->result_types();
      }
      out.workspace_bytes = memory.arena_bytes + scratch == 0 ? 0 : layout.scratch_offset + scratch;
    } else {
      FunctionCode& code = functions.at(f->name());
      emit_function(module, input, layout, code);
      optimize(*code.code);
    }
    add_host_ops(*f, steps, out.host_ops);
    add_memory_use(*f, steps, memory, rules, scratch, is_entry, out.memory);
    if (is_entry) out.guards = memory.guards;
    add_account(*f, steps, memory, [&](const Step& step) { return kernels.get(step).name; }, is_entry, out.account);
  }
  out.account.memory = out.memory;
  expect_within_limit(*out.function, out.memory, options.memory_limit);
  if (options.dump) codegen::dump_code(module, kernel_options.isa, options.dump);
  return out;
}

}  // namespace weft::native
