#include "pjrt/executable.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "pjrt/code_cache.h"
#include "pjrt/program_text.h"
#include "pjrt/started_call.h"
#include "text/print.h"
#include "transform/inline.h"
#include "transform/refine_shapes.h"

namespace weft::pjrt {
namespace {

class PjrtExecutable : public Executable {
 public:
  PjrtExecutable(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code, Signature signature)
      : client_(std::move(client)), code_(std::move(code)), signature_(std::move(signature)) {
    const SplitChecks& split = signature_.checks;
    num_results_ = split.checks == nullptr ? computed_types().size() : split.num_results;
    is_donated_.resize(arg_types().size());
    for (const auto& [arg, result] : signature_.donations) is_donated_[arg] = true;
    for (size_t i = 0; i < arg_types().size(); ++i) {
      all_args_.push_back(static_cast<int64_t>(i));
      if (!is_donated_[i]) kept_args_.push_back(static_cast<int64_t>(i));
    }
    expect_same_results();
  }

  std::span<const Type> arg_types() const override { return signature_.arg_types; }
  std::span<const Type> result_types() const override { return std::span(computed_types()).first(num_results_); }
  std::span<const std::pair<size_t, size_t>> donations() const override { return signature_.donations; }

  void invoke(const void* const* args, void* const* results) const override {
    std::vector<DeviceBuffer> in;
    in.reserve(arg_types().size());
    std::vector<c::Buffer*> in_pointers;
    for (size_t i = 0; i < arg_types().size(); ++i) {
      in.push_back(client_->put(args[i], arg_types()[i], device(), true));
      in_pointers.push_back(in.back().get());
    }
    c::Event* done = nullptr;
    const std::vector<DeviceBuffer> out = execute(in_pointers, done, all_args_);
    client_->plugin().finish(done);
    for (size_t j = 0; j < num_results_; ++j) out[j].read(results[j], computed_types()[j], client_->is_on_host());
    if (signature_.checks.checks != nullptr) check(out);
  }

  bool has_device() const override { return true; }
  bool is_in_place(size_t, const DeviceValue& value) const override { return in_place(value) != nullptr; }
  std::shared_ptr<DeviceValue> put(size_t, const Tensor& elements) const override {
    return put_value(client_, elements, device());
  }

  std::unique_ptr<StartedCall> start(std::span<const std::shared_ptr<DeviceValue>> args,
                                     bool host_stays) const override {
    check_values(args);
    const bool borrows = host_stays && client_->is_on_host();
    std::vector<DeviceBuffer> sent;
    std::vector<c::Buffer*> in;
    for (size_t i = 0; i < args.size(); ++i) {
      const PluginValue* const here = in_place(*args[i]);
      if (here != nullptr) {
        in.push_back(here->buffer().get());
        continue;
      }
      const auto* host = dynamic_cast<const HostValue*>(args[i].get());
      const Tensor elements = host != nullptr ? host->tensor() : args[i]->read();
      sent.push_back(client_->put(elements.raw(), arg_types()[i], device(), borrows && host != nullptr));
      in.push_back(sent.back().get());
    }
    give_up(args, signature_.donations);
    c::Event* done = nullptr;
    std::vector<DeviceBuffer> out;
    const auto completion = std::make_shared<Completion>(client_, code_);
    try {
      out = execute(in, done, borrows ? kept_with_host_args(args) : kept_args_);
    } catch (...) {
      take_back(args);
      throw;
    }
    completion->set_events({done});
    std::vector<std::shared_ptr<DeviceValue>> results;
    for (size_t j = 0; j < out.size(); ++j)
      results.push_back(
          std::make_shared<PluginValue>(client_, std::move(out[j]), computed_types()[j], device(), completion));
    if (!borrows) sent.clear();
    return plugin_call(completion, std::move(results), num_results_, signature_.checks.checks,
                       {.copies = {}, .buffers = std::move(sent)});
  }

  std::string explain() const override {
    return "compiled by " + client_->plugin().title() + " for " + client_->device_kind(device()) + "\n" +
           figures_text(code_->code().figures());
  }

  MemoryUse memory_use() const override {
    MemoryUse use;
    const CodeFigures f = code_->code().figures();
    for (Type t : arg_types()) use.arguments += t.num_bytes();
    for (Type t : computed_types()) use.results += t.num_bytes();
    use.arena = static_cast<size_t>(f.temporary_bytes.value_or(0));
    return use;
  }

