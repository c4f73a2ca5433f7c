#include "native/compile.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/clone.h"
#include "native/account.h"
#include "native/cache/code_cache.h"
#include "native/cache/program_key.h"
#include "native/codegen/dump.h"
#include "native/codegen/entry.h"
#include "native/codegen/jit.h"
#include "native/codegen/kernel_pool.h"
#include "native/codegen/optimize.h"
#include "native/codegen/recursion.h"
#include "native/codegen/scalar_emit.h"
#include "native/contraction/channels_last.h"
#include "native/contraction/prepare.h"
#include "native/functions/in_out.h"
#include "native/functions/partition.h"
#include "native/kernels/lapack_calls.h"
#include "native/kernels/linear_algebra.h"
#include "native/lower/elements.h"
#include "native/lower/lower.h"
#include "native/lower/random.h"
#include "native/lower/small_tensors.h"
#include "native/schedule/expand_top_k.h"
#include "native/schedule/memory.h"
#include "native/schedule/memory_check.h"
#include "native/schedule/memory_use.h"
#include "native/schedule/one_hot_scatter.h"
#include "native/schedule/schedule.h"
#include "native/schedule/trivial_reduce.h"
#include "native/stages.h"
#include "native/switches.h"
#include "ops/runnable.h"
#include "text/print.h"
#include "transform/expand_quantized.h"
#include "transform/inline.h"
#include "transform/loops.h"
#include "transform/simplify.h"

namespace weft::native {
namespace {

bool uses_lapack(const CompileOptions& options) { return !options.no_libraries && !is_off(options, "lapack"); }

class Libraries : public LibraryChooser {
 public:
  Libraries(const CompileOptions& options, int partitions, const DescribeLibraryCall& describe,
            std::vector<LibraryStep>& calls, Stages& stages)
      : options_(options), partitions_(partitions), describe_(describe), calls_(calls), stages_(stages) {}
  int choose(const OpView& op, std::string& note) override {
    if (describe_) return add(describe_(op, note), op.num_operands(), note);
    if (uses_lapack(options_) && is_library_matrix_op(op, note))
      return add(make_matrix_kernel(op, partitions_), op.num_operands(), note);
    if (op.def().mnemonic == "stablehlo.custom_call")
      return add(uses_lapack(options_) ? make_lapack_call(op, partitions_) : nullptr, op.num_operands(), note);
    auto call =
        stages_.time("library preparation", [&] { return prepare_contraction(op, options_, partitions_, note); });
    return add(std::move(call), op.num_operands(), note);
  }
  int choose_with(const OpView& op, const Epilogue& epilogue, std::string& note) override {
    if (describe_) return -1;
    const size_t num_inputs = op.num_operands() + epilogue.inputs().size();
    auto call = stages_.time("library preparation",
                             [&] { return prepare_contraction(op, options_, partitions_, note, &epilogue); });
    const int made = add(std::move(call), num_inputs, note);
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
  const DescribeLibraryCall& describe_;
  std::vector<LibraryStep>& calls_;
  Stages& stages_;
};

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
void simplify_functions(const Module& program, Module& functions, const CompileOptions& options, Stages& stages) {
  std::vector<std::string> names;
  for (const auto& f : functions.functions()) names.push_back(f->name());
  for (const std::string& name : names) {
    const Function& f =
        functions.replace(lower(expand_approx_top_k(program, clone_function(functions.get(name), name))));
    stages.count("inline", f.num_ops(), "ops");
    if (options.dump) options.dump("inlined", name, print_function(f));
    if (has_quantized_values(f)) functions.replace(expand_quantized(f));
  }
  for (const std::string& name : names) {
    // What a barrier kept apart (a checkpoint that runs again) must not become one when it is gone.
    SimplifyOptions later{options.disabled};
    if (has_barriers(functions.get(name))) later.disabled.emplace_back("cse");
    std::unique_ptr<Function> simple = stages.time(
        "simplify", [&] { return lower_barriers(simplify(functions.get(name), &functions, {options.disabled})); });
    simple = stages.time("loops", [&] { return transform_loops(std::move(simple), options.disabled); });
    if (const auto plain = without_trivial_reductions(*simple)) simple = simplify(*plain, &functions, later);
    const size_t ops = simple->num_ops();
    if (!is_off(options, "small_matrices")) simple = lower_small_matrices(std::move(simple));
    simple = lower_matrix_ops(choose_one_hot_scatters(std::move(simple)), uses_lapack(options));
    if (!is_off(options, "small_tensors")) simple = small_tensors_as_scalars(std::move(simple));
    if (simple->num_ops() != ops) simple = simplify(*simple, &functions, later);
    if (!options.no_libraries && !is_off(options, "channels_last")) {
      stages.time("layouts", [&] {
        if (const auto ordered = channels_last(*simple)) simple = simplify(*ordered, &functions, later);
      });
    }
    simple = elements_as_scalars(std::move(simple));
    stages.count("simplify", simple->num_ops(), "ops");
    const Function& f = functions.replace(std::move(simple));
    if (options.dump) options.dump("simplified", name, print_function(f));
    expect_addressable(f);
  }
}

/// A function and what was decided about it before any code is generated.
struct PlannedFunction {
  const Function* function;
  bool is_entry;
  Block steps;
  MemoryPlanInput rules;
  MemoryPlan memory;
  uint64_t scratch_bytes = 0;  // behind the arena; known once code is generated
};

class Compiler {
 public:
  Compiler(const Module& program, const std::string& entry, const CompileOptions& options,
           const codegen::KernelOptions& kernel_options, const std::string& symbol, size_t external_constant_bytes,
           const DescribeLibraryCall& describe)
      : program_(program),
        entry_(entry),
        options_(options),
        kernel_options_(kernel_options),
        symbol_(symbol),
        external_constant_bytes_(external_constant_bytes),
        libraries_(options, kernel_options.partitions, describe, out_.libraries, stages_) {}

