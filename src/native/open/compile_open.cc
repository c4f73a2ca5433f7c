#include "native/open/compile_open.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "ir/clone.h"
#include "native/account.h"
#include "native/cache/code_cache.h"
#include "native/cache/program_key.h"
#include "native/codegen/comparator.h"
#include "native/codegen/entry.h"
#include "native/codegen/jit.h"
#include "native/codegen/scalar_emit.h"
#include "native/contraction/prepare.h"
#include "native/kernels/linear_algebra.h"
#include "native/lower/random.h"
#include "native/new_jit.h"
#include "native/open/open_emitter.h"
#include "native/open/open_entry.h"
#include "native/open/open_executable.h"
#include "native/open/open_kernel.h"
#include "native/open/open_root.h"
#include "native/open/own_code.h"
#include "native/open/rewrite_open.h"
#include "native/schedule/expand_top_k.h"
#include "native/schedule/fft_plan.h"
#include "native/schedule/memory_check.h"
#include "native/schedule/memory_use.h"
#include "native/schedule/sort_plan.h"
#include "native/stages.h"
#include "native/switches.h"
#include "ops/runnable.h"
#include "transform/inline.h"
#include "transform/simplify.h"

namespace weft::native {
namespace {

/// Which form ops with open extents have.
class OpenForms : public LibraryChooser {
 public:
  OpenForms(const OpenProgram& program, const CompileOptions& options, int partitions,
            std::vector<OpenLibraryStep>& steps)
      : program_(program), options_(options), partitions_(partitions), steps_(steps) {}

  int choose(const OpView& op, std::string& note) override {
    const bool is_contraction =
        op.def().mnemonic == "stablehlo.dot_general" || op.def().mnemonic == "stablehlo.convolution";
    if (!is_contraction) return choose_matrix_op(op, note);
    OpenLibraryStep step;
    step.num_inputs = op.num_operands();
    if (!has_open_numbers(op, program_.names())) {
      step.fixed = prepare_contraction(op, options_, partitions_, note);
      if (step.fixed == nullptr) return -1;
      note = step.fixed->implementation();
    } else {
      step.open = contraction({op.id}, {op.operands().begin(), op.operands().end()});
      const auto prepared = step.open->get(program_.example());
      const bool is_taken = prepared->kernel != nullptr;
      std::string reason;
      // What no kernel computes runs in the library's frame all the same, by code for the extents of the call.
      if (!is_taken && can_emit_open(op, program_.names(), &reason)) return -1;
      if (is_taken && op.def().mnemonic == "stablehlo.dot_general" && can_emit_open(op, program_.names(), nullptr))
        step.small = small_product(op);
      note = is_taken
                 ? prepared->kernel->implementation() + ", prepared for the extents of a call" +
                       (step.small != nullptr ? "; small ones by a kernel" : "")
                 : "compiled for each set of extents: no library takes it and no kernel is generated (" + reason + ")";
    }
    steps_.push_back(std::move(step));
    return static_cast<int>(steps_.size() - 1);
  }

  int choose_matrix_op(const OpView& op, std::string& note) {
    if (options_.no_libraries || is_off(options_, "lapack") || !is_library_matrix_op(op, note)) return -1;
    OpenLibraryStep step;
    step.num_inputs = op.num_operands();
    if (has_open_numbers(op, program_.names())) {
      step.open = contraction({op.id}, {op.operands().begin(), op.operands().end()});
    } else {
      step.fixed = make_matrix_kernel(op, partitions_);
    }
    note = "by LAPACK or BLAS";
    steps_.push_back(std::move(step));
    return static_cast<int>(steps_.size() - 1);
  }