 private:
  const std::vector<Type>& computed_types() const { return signature_.computed_types; }
  c::Device* device() const { return code_->device(0); }

  const PluginValue* in_place(const DeviceValue& value) const {
    const auto* here = dynamic_cast<const PluginValue*>(&value);
    return here != nullptr && &here->client() == client_.get() && here->device() == device() ? here : nullptr;
  }

  /// `done` is set to an event of the call's end.
  std::vector<DeviceBuffer> execute(std::span<c::Buffer* const> in, c::Event*& done,
                                    std::span<const int64_t> kept) const {
    std::vector<c::Buffer*> out(computed_types().size());
    std::vector<DeviceBuffer> results;
    results.reserve(out.size());
    c::Buffer* const* const in_lists[] = {in.data()};
    c::Buffer** const out_lists[] = {out.data()};
    code_->execute(in_lists, in.size(), out_lists, std::span(&done, 1), kept);
    for (c::Buffer* b : out) results.emplace_back(client_->plugin(), b);
    return results;
  }

  /// After a call that did not start: what the plugin has left of the donated arguments can be used.
  void take_back(std::span<const std::shared_ptr<DeviceValue>> args) const {
    for (const auto& [arg, result] : signature_.donations) {
      const PluginValue* const here = in_place(*args[arg]);
      try {
        if (here == nullptr || !here->buffer().is_deleted()) args[arg]->keep();
      } catch (const Error&) {}  // not known: it stays given up
    }
  }

  /// Arguments that are not donated: memory of the host never is.
  std::vector<int64_t> kept_with_host_args(std::span<const std::shared_ptr<DeviceValue>> args) const {
    std::vector<int64_t> kept;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!is_donated_[i] || in_place(*args[i]) == nullptr) kept.push_back(static_cast<int64_t>(i));
    }
    return kept;
  }

  /// Plugins check bytes only; that both sides mean the same arrays is for us to see.
  void expect_same_results() const {
    const std::vector<Type> theirs = code_->code().result_types();
    const std::vector<Type>& ours = computed_types();
    if (theirs.empty()) return;
    if (theirs.size() != ours.size())
      throw InternalError("PJRT plugin " + client_->plugin().title() + " made a program of " +
                          std::to_string(theirs.size()) + " results, expected " + std::to_string(ours.size()));
    for (size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i] != ours[i])
        throw InternalError("PJRT plugin " + client_->plugin().title() + ": result " + std::to_string(i) + " is a " +
                            theirs[i].str() + ", expected " + ours[i].str());
    }
  }

  void check(const std::vector<DeviceBuffer>& out) const {
    std::vector<Tensor> values;
    for (size_t j = num_results_; j < out.size(); ++j) {
      const Type t = computed_types()[j];
      values.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
      out[j].read(values.back().raw(), t, client_->is_on_host());
    }
    evaluate(*signature_.checks.checks, "checks", values);
  }

  const std::shared_ptr<const Client> client_;
  const std::shared_ptr<const LoadedCode> code_;
  const Signature signature_;
  size_t num_results_ = 0;  // of the program itself
  std::vector<bool> is_donated_;
  std::vector<int64_t> all_args_, kept_args_;
};

/// Code that others use as well.
class SharedExecutable : public Executable {
 public:
  explicit SharedExecutable(std::shared_ptr<const Executable> code) : code_(std::move(code)) {}
  std::span<const Type> arg_types() const override { return code_->arg_types(); }
  std::span<const Type> result_types() const override { return code_->result_types(); }
  void invoke(const void* const* args, void* const* results) const override { code_->invoke(args, results); }
  std::span<const std::pair<size_t, size_t>> donations() const override { return code_->donations(); }
  bool has_device() const override { return true; }
  bool is_in_place(size_t arg, const DeviceValue& value) const override { return code_->is_in_place(arg, value); }
  std::shared_ptr<DeviceValue> put(size_t arg, const Tensor& elements) const override {
    return code_->put(arg, elements);
  }
  std::unique_ptr<StartedCall> start(std::span<const std::shared_ptr<DeviceValue>> args,
                                     bool host_stays) const override {
    return code_->start(args, host_stays);
  }
  std::string explain() const override { return code_->explain(); }
  MemoryUse memory_use() const override { return code_->memory_use(); }