  CompiledProgram run() {
    prepare();
    plan();
    const std::optional<CodeCache> cache = CodeCache::of(options_);
    const Hash key = cache ? stages_.time("cache", [&] { return key_of(); }) : Hash();
    if (!cache || !stages_.time("cache", [&] { return load(*cache, key); })) {
      generate();
      if (cache) stages_.time("cache", [&] { store(*cache, key); });
    }
    stages_.time("account", [&] {
      for (const PlannedFunction& f : planned_) {
        add_host_ops(*f.function, f.steps, out_.host_ops);
        add_memory_use(*f.function, f.steps, f.memory, f.rules, f.scratch_bytes, f.is_entry, out_.memory);
        add_account(
            *f.function, f.steps, f.memory, [&](const Step& step) { return kernel_name(step.kernel, kernel_options_); },
            f.is_entry, out_.account);
      }
    });
    out_.account.memory = out_.memory;
    expect_within_limit(*out_.function, out_.memory, options_.memory_limit);
    stages_.report(options_);
    return std::move(out_);
  }

 private:
  const Function& function_of(const std::string& name) const { return partition_.module->get(name); }
  size_t library_scratch_bytes(int library) const {
    return out_.libraries[static_cast<size_t>(library)].kernel->scratch_bytes();
  }

  void prepare() {
    const Function& source = program_.get(entry_);
    expect_runnable(program_, entry_);
    if (const Function* missing = called_declaration(program_, source))
      throw Unsupported("[func.call] @" + missing->name() + " has no body: there is nothing to run", missing->loc());
    if (options_.dump) options_.dump("input", entry_, print_function(source));
    stages_.time("inline", [&] {
      partition_ = partition_functions(program_, entry_);
      const Function& written = function_of(partition_.entry);
      has_quantized_ = has_quantized_values(written);
      out_.arg_types = written.arg_types();
      out_.result_types = written.result_types();
      simplify_functions(program_, *partition_.module, options_, stages_);
    });
    out_.functions = partition_.module;
    out_.function = std::shared_ptr<const Function>(partition_.module, &function_of(partition_.entry));
    if (!has_quantized_) {
      out_.arg_types = out_.function->arg_types();
      out_.result_types = out_.function->result_types();
    }
  }

