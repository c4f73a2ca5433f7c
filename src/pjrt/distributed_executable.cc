#include <algorithm>
#include <cstring>
#include <exception>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "pjrt/executable.h"
#include "pjrt/several_devices.h"
#include "transform/refine_shapes.h"

namespace weft::pjrt {
namespace {

class DistributedExecutable : public Executable {
 public:
  DistributedExecutable(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code,
                        DistributedProgram program)
      : client_(std::move(client)), code_(std::move(code)), program_(std::move(program)) {
    num_results_ = program_.checks.checks == nullptr ? program_.computed_types.size() : program_.checks.num_results;
    expect_pieces();
  }

  std::span<const Type> arg_types() const override { return program_.arg_types; }
  std::span<const Type> result_types() const override { return std::span(program_.computed_types).first(num_results_); }

  void invoke(const void* const* args, void* const* results) const override {
    std::vector<const void*> arrays(args, args + program_.arg_types.size());
    for (const Tensor& t : program_.constants) arrays.push_back(t.raw());
    std::vector<Tensor> looked_at;
    std::vector<void*> computed(results, results + num_results_);
    for (size_t i = num_results_; i < program_.computed_types.size(); ++i) {
      const Type t = program_.computed_types[i];
      looked_at.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
      computed.push_back(looked_at.back().raw());
    }
    std::vector<Tensor> copies;  // of parts that lie scattered in the host's memory
    std::vector<std::vector<DeviceBuffer>> in = put(arrays, copies);
    const std::vector<std::vector<DeviceBuffer>> out = execute(in);
    in.clear();
    for (const auto& [result, array] : program_.passed)
      std::memcpy(computed[result], arrays[array], program_.computed_types[result].num_bytes());
    for (size_t d = 0; d < out.size(); ++d) {
      for (size_t j = 0; j < out[d].size(); ++j) {
        for (const Piece& p : program_.results[d][j]) read(out[d][j], p, computed);
      }
    }
    if (program_.checks.checks != nullptr) evaluate(*program_.checks.checks, "checks", looked_at);
  }

  std::string explain() const override {
    const CodeFigures f = code_->code().figures();
    std::string out = "compiled by " + client_->plugin().title() + " for " + std::to_string(code_->num_devices()) +
                      " devices: " + client_->device_kind(code_->device(0)) + "\n";
    const auto line = [&](const char* name, const auto& value) {
      if (value) out += std::string(name) + ": " + std::to_string(static_cast<int64_t>(*value)) + " bytes a device\n";
    };
    line("code", f.code_bytes);
    line("arguments", f.argument_bytes);
    line("results", f.output_bytes);
    line("temporaries", f.temporary_bytes);
    for (size_t i = 0; i < program_.args[0].size(); ++i) {
      const Piece& p = program_.args[0][i];
      out += "argument " + std::to_string(i) + ": " + p.part.str() + " of " + p.whole.str() + "\n";
    }
    for (size_t j = 0; j < program_.results[0].size(); ++j) {
      for (const Piece& p : program_.results[0][j])
        out += "result " + std::to_string(j) + ": " + p.part.str() + " of " + p.whole.str() + "\n";
    }
    return out;
  }

  MemoryUse memory_use() const override {
    MemoryUse use;
    for (Type t : program_.arg_types) use.arguments += t.num_bytes();
    for (Type t : program_.computed_types) use.results += t.num_bytes();
    const auto temporary = static_cast<size_t>(code_->code().figures().temporary_bytes.value_or(0));
    use.arena = temporary * code_->num_devices();
    return use;
  }

 private:
  /// Plugins check bytes only: that they mean the same parts is for us to see.
  void expect_pieces() const {
    const std::string plugin = "PJRT plugin " + client_->plugin().title();
    const size_t wanted = program_.args.size();
    if (code_->num_devices() != wanted)
      throw InternalError(plugin + " made a program for " + std::to_string(code_->num_devices()) +
                          " devices, expected " + std::to_string(wanted));
    const std::vector<Type> theirs = code_->code().result_types();
    if (theirs.empty()) return;
    if (theirs.size() != program_.results[0].size())
      throw InternalError(plugin + " made a program of " + std::to_string(theirs.size()) + " results, expected " +
                          std::to_string(program_.results[0].size()));
    for (const auto& of_device : program_.results) {
      for (size_t j = 0; j < of_device.size(); ++j) {
        for (const Piece& p : of_device[j]) {
          if (p.part != theirs[j])
            throw InternalError(plugin + ": result " + std::to_string(j) + " is a " + theirs[j].str() +
                                " on each device, expected " + p.part.str());
        }
      }
    }
  }

  std::vector<std::vector<DeviceBuffer>> put(std::span<const void* const> arrays, std::vector<Tensor>& copies) const {
    std::vector<std::vector<DeviceBuffer>> in(program_.args.size());
    for (size_t d = 0; d < in.size(); ++d) {
      for (const Piece& p : program_.args[d]) {
        const void* elements = nullptr;
        if (const int64_t offset = offset_of_run(p); offset >= 0) {
          elements = static_cast<const std::byte*>(arrays[p.array]) + offset;
        } else {
          copies.emplace_back(p.part.element_type(), Shape(p.part.shape().begin(), p.part.shape().end()));
          cut(p, arrays[p.array], copies.back().raw());
          elements = copies.back().raw();
        }
        in[d].push_back(client_->put(elements, p.part, code_->device(d), true));
      }
    }
    return in;
  }

