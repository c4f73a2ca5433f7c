#include "native/open/open_executable.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/memory.h"
#include "ir/clone.h"
#include "native/open/open_account.h"
#include "native/open/open_detour.h"
#include "native/schedule/memory_use.h"
#include "ops/control_flow/check_rules.h"
#include "ops/families.h"
#include "ops/record.h"

namespace weft::native {
namespace {

/// As many sets of extents are kept as a server sees at a time.
constexpr size_t kMostExtents = 256;

/// What the host threw, on its way over generated frames to `call` on the same thread.
thread_local std::exception_ptr pending_error;

/// Read in place of arguments without elements, whose addresses may be null.
alignas(64) constexpr std::byte kNothing[64] = {};

/// An open executable for the extents of one call.
class OneExtents : public Executable {
 public:
  OneExtents(const OpenExecutable& whole, std::shared_ptr<const OpenExecutable::Extents> extents)
      : whole_(whole), extents_(std::move(extents)) {}
  std::span<const Type> arg_types() const override { return extents_->resolved.arg_types; }
  std::span<const Type> result_types() const override { return extents_->resolved.result_types; }
  void invoke(const void* const* args, void* const* results) const override { whole_.call(*extents_, args, results); }
  std::span<const std::pair<size_t, size_t>> donations() const override { return whole_.donations(); }
  std::string explain() const override { return whole_.explain(); }
  MemoryUse memory_use() const override { return extents_->memory; }
  const ProgramAccount* account() const override { return whole_.account(*extents_); }
  std::vector<StepEvent> take_profile() const override { return whole_.take_profile(); }