  int choose_with(const OpView& op, const Epilogue& epilogue, std::string& note) override {
    std::vector<Value> inputs(op.operands().begin(), op.operands().end());
    for (Value v : epilogue.inputs()) inputs.push_back(v);
    OpenLibraryStep step;
    step.num_inputs = inputs.size();
    if (!has_open_numbers(op, program_.names())) {
      step.fixed = prepare_contraction(op, options_, partitions_, note, &epilogue);
      if (step.fixed == nullptr) return -1;
      note = step.fixed->implementation();
    } else {
      step.open = contraction(epilogue.members, std::move(inputs));
      const auto prepared = step.open->get(program_.example());
      if (prepared->kernel == nullptr) return -1;
      note = prepared->kernel->implementation() + ", prepared for the extents of a call";
    }
    note += "; with it:";
    for (size_t at = 1; at < epilogue.members.size(); ++at)
      note += " " + std::string(op.function.def(epilogue.members[at]).mnemonic);
    steps_.push_back(std::move(step));
    return static_cast<int>(steps_.size() - 1);
  }

  Form form(const OpView& op) override {
    if (!has_open_numbers(op, program_.names())) return Form::kKernel;
    if (op.def().mnemonic == "weft.lane_while") return Form::kLoop;
    std::string reason;
    const std::string_view m = op.def().mnemonic;
    if (m == "stablehlo.constant") return Form::kKernel;
    if (can_emit_open(op, program_.names(), &reason))
      return m == "stablehlo.select_and_scatter" || open_scan_form(op, program_.names()) ? Form::kOwnKernel
                                                                                         : Form::kKernel;
    // The schedule knows what the runtime sorts and transforms.
    if (m == "stablehlo.sort" || m == "chlo.top_k") {
      const SortUse all{INT64_MAX, std::vector<bool>(op.num_results(), true)};
      const auto plan = plan_sort(op, all, &reason);
      if (plan && !(plan->needs_comparator && program_.names().is_open(plan->step))) return Form::kKernel;
      if (plan) reason = "a comparator of lines whose elements lie an open distance apart";
    }
    if (m == "stablehlo.fft" && plan_fft(op, &reason)) return Form::kKernel;
    const auto is_constant = [&](Value v) {
      const OpId def = op.function.defining_op(v);
      return def && op.function.def(def).mnemonic == "stablehlo.constant";
    };
    // It is a program by itself, compiled for the extents of a call.
    const bool stands_alone =
        std::ranges::all_of(op.operands(), [&](Value v) { return op.function.type(v).is_tensor(); }) &&
        op.num_results() > 0 && record(op).effects != Effects::kCheck && record(op).effects != Effects::kIo &&
        std::ranges::all_of(op.regions(),
                            [&](RegionId r) { return std::ranges::all_of(captures(op.function, r), is_constant); });
    if (stands_alone) return Form::kHost;
    throw NeedsOwnCode{"[" + std::string(op.def().mnemonic) + "] has no code for all extents" +
                       (reason.empty() ? "" : ": " + reason)};
  }

 private:
  std::unique_ptr<OpenContraction> contraction(std::vector<OpId> ops, std::vector<Value> inputs) const {
    return std::make_unique<OpenContraction>(*program_.function(), std::move(ops), std::move(inputs), program_.names(),
                                             options_, partitions_);
  }

  std::unique_ptr<SmallProduct> small_product(const OpView& op) const {
    auto out = std::make_unique<SmallProduct>();
    out->function = kernel_of(op, program_.names(), out->inputs);
    const auto &lb = op.attrs().ints("lhs_batching_dimensions"), &lc = op.attrs().ints("lhs_contracting_dimensions");
    const Type x = op.operand_type(0), result = op.result_type();
    for (int64_t d = 0; d < x.rank(); ++d) {
      const bool is_batch = std::ranges::count(lb, d) != 0, is_contracting = std::ranges::count(lc, d) != 0;
      (is_batch ? out->batch : is_contracting ? out->depth : out->rows) *= x.dim(d);
    }
    out->is_narrow = byte_size(x.element_type()) < 4;
    const int64_t before = x.rank() - static_cast<int64_t>(lc.size());
    for (int64_t d = before; d < result.rank(); ++d) out->columns *= result.dim(d);
    return out;
  }