 private:
  const std::shared_ptr<const Executable> code_;
};

/// A program with open extents: code for each set of extents, made when it is first called with it.
class OpenPjrtExecutable : public Executable {
 public:
  OpenPjrtExecutable(std::shared_ptr<const Client> client, const Module& module, const std::string& entry,
                     const CompileOptions& options)
      : client_(std::move(client)),
        module_(clone_module(module)),
        entry_(entry),
        options_(options),
        arg_types_(module.get(entry).arg_types()),
        result_types_(module.get(entry).result_types()) {}

  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }
  bool has_open_extents() const override { return true; }
  void invoke(const void* const*, void* const*) const override {
    throw InternalError("open extents: for_extents comes first");
  }

  std::unique_ptr<Executable> for_extents(std::span<const Type> arg_types, const void* const*) const override {
    std::string key;
    for (Type t : arg_types) key += t.str() + ";";
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Executable>& code = compiled_[key];
    if (code == nullptr) {
      const auto copy = clone_module(*module_);
      refine_shapes(*copy, entry_, arg_types);
      code = compile_program(client_, *copy, entry_, options_);
    }
    return std::make_unique<SharedExecutable>(code);
  }
  ExtentCalls extent_calls() const override {
    const std::lock_guard lock(mutex_);
    return {.own = compiled_.size()};
  }

  bool has_device() const override { return true; }
  bool is_in_place(size_t, const DeviceValue& value) const override {
    const auto* here = dynamic_cast<const PluginValue*>(&value);
    return here != nullptr && &here->client() == client_.get() && here->device() == client_->devices()[0];
  }
  std::shared_ptr<DeviceValue> put(size_t, const Tensor& elements) const override {
    return put_value(client_, elements, client_->devices()[0]);
  }
  std::unique_ptr<StartedCall> start(std::span<const std::shared_ptr<DeviceValue>> args,
                                     bool host_stays) const override {
    std::vector<Type> types;
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i] == nullptr) throw UserError("argument " + std::to_string(i) + ": got an empty handle");
      types.push_back(args[i]->type());
    }
    return for_extents(types, nullptr)->start(args, host_stays);
  }

 private:
  const std::shared_ptr<const Client> client_;
  const std::shared_ptr<const Module> module_;
  const std::string entry_;
  const CompileOptions options_;
  const std::vector<Type> arg_types_, result_types_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Executable>> compiled_;  // by the arguments' types
};

std::unique_ptr<Executable> compile_static(std::shared_ptr<const Client> client, const Module& module,
                                           const std::string& entry, const CompileOptions& options) {
  const auto whole = clone_module(module);
  whole->replace(inline_calls(module, module.get(entry)));  // checks of callees, too
  SplitChecks split = split_checks(*whole, entry, true);
  Signature signature;
  // A check that fails leaves the arguments as they were.
  if (split.checks == nullptr) signature.donations = options.donations;
  ProgramText program = program_text(*split.program, entry, signature.donations);
  if (options.dump) options.dump("portable", entry, program.text);
  std::unique_ptr<LoadedCode> code = compile_or_load(*client, std::move(program.text), {}, options);
  signature.arg_types = module.get(entry).arg_types();
  signature.computed_types = std::move(program.result_types);
  signature.checks = std::move(split);
  return make_executable(std::move(client), std::move(code), std::move(signature));
}

}  // namespace

std::unique_ptr<Executable> make_executable(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code,
                                            Signature signature) {
  return std::make_unique<PjrtExecutable>(std::move(client), std::move(code), std::move(signature));
}

std::unique_ptr<Executable> compile_program(std::shared_ptr<const Client> client, const Module& module,
                                            const std::string& entry, const CompileOptions& options) {
  verify(module);
  if (!needs_refinement(module, entry)) return compile_static(std::move(client), module, entry, options);
  const bool is_open =
      std::ranges::any_of(module.get(entry).arg_types(), [](Type t) { return t.is_tensor() && !t.is_static(); });
  if (is_open) return std::make_unique<OpenPjrtExecutable>(std::move(client), module, entry, options);
  // All extents follow from constants.
  const auto copy = clone_module(module);
  refine_shapes(*copy, entry, module.get(entry).arg_types());
  return compile_static(std::move(client), *copy, entry, options);
}

}  // namespace weft::pjrt
