#include <algorithm>
#include <cstring>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "pjrt/code_cache.h"
#include "pjrt/executable.h"
#include "pjrt/parts_value.h"
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
    for (size_t d = 0; d < code_->num_devices(); ++d) devices_.push_back(code_->device(d));
    if (has_device()) {
      for (size_t i = 0; i < program_.arg_types.size(); ++i) arg_pieces_.push_back(column(program_.args, i));
      for (size_t j = 0; j < program_.computed_types.size(); ++j)
        result_pieces_.push_back(column(program_.computed, j));
    }
    is_donated_.resize(program_.arg_types.size());
    for (const auto& [arg, result] : program_.donations) is_donated_[arg] = true;
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
    const std::vector<std::vector<DeviceBuffer>> out = execute(arrays);
    for (const auto& [result, array] : program_.passed)
      std::memcpy(computed[result], arrays[array], program_.computed_types[result].num_bytes());
    for (size_t d = 0; d < out.size(); ++d) {
      for (size_t j = 0; j < out[d].size(); ++j) {
        for (const Piece& p : program_.results[d][j])
          read_piece(out[d][j], p, computed[p.array], client_->is_on_host());
      }
    }
    if (program_.checks.checks != nullptr) evaluate(*program_.checks.checks, "checks", looked_at);
  }

  std::span<const std::pair<size_t, size_t>> donations() const override { return program_.donations; }
  /// Arrays that are cut stay on their devices; processes take and give what is their own.
  bool has_device() const override { return !program_.computed.empty(); }
  bool is_in_place(size_t arg, const DeviceValue& value) const override { return in_place(arg, value) != nullptr; }

  std::shared_ptr<DeviceValue> put(size_t arg, const Tensor& elements) const override {
    if (!has_device()) return Executable::put(arg, elements);
    const Type t = Type::tensor(elements.element_type(), elements.shape());
    if (arg >= arg_types().size() || t != arg_types()[arg])
      throw UserError("argument " + std::to_string(arg) + ": got a " + t.str() + ", expected " +
                      (arg < arg_types().size() ? arg_types()[arg].str() : "no such argument"));
    BorrowedMemory memory;
    for (size_t d = 0; d < devices_.size(); ++d) send(elements.raw(), arg_pieces_[arg][d], d, false, memory);
    return std::make_shared<PartsValue>(client_, std::move(memory.buffers), arg_pieces_[arg], devices_, nullptr);
  }

  std::unique_ptr<StartedCall> start(std::span<const std::shared_ptr<DeviceValue>> args,
                                     bool host_stays) const override {
    if (!has_device()) return Executable::start(args, host_stays);
    check_values(args);
    const bool borrows = host_stays && client_->is_on_host();
    BorrowedMemory memory;
    std::vector<std::vector<c::Buffer*>> in(devices_.size());
    std::vector<int64_t> kept;
    for (size_t i = 0; i < args.size(); ++i) {
      const PartsValue* const here = in_place(i, *args[i]);
      const auto* host = dynamic_cast<const HostValue*>(args[i].get());
      const Tensor elements = here != nullptr ? Tensor() : host != nullptr ? host->tensor() : args[i]->read();
      const bool reads_host = here == nullptr && borrows && host != nullptr;
      for (size_t d = 0; d < devices_.size(); ++d) {
        if (here == nullptr) send(elements.raw(), arg_pieces_[i][d], d, reads_host, memory);
        in[d].push_back(here != nullptr ? here->buffer(d).get() : memory.buffers.back().get());
      }
      if (!is_donated_[i] || reads_host) kept.push_back(static_cast<int64_t>(i));
    }
    give_up(args, program_.donations);
    const auto completion = std::make_shared<Completion>(client_, code_);
    std::vector<std::vector<DeviceBuffer>> out;
    try {
      std::vector<c::Event*> done;
      out = run(in, kept, done);
      completion->set_events(std::move(done));
    } catch (...) {
      take_back(args);
      throw;
    }
    std::vector<std::shared_ptr<DeviceValue>> results;
    for (size_t j = 0; j < program_.computed_types.size(); ++j) {
      std::vector<DeviceBuffer> parts;
      for (auto& of_device : out) parts.push_back(std::move(of_device[j]));
      results.push_back(
          std::make_shared<PartsValue>(client_, std::move(parts), result_pieces_[j], devices_, completion));
    }
    if (!borrows) memory = {};
    return plugin_call(completion, std::move(results), num_results_, program_.checks.checks, std::move(memory));
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

  /// Starts the programs; `done` is set to the events of their ends.
  std::vector<std::vector<DeviceBuffer>> run(const std::vector<std::vector<c::Buffer*>>& in,
                                             std::span<const int64_t> kept, std::vector<c::Event*>& done) const {
    const size_t devices = in.size();
    std::vector<std::vector<c::Buffer*>> out_pointers(devices);
    std::vector<c::Buffer* const*> in_lists;
    std::vector<c::Buffer**> out_lists;
    for (size_t d = 0; d < devices; ++d) {
      out_pointers[d].resize(program_.results[0].size());
      in_lists.push_back(in[d].data());
      out_lists.push_back(out_pointers[d].data());
    }
    done.resize(devices);
    code_->execute(in_lists, in[0].size(), out_lists, done, kept);
    std::vector<std::vector<DeviceBuffer>> out(devices);
    for (size_t d = 0; d < devices; ++d) {
      for (c::Buffer* b : out_pointers[d]) out[d].emplace_back(client_->plugin(), b);
    }
    return out;
  }

  std::vector<std::vector<DeviceBuffer>> execute(std::span<const void* const> arrays) const {
    BorrowedMemory memory;
    std::vector<std::vector<c::Buffer*>> in(program_.args.size());
    for (size_t d = 0; d < in.size(); ++d) {
      for (const Piece& p : program_.args[d]) {
        send(arrays[p.array], p, d, true, memory);
        in[d].push_back(memory.buffers.back().get());
      }
    }
    // The host's memory is read until the call ends, so nothing is donated.
    std::vector<int64_t> kept;
    for (size_t i = 0; i < in[0].size(); ++i) kept.push_back(static_cast<int64_t>(i));
    std::vector<c::Event*> done;
    std::vector<std::vector<DeviceBuffer>> out = run(in, kept, done);
    // Of all of them, also after a failure: the others may still be running.
    Completion completion(client_, code_);
    completion.set_events(std::move(done));
    completion.wait();
    return out;
  }

  /// Adds a buffer with the array's part to `memory`.
  void send(const void* array, const Piece& p, size_t d, bool may_keep, BorrowedMemory& memory) const {
    const void* elements = nullptr;
    if (const int64_t offset = offset_of_run(p); offset >= 0) {
      elements = static_cast<const std::byte*>(array) + offset;
    } else {
      memory.copies.emplace_back(p.part.element_type(), Shape(p.part.shape().begin(), p.part.shape().end()));
      cut(p, array, memory.copies.back().raw());
      elements = memory.copies.back().raw();
    }
    memory.buffers.push_back(client_->put(elements, p.part, code_->device(d), may_keep));
  }

  const PartsValue* in_place(size_t arg, const DeviceValue& value) const {
    const auto* here = dynamic_cast<const PartsValue*>(&value);
    return here != nullptr && has_device() && here->is_cut_as(*client_, devices_, arg_pieces_[arg]) ? here : nullptr;
  }

  /// After a call that did not start: what the plugin has left of the donated arguments can be used.
  void take_back(std::span<const std::shared_ptr<DeviceValue>> args) const {
    for (const auto& [arg, result] : program_.donations) {
      const PartsValue* const here = in_place(arg, *args[arg]);
      try {
        if (here == nullptr || !here->is_deleted()) args[arg]->keep();
      } catch (const Error&) {}  // not known: it stays given up
    }
  }

  static std::vector<Piece> column(const std::vector<std::vector<Piece>>& of_devices, size_t i) {
    std::vector<Piece> out;
    for (const auto& pieces : of_devices) out.push_back(pieces[i]);
    return out;
  }

  const std::shared_ptr<const Client> client_;
  const std::shared_ptr<const LoadedCode> code_;
  const DistributedProgram program_;
  size_t num_results_ = 0;
  std::vector<c::Device*> devices_;
  std::vector<std::vector<Piece>> arg_pieces_, result_pieces_;  // [argument, computed value][device]
  std::vector<bool> is_donated_;
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
  std::unique_ptr<LoadedCode> code = compile_or_load(*client, std::move(program.text.text), program.settings, options);
  return make_distributed(std::move(client), std::move(code), std::move(program));
}

std::unique_ptr<Executable> make_distributed(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code,
                                             DistributedProgram program) {
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