  std::vector<std::vector<DeviceBuffer>> execute(const std::vector<std::vector<DeviceBuffer>>& in) const {
    const size_t devices = in.size(), num_args = in[0].size(), num_results = program_.results[0].size();
    std::vector<std::vector<c::Buffer*>> in_pointers(devices), out_pointers(devices);
    std::vector<c::Buffer* const*> in_lists;
    std::vector<c::Buffer**> out_lists;
    for (size_t d = 0; d < devices; ++d) {
      for (const DeviceBuffer& b : in[d]) in_pointers[d].push_back(b.get());
      out_pointers[d].resize(num_results);
      in_lists.push_back(in_pointers[d].data());
      out_lists.push_back(out_pointers[d].data());
    }
    std::vector<c::Event*> done(devices);
    // The host's memory is read until the call ends.
    std::vector<int64_t> kept;
    for (size_t i = 0; i < num_args; ++i) kept.push_back(static_cast<int64_t>(i));
    code_->execute(in_lists, num_args, out_lists, done, kept);
    std::vector<std::vector<DeviceBuffer>> out(devices);
    for (size_t d = 0; d < devices; ++d) {
      for (c::Buffer* b : out_pointers[d]) out[d].emplace_back(client_->plugin(), b);
    }
    // All of them, also after a failure: the others may still be running.
    std::exception_ptr failure;
    for (c::Event* event : done) {
      try {
        client_->plugin().finish(event);
      } catch (...) {
        if (failure == nullptr) failure = std::current_exception();
      }
    }
    if (failure != nullptr) std::rethrow_exception(failure);
    return out;
  }

  void read(const DeviceBuffer& from, const Piece& p, std::span<void* const> computed) const {
    const bool on_host = client_->is_on_host();
    if (const int64_t offset = offset_of_run(p); offset >= 0)
      return from.read(static_cast<std::byte*>(computed[p.array]) + offset, p.part, on_host);
    Tensor part(p.part.element_type(), Shape(p.part.shape().begin(), p.part.shape().end()));
    from.read(part.raw(), p.part, on_host);
    paste(p, part.raw(), computed[p.array]);
  }

  const std::shared_ptr<const Client> client_;
  const std::unique_ptr<const LoadedCode> code_;
  const DistributedProgram program_;
  size_t num_results_ = 0;
};

}  // namespace

std::unique_ptr<Executable> compile_distributed(std::shared_ptr<const Client> client, DistributedProgram program,
                                                const CompileOptions& options) {
  const size_t wanted = program.args.size(), there = client->devices().size();
  if (wanted > there) {
    throw UserError("the program is for " + std::to_string(wanted) + " devices: PJRT plugin " +
                    client->plugin().title() + " has " + std::to_string(there) +
                    (client->is_on_host() ? "; the option cpu_device_count says how many it makes" : ""));
  }
  if (options.dump) options.dump("portable", "main", program.text.text);
  std::unique_ptr<LoadedCode> code = client->compile(std::move(program.text.text), program.settings);
  return std::make_unique<DistributedExecutable>(std::move(client), std::move(code), std::move(program));
}

std::unique_ptr<Executable> compile_on_devices(const std::function<std::shared_ptr<const Client>(size_t)>& client,
                                               int64_t asked, const Module& module, const std::string& entry,
                                               const CompileOptions& options) {
  verify(module);
  const DeviceNeeds needs = device_needs(module, entry);
  const int64_t devices = asked > 0 ? asked : needs.devices;
  const bool is_cut = needs.distribution == Distribution::kShardings;
  if (is_cut && devices == 1) return compile_program(client(1), *without_shardings(module, entry), entry, options);
  const bool is_distributed = is_cut || needs.distribution == Distribution::kProcesses ||
                              (needs.distribution == Distribution::kReplicas && devices > 1);
  if (!is_distributed) return compile_program(client(1), module, entry, options);

  std::shared_ptr<const Module> program(std::shared_ptr<const Module>(), &module);
  if (needs_refinement(module, entry)) {
    for (Type t : module.get(entry).arg_types()) {
      if (t.is_tensor() && !t.is_static())
        throw Unsupported("@" + entry + " on several devices: got an argument of type " + t.str() +
                          ", expected static extents");
    }
    const auto copy = clone_module(module);
    refine_shapes(*copy, entry, module.get(entry).arg_types());
    program = copy;
  }
  if (is_cut)
    return compile_distributed(client(static_cast<size_t>(devices)),
                               cut_program(*program, entry, devices, options.donations), options);
  if (needs.distribution == Distribution::kProcesses && asked > 0 && asked < needs.devices)
    throw UserError("@" + entry + " is a program of " + std::to_string(needs.devices) +
                    " processes: got devices=" + std::to_string(asked));
  const int64_t processes = needs.distribution == Distribution::kProcesses ? needs.devices : devices;
  return compile_distributed(client(static_cast<size_t>(processes)), process_program(*program, entry, processes),
                             options);
}

}  // namespace weft::pjrt
