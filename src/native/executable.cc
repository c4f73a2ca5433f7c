#include "native/executable.h"

#include <cstring>

#include "base/interrupts.h"
#include "ir/recursion_too_deep.h"
#include "native/host/host_call.h"
#include "native/host/process_programs.h"
#include "ops/control_flow/check_rules.h"
#include "ops/families.h"
#include "ops/record.h"
#include "transform/inline.h"

namespace weft::native {
namespace {

extern "C" int32_t weft_native_library(void* host, int64_t index, void* const* buffers, void* scratch) {
  return static_cast<const HostCall*>(host)->executable().run_library(index, buffers, scratch) ? 0 : 1;
}

extern "C" int32_t weft_native_host(void* host, weft_rt_context* context, int64_t site, void* const* buffers) {
  return static_cast<HostCall*>(host)->run(context, site, buffers);
}

extern "C" void weft_native_step(void* host, int64_t step, int32_t begins) {
  static_cast<const HostCall*>(host)->executable().note_step(step, begins != 0);
}

/// What generated code needs of an address: that of an element, or of a part of a complex one.
uintptr_t alignment(Type t) { return t.is_tensor() ? byte_size(part_type(t.element_type())) : 1; }

}  // namespace

std::span<const rt::Symbol> host_symbols() {
  static const rt::Symbol kSymbols[] = {{"weft_native_library", reinterpret_cast<void*>(&weft_native_library)},
                                        {"weft_native_host", reinterpret_cast<void*>(&weft_native_host)},
                                        {"weft_native_step", reinterpret_cast<void*>(&weft_native_step)}};
  return kSymbols;
}

std::string recursion_message(const CompiledProgram& program, const Site& site) {
  return "[func.call] recursion too deep: " + recursion_chain(*program.functions, *site.function);
}

NativeExecutable::NativeExecutable(CompiledProgram program, std::unique_ptr<codegen::Jit> jit, Entry entry,
                                   CompileOptions options)
    : program_(std::move(program)), jit_(std::move(jit)), entry_(entry), options_(std::move(options)) {
  for (Type t : program_.arg_types) arg_masks_.push_back(alignment(t) - 1);
  for (Type t : program_.result_types) result_masks_.push_back(alignment(t) - 1);
  for (const Site& site : program_.constants) {
    const Tensor& data = site.view().attrs().literal("value").elements;
    constants_.push_back(data.raw());
    if (!options_.guard_pages) continue;
    rt::GuardedMemory& copy = guarded_constants_.emplace_back(data.size_bytes());
    std::memcpy(copy.data(), data.raw(), data.size_bytes());
    copy.make_read_only();
    constants_.back() = copy.data();
  }
}

void NativeExecutable::invoke(const void* const* args, void* const* results) const {
  invoke_as(nullptr, args, results);
}

void NativeExecutable::call(Processes* processes, const void* const* args, void* const* results,
                            void* workspace) const {
  rt::CallContext context;
  context.get()->interrupts = interrupt_count();
  context.get()->interrupts_before = __atomic_load_n(interrupt_count(), __ATOMIC_RELAXED);
  context.get()->constants = constants_.data();
  HostCall host(*this, processes);
  const int32_t status = entry_(args, results, workspace, context.get(), &host);
  if (status != WEFT_RT_OK) report(*context.get(), host);
}

std::vector<OpView> NativeExecutable::host_ops() const {
  std::vector<OpView> out;
  for (const Site& site : program_.host_ops) out.push_back(site.view());
  return out;
}

const Executable& NativeExecutable::body(const OpView& op) const {
  const auto found = bodies_.find({&op.function, op.id});
  if (found == bodies_.end()) throw InternalError("a host op of the native target has a body that was not compiled");
  return *found->second;
}

bool NativeExecutable::run_library(int64_t index, void* const* buffers, void* scratch) const {
  const LibraryStep& step = program_.libraries[static_cast<size_t>(index)];
  return step.kernel->execute(buffers, buffers + step.num_inputs, scratch);
}

void NativeExecutable::note_step(int64_t step, bool begins) const { profile_.note(step, begins); }

std::vector<StepEvent> NativeExecutable::take_profile() const { return profile_.take(); }

void NativeExecutable::report(const weft_rt_context& context, HostCall& call) const {
  call.rethrow();
  switch (context.status) {
    case WEFT_RT_CHECK_FAILED: {
      const OpView op = program_.site(context.site);
      std::vector<Tensor> operands = {Tensor::scalar_of(false)};
      // Rank-0 values, each in as many words as its bytes need; others are shown by their shape.
      size_t word = 0;
      for (size_t i = 1; i < op.num_operands(); ++i) {
        const Type t = op.operand_type(i);
        const Shape shape(t.shape().begin(), t.shape().end());
        if (!t.is_scalar()) {
          if (t.num_elements() == 1) break;
          operands.emplace_back(t.element_type(), shape, Buffer::wrap(nullptr, t.num_bytes(), nullptr));
          continue;
        }
        const size_t words = (t.num_bytes() + 7) / 8;
        if (word + words > static_cast<size_t>(context.value_count)) break;
        operands.emplace_back(t.element_type(), shape);
        std::memcpy(operands.back().raw(), &context.values[word], operands.back().size_bytes());
        word += words;
      }
      const auto message = failed_check(op, operands, true);
      throw UserError(message ? *message : "[weft.check] failed", op.loc());
    }
    case WEFT_RT_INTERRUPTED:
      throw UserError("interrupted: @" + program_.function->name() + " was ended before it was done");
    case WEFT_RT_OUT_OF_MEMORY: throw UserError("out of memory while the program ran");
    case WEFT_RT_LIBRARY_FAILED: {
      const OpView op = program_.site(context.site);
      throw InternalError("[" + std::string(op.def().mnemonic) + "] the library kernel failed");
    }
    case WEFT_RT_TOO_DEEP: {
      const Site& site = program_.sites[static_cast<size_t>(context.site)];
      const int64_t calls = int64_t{context.depth} + 1;
      throw RecursionTooDeep(recursion_message(program_, site) + "; given up after " + std::to_string(calls) +
                                 " calls that fill " + std::to_string(weft_rt_recursion_bytes() >> 20) +
                                 " MiB (WEFT_RECURSION_MIB sets the limit)",
                             calls, site.function->loc());
    }
    default: throw InternalError("the program left with status " + std::to_string(context.status));
  }
}

}  // namespace weft::native