  const OpenProgram& program_;
  const CompileOptions& options_;
  const int partitions_;
  std::vector<OpenLibraryStep>& steps_;
};

/// Kernels of one module; equal ones are emitted once.
class Kernels {
 public:
  Kernels(llvm::Module& module, const ExtentNames& names, const codegen::KernelOptions& options, bool as_rows)
      : module_(module), names_(names), options_(options), as_rows_(as_rows) {}

  const KernelCode& get(const Step& step) {
    const Function& kernel = *step.kernel.function;
    const std::string hash = codegen::kernel_hash(kernel, options_);
    const auto [it, is_new] = fixed_.try_emplace(hash);
    if (is_new) {
      it->second.plan = codegen::plan_kernel(kernel, options_);
      if (it->second.plan.units > 0) {
        it->second.code = codegen::emit_kernel(module_, kernel, it->second.plan, options_, "k_" + hash);
        for (llvm::Function* f : {it->second.code.main, it->second.code.finish}) {
          if (f != nullptr) f->setLinkage(llvm::GlobalValue::InternalLinkage);
        }
      }
      scratch_ = std::max(scratch_, it->second.plan.scratch_bytes);
    }
    return it->second;
  }

  const OpenKernelCode& get_open(const Step& step) {
    return get_open(*step.kernel.function, step.kernel.updates_input[0] >= 0);
  }

  const OpenKernelCode& get_open(const Function& kernel, bool updates) {
    const std::string hash = codegen::kernel_hash(kernel, options_) + (updates ? "_update" : "");
    const auto [it, is_new] = open_.try_emplace(hash);
    if (is_new) {
      it->second = emit_open_kernel(module_, kernel, names_, updates, options_, as_rows_, "open_" + hash);
      for (llvm::Function* f : {it->second.main, it->second.part, it->second.units, it->second.work})
        functions_.push_back(f);
    }
    return it->second;
  }

  std::span<llvm::Function* const> open_functions() const { return functions_; }
  size_t scratch_bytes() const { return scratch_; }
  size_t count() const { return fixed_.size() + open_.size(); }