 private:
  const OpenExecutable& whole_;
  const std::shared_ptr<const OpenExecutable::Extents> extents_;
};

extern "C" int32_t weft_open_library(void* host, weft_rt_context* context, const int64_t* values, int64_t index,
                                     int64_t site, void* const* buffers, void* scratch) {
  return static_cast<const OpenExecutable*>(host)->run_library(context, values, index, site, buffers, scratch);
}

extern "C" int32_t weft_open_host(void* host, weft_rt_context* context, const int64_t* values, int64_t site,
                                  void* const* buffers) {
  return static_cast<const OpenExecutable*>(host)->run_host_op(context, values, site, buffers);
}

extern "C" void weft_open_step(void* host, int64_t step, int32_t begins) {
  static_cast<const OpenExecutable*>(host)->note_step(step, begins != 0);
}

int32_t fail(weft_rt_context* context, int64_t site) {
  pending_error = std::current_exception();
  weft_rt_fail(context, WEFT_RT_CHECK_FAILED, 0, site, nullptr, 0);
  return WEFT_RT_CHECK_FAILED;
}

}  // namespace

std::span<const rt::Symbol> open_symbols() {
  static const rt::Symbol kSymbols[] = {{"weft_open_library", reinterpret_cast<void*>(&weft_open_library)},
                                        {"weft_open_host", reinterpret_cast<void*>(&weft_open_host)},
                                        {"weft_native_step", reinterpret_cast<void*>(&weft_open_step)}};
  return kSymbols;
}

OpenExecutable::OpenExecutable(CompiledOpenProgram compiled, std::unique_ptr<codegen::Jit> jit, Entry entry,
                               CompileOptions options, StepCode::Compile compile_step)
    : compiled_(std::move(compiled)),
      jit_(std::move(jit)),
      entry_(entry),
      options_(std::move(options)),
      arg_types_(compiled_.program->source().arg_types()),
      result_types_(compiled_.program->source().result_types()),
      step_code_(std::move(compile_step)) {}

void OpenExecutable::invoke(const void* const*, void* const*) const {
  throw UserError("the extents of the arguments are open: a call needs them (Executable::for_extents)");
}

std::unique_ptr<Executable> OpenExecutable::for_extents(std::span<const Type> arg_types,
                                                        const void* const* args) const {
  return std::make_unique<OneExtents>(*this, extents(arg_types, args));
}

MemoryUse OpenExecutable::memory_use(const OpenProgram::Resolved& r, size_t workspace_bytes) const {
  MemoryUse use;
  const auto bytes = [](Type t) { return t.is_tensor() ? t.num_bytes() : 0; };
  for (Type t : r.arg_types) use.arguments += bytes(t);
  for (size_t j = 0; j < r.result_types.size(); ++j) {
    if (std::ranges::none_of(options_.donations, [&](const auto& d) { return d.second == j; }))
      use.results += bytes(r.result_types[j]);
  }
  for (const Tensor& t : r.constants) use.constants += t.size_bytes();
  use.constants += compiled_.constant_bytes;
  use.scratch = compiled_.scratch_bytes;
  use.arena = workspace_bytes - use.scratch;
  // Under a limit what libraries need is known before the first call; otherwise it is when they are called.
  if (memory_limit(options_.memory_limit) == 0) return use;
  size_t most = compiled_.plans->workspace_bytes(*compiled_.program->function(), r.values);
  for (const OpenLibraryStep& step : compiled_.libraries) {
    if (step.open == nullptr) continue;
    const auto prepared = step.open->get(r.values);
    if (prepared->kernel != nullptr) most = std::max(most, prepared->kernel->scratch_bytes());
  }
  use.scratch += most;
  return use;
}

std::shared_ptr<const OpenExecutable::Extents> OpenExecutable::extents(std::span<const Type> types,
                                                                       const void* const* args) const {
  std::string key;
  const auto add = [&](const void* p, size_t n) { key.append(static_cast<const char*>(p), n); };
  for (Type t : types) {
    const void* id = t.key();
    add(&id, sizeof id);
  }
  std::vector<Tensor> elements;
  for (size_t a : compiled_.program->shape_arguments()) {
    if (a >= types.size() || !is_compatible(arg_types_[a], types[a])) break;  // resolve says so
    if (args[a] == nullptr)
      throw UserError("argument " + std::to_string(a) + " decides extents: its elements are needed");
    elements.emplace_back(types[a].element_type(), Shape(types[a].shape().begin(), types[a].shape().end()));
    std::memcpy(elements.back().raw(), args[a], elements.back().size_bytes());
    add(args[a], elements.back().size_bytes());
  }
  {
    const std::lock_guard lock(mutex_);
    const auto it = kept_.find(key);
    if (it != kept_.end()) {
      it->second.second = ++clock_;
      return it->second.first;
    }
  }
  // Callers of known extents go on meanwhile.
  elements.resize(std::max(elements.size(), compiled_.program->shape_arguments().size()));
  auto made = std::make_shared<Extents>();
  made->resolved = compiled_.program->resolve(types, elements);
  // Reads that are masked may touch the first element of a buffer without elements.
  made->workspace_bytes =
      compiled_.arena.bytes(compiled_.program->names(), made->resolved.values) + compiled_.scratch_bytes + 64;
  made->memory = memory_use(made->resolved, made->workspace_bytes);
  expect_within_limit(*compiled_.program->function(), made->memory, options_.memory_limit);
  const std::lock_guard lock(mutex_);
  if (const auto it = kept_.find(key); it != kept_.end()) return it->second.first;
  if (kept_.size() >= kMostExtents)
    kept_.erase(std::ranges::min_element(kept_, {}, [](const auto& entry) { return entry.second.second; }));
  kept_.emplace(std::move(key), std::pair(made, ++clock_));
  return made;
}

void OpenExecutable::call(const Extents& extents, const void* const* args, void* const* results) const {
  const OpenProgram::Resolved& r = extents.resolved;
  if (!options_.guard_pages && are_aligned(r.arg_types, r.result_types, args, results))
    return run_entry(extents, args, results);
  const OpenDetour detour(r.arg_types, r.result_types, options_, args, results);
  run_entry(extents, detour.args(), detour.results());
  detour.take_results();
}

void OpenExecutable::run_entry(const Extents& extents, const void* const* args, void* const* results) const {
  const OpenProgram::Resolved& r = extents.resolved;
  const size_t given = r.arg_types.size(), count = given + r.constants.size();
  std::array<const void*, 64> few;
  std::vector<const void*> many(count > few.size() ? count : 0);
  const void** all = many.empty() ? few.data() : many.data();
  for (size_t i = 0; i < given; ++i) {
    const bool is_empty = r.arg_types[i].is_tensor() && r.arg_types[i].num_elements() == 0;
    all[i] = is_empty ? kNothing : args[i];
  }
  for (size_t k = 0; k < r.constants.size(); ++k) all[given + k] = r.constants[k].raw();
  rt::CallContext context;
  const auto run = [&](void* workspace) {
    if (!r.values.empty()) std::memcpy(workspace, r.values.data(), 8 * r.values.size());
    const int32_t status = entry_(all, results, workspace, context.get(), const_cast<OpenExecutable*>(this));
    if (status != WEFT_RT_OK) report(*context.get());
  };
  if (compiled_.arena.is_guarded) {
    const rt::GuardedMemory workspace(extents.workspace_bytes,
                                      compiled_.arena.guards(compiled_.program->names(), r.values));
    return run(workspace.data());
  }
  rt::ArenaPool::Lease arena(arenas_, extents.workspace_bytes);
  run(arena.data());
}

int32_t OpenExecutable::run_library(weft_rt_context* context, const int64_t* values, int64_t index, int64_t site,
                                    void* const* buffers, void* scratch) const {
  try {
    const OpenLibraryStep& step = compiled_.libraries[static_cast<size_t>(index)];
    void* const* outputs = buffers + step.num_inputs;
    bool is_done = true;
    if (step.fixed != nullptr) {
      is_done = step.fixed->execute(buffers, outputs, scratch);
    } else {
      const auto prepared = step.open->get(values_at(values));
      if (prepared->result_bytes == 0) return WEFT_RT_OK;
      if (prepared->is_zero) {
        std::memset(outputs[0], 0, prepared->result_bytes);
        return WEFT_RT_OK;
      }
      if (prepared->kernel == nullptr) {
        std::vector<void*> places;
        for (size_t i : prepared->arguments) places.push_back(buffers[i]);
        const auto code = step_code_.get(
            site, values_at(values), [&] { return clone_function(*prepared->function, prepared->function->name()); });
        code->invoke(places.data(), outputs);
        return WEFT_RT_OK;
      }
      rt::ArenaPool::Lease room(library_scratch_, std::max<size_t>(prepared->kernel->scratch_bytes(), 64));
      is_done = prepared->kernel->execute(buffers, outputs, room.data());
    }
    if (!is_done)
      throw InternalError("[" + std::string(compiled_.sites[static_cast<size_t>(site)].view().def().mnemonic) +
                          "] the library kernel failed");
    return WEFT_RT_OK;
  } catch (...) { return fail(context, site); }
}

int32_t OpenExecutable::run_host_op(weft_rt_context* context, const int64_t* values, int64_t site,
                                    void* const* buffers) const {
  try {
    const OpView op = compiled_.sites[static_cast<size_t>(site)].view();
    if (compiled_.plans->run(op, values_at(values), buffers)) return WEFT_RT_OK;
    const auto code = step_code_.get(site, values_at(values),
                                     [&] { return concrete_op(op, compiled_.program->names(), values_at(values)); });
    // An operand that stands twice is one argument.
    std::vector<void*> places;
    for (size_t i = 0; i < op.num_operands(); ++i) {
      bool is_first = true;
      for (size_t k = 0; k < i; ++k) is_first = is_first && op.operand(k) != op.operand(i);
      if (is_first) places.push_back(buffers[i]);
    }
    code->invoke(places.data(), buffers + op.num_operands());
    return WEFT_RT_OK;
  } catch (...) { return fail(context, site); }
}

void OpenExecutable::note_step(int64_t step, bool begins) const { profile_.note(step, begins); }

std::vector<StepEvent> OpenExecutable::take_profile() const { return profile_.take(); }

const ProgramAccount* OpenExecutable::account(const Extents& extents) const {
  const std::lock_guard lock(mutex_);
  if (extents.account == nullptr)
    extents.account = std::make_unique<ProgramAccount>(
        account_for(compiled_.account, compiled_.program->names(), extents.resolved.values, extents.memory));
  return extents.account.get();
}

void OpenExecutable::report(const weft_rt_context& context) const {
  if (pending_error != nullptr) std::rethrow_exception(std::exchange(pending_error, nullptr));
  if (context.status == WEFT_RT_OUT_OF_MEMORY) throw UserError("out of memory while the program ran");
  if (context.status == WEFT_RT_INTERRUPTED)
    throw UserError("interrupted: @" + compiled_.program->source().name() + " was ended before it was done");
  if (context.status != WEFT_RT_CHECK_FAILED)
    throw InternalError("the program left with status " + std::to_string(context.status));
  const OpView op = compiled_.sites[static_cast<size_t>(context.site)].view();
  std::vector<Tensor> operands = {Tensor::scalar_of(false)};
  for (int32_t i = 0; i < context.value_count; ++i) {
    const Type t = op.operand_type(static_cast<size_t>(i) + 1);
    if (!t.is_scalar() || t.num_bytes() > sizeof context.values[i]) break;  // only registers are reported
    operands.emplace_back(t.element_type(), Shape{});
    std::memcpy(operands.back().raw(), &context.values[i], operands.back().size_bytes());
  }
  const auto message = failed_check(op, operands, true);
  throw UserError(message ? *message : "[weft.check] failed", op.loc());
}

}  // namespace weft::native