  void plan() {
    in_out_ = find_in_out(*partition_.module);
    int num_steps = 0;
    for (const Function* f : callees_first(*partition_.module, partition_.entry)) {
      PlannedFunction planned{f, f->name() == partition_.entry, {}, {}, {}, 0};
      planned.steps = stages_.time("schedule", [&] { return schedule(*f, libraries_, !is_off(options_, "fuse")); });
      const int first = num_steps;
      num_steps = number_steps(planned.steps, num_steps, planned.is_entry);
      stages_.count("schedule", static_cast<size_t>(num_steps - first), "steps");
      const InOutPairs& shared = planned.is_entry ? options_.donations : in_out_.at(f->name());
      planned.rules = {shared, !is_off(options_, "in_place"), !planned.is_entry, &in_out_,
                       options_.guard_pages && planned.is_entry};
      planned.memory = stages_.time("memory plan", [&] { return plan_memory(*f, planned.steps, planned.rules); });
      if (options_.check_memory_plan || kAlwaysCheckMemoryPlan)
        check_memory_plan(*f, planned.steps, planned.memory, planned.rules);
      if (planned.is_entry) out_.guards = planned.memory.guards;
      stages_.count("memory plan", planned.memory.buffers.size(), "buffers");
      planned_.push_back(std::move(planned));
    }
    stages_.count("library preparation", out_.libraries.size(), "calls");
  }

  void generate() {
    llvm::LLVMContext context;
    llvm::Module module(symbol_, context);
    codegen::set_target(module, kernel_options_.isa);
    if (kernel_options_.contract) codegen::allow_contraction(module);
    KernelPool kernels(module, kernel_options_);
    codegen::Optimizer optimizer(module, kernel_options_.isa);
    std::unordered_map<std::string, FunctionCode> functions;
    for (const PlannedFunction& f : planned_) {
      if (f.is_entry) continue;
      const std::string& name = f.function->name();
      FunctionCode& code = functions[name];
      code.in_out = in_out_.at(name);
      code.is_recursive = is_recursive(*partition_.module, name);
      code.needs_frames = !recursion_chain(*partition_.module, *f.function).empty();
      declare_function(module, *f.function, code);
    }
    for (PlannedFunction& f : planned_) {
      const EntryLayout layout{(f.memory.arena_bytes + 63) / 64 * 64};
      size_t scratch = 0;
      const EntryInput input{*f.function,
                             f.steps,
                             f.memory,
                             [&](const Step& step) -> const KernelCode& {
                               return stages_.time("kernel plans",
                                                   [&]() -> const KernelCode& { return kernels.get(step.kernel); });
                             },
                             kernel_options_.partitions,
                             out_.sites,
                             scratch,
                             [&](int library) { return library_scratch_bytes(library); },
                             [&](const std::string& name) -> const FunctionCode& { return functions.at(name); },
                             external_constant_bytes(),
                             out_.constants,
                             options_.profile};
      llvm::Function* code = stages_.time("LLVM IR", [&] {
        if (f.is_entry) {
          const bool recursion = !recursion_chain(*partition_.module, *f.function).empty();
          return emit_entry(module, input, layout, symbol_, recursion);
        }
        FunctionCode& made = functions.at(f.function->name());
        emit_function(module, input, layout, made);
        return made.code;
      });
      stages_.count("LLVM IR", code->getInstructionCount(), "instructions");
      stages_.time("LLVM passes", [&] { optimizer.run(*code); });
      if (!f.is_entry && functions.at(f.function->name()).is_recursive && is_short_recursion(*code)) {
        FunctionCode level = functions.at(f.function->name());
        level.is_guarded = false;
        declare_function(module, *f.function, level);
        emit_function(module, input, layout, level);
        stages_.time("LLVM passes", [&] {
          optimizer.run(*level.code);
          write_out_levels(*code, *level.code);
          optimizer.run(*code);
        });
      }
      f.scratch_bytes = scratch;
      if (!f.is_entry) continue;
      out_.workspace_bytes = f.memory.arena_bytes + scratch == 0 ? 0 : layout.scratch_offset + scratch;
    }
    stages_.count("kernel plans", kernels.count(), "kernels");
    const int threads = options_.compile_threads > 0 ? options_.compile_threads : weft_rt_cpu_count();
    out_.objects = stages_.time("machine code", [&] { return kernels.generate(threads, options_.dump); });
    size_t bytes = 0;
    for (const auto& object : out_.objects) bytes += object.size();
    stages_.count("machine code", bytes, "bytes");
  }

  // ---- the cache ----

