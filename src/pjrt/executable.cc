#include "pjrt/executable.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "pjrt/program_text.h"
#include "text/print.h"
#include "transform/inline.h"
#include "transform/refine_shapes.h"

namespace weft::pjrt {
namespace {

class PjrtExecutable : public Executable {
 public:
  PjrtExecutable(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code, std::vector<Type> arg_types,
                 std::vector<Type> computed_types, SplitChecks split)
      : client_(std::move(client)),
        code_(std::move(code)),
        arg_types_(std::move(arg_types)),
        computed_types_(std::move(computed_types)),
        split_(std::move(split)),
        result_types_(computed_types_.begin(),
                      split_.checks == nullptr
                          ? computed_types_.end()
                          : computed_types_.begin() + static_cast<std::ptrdiff_t>(split_.num_results)) {
    expect_same_results();
  }

  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }

  void invoke(const void* const* args, void* const* results) const override {
    const Plugin& plugin = client_->plugin();
    c::Device* const device = code_->device(0);
    std::vector<DeviceBuffer> in;
    in.reserve(arg_types_.size());
    std::vector<c::Buffer*> in_pointers;
    for (size_t i = 0; i < arg_types_.size(); ++i) {
      in.push_back(client_->put(args[i], arg_types_[i], device, true));
      in_pointers.push_back(in.back().get());
    }
    std::vector<c::Buffer*> out_pointers(computed_types_.size());
    c::Event* done[] = {nullptr};
    c::Buffer* const* const in_lists[] = {in_pointers.data()};
    c::Buffer** const out_lists[] = {out_pointers.data()};
    code_->execute(in_lists, in_pointers.size(), out_lists, done);
    std::vector<DeviceBuffer> out;
    out.reserve(out_pointers.size());
    for (c::Buffer* b : out_pointers) out.emplace_back(plugin, b);
    plugin.finish(done[0]);
    for (size_t j = 0; j < result_types_.size(); ++j) out[j].read(results[j], result_types_[j], client_->is_on_host());
    if (split_.checks != nullptr) check(out);
  }

  std::string explain() const override {
    const CodeFigures f = code_->code().figures();
    std::string out =
        "compiled by " + client_->plugin().title() + " for " + client_->device_kind(code_->device(0)) + "\n";
    const auto line = [&](const char* name, const auto& value, const char* unit) {
      if (value) out += std::string(name) + ": " + std::to_string(static_cast<int64_t>(*value)) + unit + "\n";
    };
    line("code", f.code_bytes, " bytes");
    line("arguments", f.argument_bytes, " bytes");
    line("results", f.output_bytes, " bytes");
    line("temporaries", f.temporary_bytes, " bytes");
    line("peak", f.peak_bytes, " bytes");
    line("arithmetic", f.flops, " FLOP");
    line("memory traffic", f.bytes_accessed, " bytes");
    return out;
  }

  MemoryUse memory_use() const override {
    MemoryUse use;
    const CodeFigures f = code_->code().figures();
    for (Type t : arg_types_) use.arguments += t.num_bytes();
    for (Type t : computed_types_) use.results += t.num_bytes();
    use.arena = static_cast<size_t>(f.temporary_bytes.value_or(0));
    return use;
  }

 private:
  /// Plugins check bytes only; that both sides mean the same arrays is for us to see.
  void expect_same_results() const {
    const std::vector<Type> theirs = code_->code().result_types();
    if (theirs.empty()) return;
    if (theirs.size() != computed_types_.size())
      throw InternalError("PJRT plugin " + client_->plugin().title() + " made a program of " +
                          std::to_string(theirs.size()) + " results, expected " +
                          std::to_string(computed_types_.size()));
    for (size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i] != computed_types_[i])
        throw InternalError("PJRT plugin " + client_->plugin().title() + ": result " + std::to_string(i) + " is a " +
                            theirs[i].str() + ", expected " + computed_types_[i].str());
    }
  }

  void check(const std::vector<DeviceBuffer>& out) const {
    std::vector<Tensor> values;
    for (size_t j = result_types_.size(); j < out.size(); ++j) {
      const Type t = computed_types_[j];
      values.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
      out[j].read(values.back().raw(), t, client_->is_on_host());
    }
    evaluate(*split_.checks, "checks", values);
  }

  const std::shared_ptr<const Client> client_;
  const std::unique_ptr<const LoadedCode> code_;
  const std::vector<Type> arg_types_, computed_types_;  // computed: results, then what the checks look at
  const SplitChecks split_;
  const std::vector<Type> result_types_;
};

/// Code that others use as well.
class SharedExecutable : public Executable {
 public:
  explicit SharedExecutable(std::shared_ptr<const Executable> code) : code_(std::move(code)) {}
  std::span<const Type> arg_types() const override { return code_->arg_types(); }
  std::span<const Type> result_types() const override { return code_->result_types(); }
  void invoke(const void* const* args, void* const* results) const override { code_->invoke(args, results); }
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
  ProgramText program = program_text(*split.program, entry);
  if (options.dump) options.dump("portable", entry, program.text);
  std::unique_ptr<LoadedCode> code = client->compile(std::move(program.text), {});
  return make_executable(std::move(client), std::move(code), module.get(entry).arg_types(),
                         std::move(program.result_types), std::move(split));
}

}  // namespace

std::unique_ptr<Executable> make_executable(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code,
                                            std::vector<Type> arg_types, std::vector<Type> computed_types,
                                            SplitChecks checks) {
  return std::make_unique<PjrtExecutable>(std::move(client), std::move(code), std::move(arg_types),
                                          std::move(computed_types), std::move(checks));
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