 private:
  llvm::Module& module_;
  const ExtentNames& names_;
  const codegen::KernelOptions& options_;
  const bool as_rows_;
  std::unordered_map<std::string, KernelCode> fixed_;
  std::unordered_map<std::string, OpenKernelCode> open_;
  std::vector<llvm::Function*> functions_;
  size_t scratch_ = 0;
};

/// Plans of the sorts and transforms with open extents, and their comparators where there is a module to put them into.
void add_plans(const Block& block, const Function& f, const ExtentNames& names, llvm::Module* module,
               OpenPlans& plans) {
  for (const Step& step : block.steps) {
    for (const Block& inner : step.blocks) add_plans(inner, f, names, module, plans);
    const OpView op{f, step.op};
    if ((step.kind != StepKind::kSort && step.kind != StepKind::kFft) || !has_open_numbers(op, names)) continue;
    if (step.kind == StepKind::kFft) {
      plans.add_fft(step.op);
      continue;
    }
    std::string comparator;
    if (step.sort->needs_comparator) {
      comparator = "less_" + std::to_string(step.op.index);
      if (module != nullptr) {
        codegen::emit_comparator(*module, op, step.sort->step, comparator)
            ->setLinkage(llvm::GlobalValue::ExternalLinkage);
      }
    }
    plans.add_sort(step.op, step.sort, comparator);
  }
}

/// Buffers of a pool share units or not whatever the extents are, and pools never do: what holds for the names as extents holds for all.
void check_places(const Function& function, const Block& steps, const MemoryPlan& memory, const MemoryPlanInput& rules,
                  const OpenArena& arena, const ExtentNames& names) {
  std::vector<int64_t> values;
  for (size_t s = 0; s < names.count(); ++s) values.push_back(names.name(s));
  MemoryPlan placed = memory;
  for (size_t i = 0; i < placed.buffers.size(); ++i) {
    if (placed.buffers[i].home == Home::kArena) placed.buffers[i].offset = arena.offset(i, names, values);
  }
  placed.arena_bytes = arena.bytes(names, values);
  check_memory_plan(function, steps, placed, rules);
}

void explain_block(const Function& f, const Block& block, int depth, std::string& out) {
  for (const Step& step : block.steps) {
    if (step.kind == StepKind::kScalar) continue;
    out += std::string(static_cast<size_t>(depth) * 2, ' ');
    if (step.kind == StepKind::kKernel) {
      out += "kernel:";
      const Function& kernel = *step.kernel.function;
      for (OpId op : kernel.ops(kernel.body())) {
        if (!kernel.def(op).is_terminator) out += " " + std::string(kernel.def(op).mnemonic);
      }
    } else {
      out += f.def(step.op).mnemonic;
      if (step.kind == StepKind::kHost) out += " (compiled for each set of extents)";
    }
    if (!step.note.empty()) out += "  [" + step.note + "]";
    out += "\n";
    for (const Block& inner : step.blocks) explain_block(f, inner, depth + 1, out);
  }
}

/// Ops that the host runs.
void add_host_ops(const Function& f, const Block& block, std::vector<Site>& out) {
  for (const Step& step : block.steps) {
    if (step.kind == StepKind::kHost) out.push_back({&f, step.op});
    for (const Block& inner : step.blocks) add_host_ops(f, inner, out);
  }
}

/// What is compiled, and by whom it is run.
struct OpenTarget {
  std::string symbol;
  size_t external_constant_bytes;
  bool is_cached;
};

/// What code generation starts from.
struct OpenSource {
  const OpenTarget& target;
  const CompileOptions& options;
  const codegen::KernelOptions& kernels;
  const Function& function;
  const Block& steps;
  const MemoryPlan& memory;
};

Hash key_of(const OpenSource& from, const CompiledOpenProgram& out) {
  ProgramHasher h;
  h.add(std::string_view(build_id()));
  h.add(std::string_view("open"));
  h.add(std::string_view(from.target.symbol));
  h.add(std::string_view(from.kernels.isa.cpu));
  h.add(std::string_view(from.kernels.isa.features));
  h.add(static_cast<uint64_t>(from.kernels.isa.vector_bytes));
  h.add(static_cast<uint64_t>(from.kernels.partitions));
  h.add(from.target.external_constant_bytes);
  for (bool option : {from.options.no_libraries, from.options.profile, from.options.guard_pages, from.kernels.contract})
    h.add(static_cast<uint64_t>(option));
  h.add(from.options.disabled.size());
  for (const std::string& name : from.options.disabled) h.add(std::string_view(name));
  h.add(from.options.donations.size());
  for (const auto& [arg, result] : from.options.donations) {
    h.add(arg);
    h.add(result);
  }
  h.add(out.libraries.size());
  for (const OpenLibraryStep& step : out.libraries) {
    h.add(step.fixed != nullptr ? step.fixed->scratch_bytes() : 0);
    h.add(static_cast<uint64_t>(step.fixed != nullptr) * 2 + static_cast<uint64_t>(step.small != nullptr));
  }
  const ExtentNames& names = out.program->names();
  h.add(names.count());
  for (size_t s = 0; s < names.count(); ++s) h.add(static_cast<uint64_t>(names.name(s)));
  add_function(h, from.function);
  return h.value();
}

std::vector<std::pair<uint32_t, uint32_t>> places(const std::vector<Site>& from) {
  std::vector<std::pair<uint32_t, uint32_t>> out;
  for (const Site& site : from) out.emplace_back(0, site.op.index);
  return out;
}

bool read_places(const Function& f, const std::vector<std::pair<uint32_t, uint32_t>>& from, std::vector<Site>& to) {
  to.clear();
  for (const auto& [function, op] : from) {
    if (function != 0 || op >= f.num_ops()) return false;
    to.push_back({&f, OpId{op}});
  }
  return true;
}

/// Fills in the object, and what its code refers to.
void generate(const OpenSource& from, Stages& stages, CompiledOpenProgram& out) {
  const Function& function = from.function;
  const ExtentNames& names = out.program->names();
  llvm::LLVMContext context;
  llvm::Module code(from.target.symbol, context);
  codegen::set_target(code, from.kernels.isa);
  if (from.kernels.contract) codegen::allow_contraction(code);
  Kernels kernels(code, names, from.kernels, !is_off(from.options, "open_rows"));
  const OpenEntry open{names, out.arena,
                       [&](const Step& step) -> const OpenKernelCode& { return kernels.get_open(step); },
                       [&](int library) -> const SmallProduct* {
                         SmallProduct* small = out.libraries[static_cast<size_t>(library)].small.get();
                         if (small != nullptr) small->code = &kernels.get_open(*small->function, false);
                         return small;
                       }};
  size_t step_scratch = 0;
  const EntryInput input{
      function,
      from.steps,
      from.memory,
      [&](const Step& step) -> const KernelCode& { return kernels.get(step); },
      from.kernels.partitions,
      out.sites,
      step_scratch,
      [&](int library) {
        const OpenLibraryStep& step = out.libraries[static_cast<size_t>(library)];
        return step.fixed != nullptr ? step.fixed->scratch_bytes() : 0;
      },
      [](const std::string& name) -> const FunctionCode& { throw InternalError("@" + name + " is still called"); },
      from.target.external_constant_bytes,
      out.constants,
      from.options.profile,
      &open};
  llvm::Function* entry_code = stages.time("LLVM IR", [&] {
    OpenPlans comparators(names, from.kernels.partitions);
    add_plans(from.steps, function, names, &code, comparators);
    return emit_entry(code, input, EntryLayout{}, from.target.symbol, false);
  });
  std::vector<llvm::Function*> generated(kernels.open_functions().begin(), kernels.open_functions().end());
  generated.push_back(entry_code);
  stages.time("LLVM passes", [&] { optimize_open(code, from.kernels.isa, generated); });
  out.scratch_bytes = std::max(kernels.scratch_bytes(), step_scratch);
  out.account.kernels = kernels.count();
  out.object = stages.time("machine code", [&] { return codegen::emit_object(code, from.kernels.isa); });
  stages.count("machine code", out.object.size(), "bytes");
}

void generate_or_load(const OpenSource& from, Stages& stages, CompiledOpenProgram& out) {
  const std::optional<CodeCache> cache = from.target.is_cached ? CodeCache::of(from.options) : std::nullopt;
  if (!cache) return generate(from, stages, out);
  const Hash key = stages.time("cache", [&] { return key_of(from, out); });
  std::optional<CachedCode> found = stages.time("cache", [&] { return cache->load(key); });
  stages.count("cache", 0, found ? "found" : cache->problem().c_str());
  if (found && found->objects.size() == 1 && found->scratch_bytes.size() == 1 &&
      read_places(from.function, found->sites, out.sites) &&
      read_places(from.function, found->constants, out.constants)) {
    out.object = std::move(found->objects[0]);
    out.scratch_bytes = found->workspace_bytes;
    out.account.kernels = found->scratch_bytes[0];
    return;
  }
  out.sites.clear();
  out.constants.clear();
  generate(from, stages, out);
  CachedCode made;
  made.objects.push_back(out.object);
  made.sites = places(out.sites);
  made.constants = places(out.constants);
  made.workspace_bytes = out.scratch_bytes;
  made.scratch_bytes = {out.account.kernels};
  stages.time("cache", [&] { cache->store(key, made); });
  stages.count("cache", 0, cache->problem().empty() ? "stored" : cache->problem().c_str());
}

CompiledOpenProgram compile_into(const OpenTarget& target, const Module& program, const std::string& entry,
                                 const CompileOptions& options, const codegen::KernelOptions& kernel_options) {
  const Function& source = program.get(entry);
  if (const std::string chain = recursion_chain(program, source); !chain.empty())
    throw NeedsOwnCode{"a function that calls itself (" + chain + ") may do so with other extents"};
  expect_runnable(program, entry);
  if (const Function* missing = called_declaration(program, source))
    throw Unsupported("[func.call] @" + missing->name() + " has no body: there is nothing to run", missing->loc());
  Stages stages;
  const std::unique_ptr<Module> seeded = with_seeds(program);
  const Module& with_seed = seeded != nullptr ? *seeded : program;
  const std::shared_ptr<Module> expanded = with_approx_top_k_expanded(with_seed);
  const Module& given = expanded != nullptr ? *expanded : with_seed;
  const std::unique_ptr<Function> inlined = inline_calls(given, given.get(entry));
  CompiledOpenProgram out;
  stages.time("simplify", [&] {
    out.program = std::make_unique<OpenProgram>(simplify(*inlined, nullptr, {options.disabled}), given);
    rewrite_open(*out.program, options);
  });
  const Function& function = *out.program->function();
  const ExtentNames& names = out.program->names();

  OpenForms forms(*out.program, options, kernel_options.partitions, out.libraries);
  Block steps = stages.time("schedule", [&] { return schedule(function, forms, !is_off(options, "fuse")); });
  number_steps(steps, 0, true);
  const MemoryPlanInput rules{options.donations, !is_off(options, "in_place")};
  const MemoryPlan memory = stages.time("memory plan", [&] { return plan_memory(function, steps, rules); });
  out.arena = plan_open_arena(memory, names, options.guard_pages);
  if (options.check_memory_plan || kAlwaysCheckMemoryPlan)
    check_places(function, steps, memory, rules, out.arena, names);

  out.plans = std::make_unique<OpenPlans>(names, kernel_options.partitions);
  add_plans(steps, function, names, nullptr, *out.plans);
  add_host_ops(function, steps, out.host_ops);
  generate_or_load({target, options, kernel_options, function, steps, memory}, stages, out);
  for (const OpenLibraryStep& step : out.libraries) {
    if (step.fixed != nullptr) out.scratch_bytes = std::max(out.scratch_bytes, step.fixed->scratch_bytes());
  }
  MemoryUse constants;
  add_memory_use(function, steps, memory, rules, 0, false, constants);
  out.constant_bytes = constants.constants;
  add_account(
      function, steps, memory,
      [&](const Step& step) { return "open_" + codegen::kernel_hash(*step.kernel.function, kernel_options); }, true,
      out.account);
  out.explanation = std::to_string(names.count()) + " open extents\n";
  explain_block(function, steps, 0, out.explanation);
  out.explanation += std::to_string(out.account.kernels) + " kernels\n";
  stages.report(options);
  return out;
}

}  // namespace

std::unique_ptr<Executable> compile_open(const Module& program, const std::string& entry, const CompileOptions& options,
                                         const codegen::KernelOptions& kernel_options, StepCode::Compile compile_step) {
  CompiledOpenProgram out = compile_into({"weft_entry", SIZE_MAX, true}, program, entry, options, kernel_options);
  auto jit = new_jit(kernel_options.isa, {open_symbols()});
  jit->add_object(std::move(out.object), entry);
  out.plans->link([&](const std::string& name) { return jit->find(name); });
  auto* address = reinterpret_cast<OpenExecutable::Entry>(jit->find("weft_entry"));
  return std::make_unique<OpenExecutable>(std::move(out), std::move(jit), address, options, std::move(compile_step));
}

CompiledOpenProgram compile_open_library(const Module& program, const std::string& entry, const CompileOptions& options,
                                         const codegen::KernelOptions& kernel_options, const std::string& symbol,
                                         size_t external_constant_bytes) {
  return compile_into({symbol, external_constant_bytes, false}, program, entry, options, kernel_options);
}

}  // namespace weft::native