  Hash key_of() const {
    ProgramHasher h;
    h.add(std::string_view(build_id()));
    h.add(std::string_view(symbol_));
    h.add(std::string_view(kernel_options_.isa.cpu));
    h.add(std::string_view(kernel_options_.isa.features));
    h.add(static_cast<uint64_t>(kernel_options_.isa.vector_bytes));
    h.add(static_cast<uint64_t>(kernel_options_.partitions));
    h.add(static_cast<uint64_t>(options_.no_libraries) * 2 + static_cast<uint64_t>(options_.profile));
    h.add(external_constant_bytes());
    h.add(static_cast<uint64_t>(options_.guard_pages) * 2 + static_cast<uint64_t>(kernel_options_.contract));
    h.add(options_.disabled.size());
    for (const std::string& name : options_.disabled) h.add(std::string_view(name));
    h.add(options_.donations.size());
    for (const auto& [arg, result] : options_.donations) {
      h.add(arg);
      h.add(result);
    }
    h.add(out_.libraries.size());
    for (const LibraryStep& step : out_.libraries) h.add(step.kernel->scratch_bytes());
    h.add(planned_.size());
    for (const PlannedFunction& f : planned_) add_function(h, *f.function);
    return h.value();
  }

  bool load(const CodeCache& cache, const Hash& key) {
    std::optional<CachedCode> found = cache.load(key);
    stages_.count("cache", 0, found ? "found" : cache.problem().c_str());
    if (!found) return false;
    if (found->scratch_bytes.size() != planned_.size()) return false;
    if (!read_places(found->sites, out_.sites) || !read_places(found->constants, out_.constants)) return false;
    for (size_t i = 0; i < planned_.size(); ++i) planned_[i].scratch_bytes = found->scratch_bytes[i];
    out_.objects = std::move(found->objects);
    out_.workspace_bytes = found->workspace_bytes;
    return true;
  }

  bool read_places(const std::vector<std::pair<uint32_t, uint32_t>>& from, std::vector<Site>& to) const {
    to.clear();
    for (const auto& [function, op] : from) {
      if (function >= planned_.size() || op >= planned_[function].function->num_ops()) return false;
      to.push_back({planned_[function].function, OpId{op}});
    }
    return true;
  }
  std::vector<std::pair<uint32_t, uint32_t>> places(const std::vector<Site>& from) const {
    std::unordered_map<const Function*, uint32_t> index;
    for (uint32_t i = 0; i < planned_.size(); ++i) index[planned_[i].function] = i;
    std::vector<std::pair<uint32_t, uint32_t>> out;
    for (const Site& site : from) out.emplace_back(index.at(site.function), site.op.index);
    return out;
  }

  void store(const CodeCache& cache, const Hash& key) {
    CachedCode code;
    code.objects = out_.objects;
    code.workspace_bytes = out_.workspace_bytes;
    for (const PlannedFunction& f : planned_) code.scratch_bytes.push_back(f.scratch_bytes);
    code.sites = places(out_.sites);
    code.constants = places(out_.constants);
    cache.store(key, code);
    stages_.count("cache", 0, cache.problem().empty() ? "stored" : cache.problem().c_str());
  }

  size_t external_constant_bytes() const { return options_.guard_pages ? 1 : external_constant_bytes_; }

  const Module& program_;
  const std::string& entry_;
  const CompileOptions& options_;
  const codegen::KernelOptions& kernel_options_;
  const std::string& symbol_;
  const size_t external_constant_bytes_;
  CompiledProgram out_;
  Stages stages_;
  Libraries libraries_;
  Partition partition_;
  std::unordered_map<std::string, InOutPairs> in_out_;
  std::vector<PlannedFunction> planned_;
  bool has_quantized_ = false;
};

}  // namespace

CompiledProgram compile_program(const Module& given, const std::string& entry, const CompileOptions& options,
                                const codegen::KernelOptions& kernel_options, const std::string& symbol,
                                size_t external_constant_bytes, const DescribeLibraryCall& describe) {
  const std::unique_ptr<Module> seeded = with_seeds(given);
  const Module& program = seeded != nullptr ? *seeded : given;
  return Compiler(program, entry, options, kernel_options, symbol, external_constant_bytes, describe).run();
}

}  // namespace weft::native
