#include "native/native_target.h"

#include <algorithm>

#include "native/codegen/isa_choice.h"
#include "native/compile.h"
#include "native/host/process_programs.h"
#include "native/new_jit.h"
#include "native/open/compile_open.h"
#include "native/open/extents_executable.h"
#include "native/open/own_code.h"
#include "native/stages.h"
#include "transform/refine_shapes.h"

namespace weft {
namespace {

using namespace weft::native;

class NativeTarget : public Target {
 public:
  std::string_view name() const override { return "native"; }

  std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                      const CompileOptions& options) const override {
    module->get(entry);
    if (!needs_refinement(*module, entry)) return compile_static(std::move(module), entry, options);
    if (has_open_signature(module->get(entry)) || !options.hot_calls.empty())
      return compile_for_extents(std::move(module), entry, options);
    // Extents that are open inside only mostly follow from constants.
    try {
      return compile_static(module, entry, options);
    } catch (const Unsupported&) {
      try {
        return compile_for_extents(module, entry, options);
      } catch (const Unsupported&) {}
      throw;
    }
  }

 private:
  static bool has_open_signature(const Function& f) {
    const auto is_open = [](Type t) { return t.is_tensor() && !t.is_static(); };
    return std::ranges::any_of(f.arg_types(), is_open) || std::ranges::any_of(f.result_types(), is_open);
  }

  static std::unique_ptr<Executable> compile_for_extents(std::shared_ptr<const Module> module, const std::string& entry,
                                                         const CompileOptions& options) {
    CompileOptions inner = options;
    inner.hot_calls.clear();
    CompileOptions step_options = inner;
    step_options.donations.clear();
    const auto for_all = [module, entry, inner, step_options] {
      return compile_open(*module, entry, inner, kernel_options(inner),
                          [step_options](std::shared_ptr<const Module> op, const std::string& name) {
                            return compile_static(std::move(op), name, step_options);
                          });
    };
    const auto for_one = [entry, inner](std::shared_ptr<const Module> refined) {
      return compile_static(std::move(refined), entry, inner);
    };
    // Without hot calls the code for all extents is made now, and is all there is where nothing stands against it.
    std::string refused;
    std::unique_ptr<Executable> open;
    if (options.hot_calls.empty()) {
      try {
        open = for_all();
      } catch (const NeedsOwnCode& reason) { refused = reason.text; }
    }
    return std::make_unique<ExtentsExecutable>(
        module, entry, options, ExtentsExecutable::Compilers{for_one, for_all, std::move(open), refused});
  }

  static codegen::KernelOptions kernel_options(const CompileOptions& options) {
    codegen::KernelOptions kernels;
    kernels.isa = codegen::isa_for_this_machine(options.cpu);
    kernels.partitions = options.partitions > 0 ? options.partitions : weft_rt_cpu_count();
    kernels.contract = options.contract;
    return kernels;
  }

  static std::unique_ptr<NativeExecutable> compile_static(std::shared_ptr<const Module> module,
                                                          const std::string& entry, const CompileOptions& options) {
    auto out = compile_entry(*module, entry, options);
    if (out->host_ops().empty()) return out;
    CompileOptions inner = options;
    inner.donations.clear();
    auto programs = std::make_shared<ProcessPrograms>(
        std::move(module),
        [inner](const Module& of, const std::string& name) { return compile_entry(of, name, inner); });
    programs->prepare(*out);
    out->own_programs(std::move(programs));
    return out;
  }

  static std::unique_ptr<NativeExecutable> compile_entry(const Module& module, const std::string& entry,
                                                         const CompileOptions& options) {
    module.get(entry);
    const codegen::KernelOptions kernels = kernel_options(options);
    auto jit = new_jit(kernels.isa, {host_symbols()});
    CompiledProgram program = compile_program(module, entry, options, kernels, "weft_entry");
    Stages stages;
    auto* address = stages.time("link", [&] {
      for (size_t i = 0; i < program.objects.size(); ++i)
        jit->add_object(std::move(program.objects[i]), entry + "." + std::to_string(i));
      program.objects.clear();
      return reinterpret_cast<NativeExecutable::Entry>(jit->find("weft_entry"));
    });
    stages.report(options);
    return std::make_unique<NativeExecutable>(std::move(program), std::move(jit), address, options);
  }
};

}  // namespace

const Target& native_target() {
  static const NativeTarget target;
  return target;
}

namespace {
const RegisterTarget kRegistered("native", &native_target);
}  // namespace

}  // namespace weft
