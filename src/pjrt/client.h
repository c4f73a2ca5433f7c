// A plugin's client, its devices, and what lives on them. All objects free what they hold; a client outlives what was made with it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/target.h"
#include "pjrt/compile_options.h"
#include "pjrt/plugin.h"

namespace weft::pjrt {

/// Null where PJRT has no such type.
std::optional<c::BufferType> buffer_type(ElementType t);
std::optional<ElementType> element_type(c::BufferType t);

/// A program's text as plugins are given it; it points into `text`.
c::Program mlir_program(std::string& text);

class Client;

/// An array on a device.
class DeviceBuffer {
 public:
  DeviceBuffer(const Plugin& plugin, c::Buffer* buffer) : plugin_(&plugin), buffer_(buffer) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : plugin_(other.plugin_), buffer_(std::exchange(other.buffer_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(plugin_, other.plugin_);
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~DeviceBuffer();
  c::Buffer* get() const { return buffer_; }
  /// Element type and extents, asked of the plugin.
  Type type() const;
  /// Whether its memory was given to a result (donation).
  bool is_deleted() const;
  /// Waits until the elements are there, and copies them in row-major order. `on_host`: read where they lie (CPU).
  void read(void* to, Type type, bool on_host) const;

 private:
  const Plugin* plugin_;
  c::Buffer* buffer_;
};

/// Figures that a plugin gives about compiled code; what it does not know is absent.
struct CodeFigures {
  std::optional<int64_t> code_bytes;
  std::optional<int64_t> argument_bytes, output_bytes, aliased_bytes, temporary_bytes, peak_bytes;
  std::optional<double> flops, bytes_accessed;
};

/// A line for each figure, also for those that the plugin does not give.
std::string figures_text(const CodeFigures& figures);

/// Compiled code, on the devices of a client or (from a topology) on none.
class Code {
 public:
  Code(const Plugin& plugin, c::Executable* executable) : plugin_(&plugin), executable_(executable) {}
  Code(Code&& other) noexcept : plugin_(other.plugin_), executable_(std::exchange(other.executable_, nullptr)) {}
  Code& operator=(Code&&) = delete;
  ~Code();
  std::string serialize() const;
  CodeFigures figures() const;
  /// Types of the results on one device. Empty where the plugin does not say.
  std::vector<Type> result_types() const;

 private:
  const Plugin* plugin_;
  c::Executable* executable_;
};

class LoadedCode {
 public:
  /// Takes the executable over, also when it throws.
  static std::unique_ptr<LoadedCode> adopt(std::shared_ptr<const Client> client, c::LoadedExecutable* executable);
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();
  const Code& code() const { return *code_; }
  size_t num_devices() const { return devices_.size(); }
  c::Device* device(size_t i) const { return devices_[i]; }
  /// Starts a call; `args[d]` and `results[d]` belong to device d. `kept`: arguments that are not donated in this call. Results that are null are
  /// set. `done[d]`: events that end with the call, for the caller to finish.
  void execute(std::span<c::Buffer* const* const> args, size_t num_args, std::span<c::Buffer** const> results,
               std::span<c::Event*> done, std::span<const int64_t> kept = {}) const;

 private:
  LoadedCode(std::shared_ptr<const Client> client, c::LoadedExecutable* executable)
      : client_(std::move(client)), executable_(executable) {}
  std::shared_ptr<const Client> client_;
  c::LoadedExecutable* executable_;
  std::vector<c::Device*> devices_;
  std::optional<Code> code_;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  static std::shared_ptr<Client> open(const Plugin& plugin, const Options& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const Plugin& plugin() const { return plugin_; }
  std::span<c::Device* const> devices() const { return devices_; }
  /// "cpu", "tpu", "cuda".
  const std::string& platform() const { return platform_; }
  const std::string& platform_version() const { return version_; }
  bool is_on_host() const { return platform_ == "cpu"; }
  /// For instance "TPU v5 lite".
  std::string device_kind(c::Device* device) const;

  std::unique_ptr<LoadedCode> compile(std::string program, const CompileSettings& settings) const;
  std::unique_ptr<LoadedCode> load(std::string_view serialized) const;
  /// Elements of a tensor on a device. `may_keep`: the bytes stay as they are for as long as the buffer lives, so a CPU need not copy them.
  DeviceBuffer put(const void* elements, Type type, c::Device* device, bool may_keep) const;

 private:
  Client(const Plugin& plugin, c::Client* client) : plugin_(plugin), client_(client) {}
  void ask_about_itself();
  const Plugin& plugin_;
  c::Client* client_;
  std::vector<c::Device*> devices_;
  std::string platform_, version_;
};

}  // namespace weft::pjrt
