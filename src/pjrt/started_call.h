// Calls of a plugin that are under way, and the values on its devices that they take and give.
#pragma once
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "ir/device_value.h"
#include "ir/function.h"
#include "pjrt/client.h"

namespace weft::pjrt {

/// The end of a call. What the call uses lives as long.
class Completion {
 public:
  Completion(std::shared_ptr<const Client> client, std::shared_ptr<const LoadedCode> code)
      : client_(std::move(client)), code_(std::move(code)) {}
  ~Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Takes over the events of the devices. Once, before others see this.
  void set_events(std::vector<c::Event*> events) { events_ = std::move(events); }
  /// Waits for all of them. Throws the first error that they carry, each time.
  void wait() const;
  bool is_done() const;

 private:
  const std::shared_ptr<const Client> client_;
  const std::shared_ptr<const LoadedCode> code_;
  mutable std::mutex mutex_;
  mutable std::vector<c::Event*> events_;  // those that nobody has waited for
  mutable std::exception_ptr error_;
};

/// An array on one device of a plugin.
class PluginValue : public DeviceValue {
 public:
  /// `made_by`: the call whose result it is; null for what the host put there.
  PluginValue(std::shared_ptr<const Client> client, DeviceBuffer buffer, Type type, c::Device* device,
              std::shared_ptr<const Completion> made_by)
      : DeviceValue(type),
        client_(std::move(client)),
        made_by_(std::move(made_by)),
        device_(device),
        buffer_(std::move(buffer)) {}
  const Client& client() const { return *client_; }
  c::Device* device() const { return device_; }
  const DeviceBuffer& buffer() const { return buffer_; }

 protected:
  void read_elements(void* to) const override;
  void await() const override;

 private:
  const std::shared_ptr<const Client> client_;
  const std::shared_ptr<const Completion> made_by_;
  c::Device* const device_;
  const DeviceBuffer buffer_;  // ends before its client does
};

/// What reads the host's memory until a call ends.
struct BorrowedMemory {
  std::vector<Tensor> copies;  // memory that buffers read
  std::vector<DeviceBuffer> buffers;
};
/// A call of values: its own results, then what its checks look at once it is over. `checks` may be null.
std::unique_ptr<StartedCall> plugin_call(std::shared_ptr<const Completion> completion,
                                         std::vector<std::shared_ptr<DeviceValue>> computed, size_t num_results,
                                         std::shared_ptr<const Module> checks, BorrowedMemory borrowed);
/// Marks the arguments that are donated, all of them or none. UserError when one was donated before.
void give_up(std::span<const std::shared_ptr<DeviceValue>> args, std::span<const std::pair<size_t, size_t>> donations);

/// A copy of the elements on a device.
std::shared_ptr<PluginValue> put_value(std::shared_ptr<const Client> client, const Tensor& elements, c::Device* device);

}  // namespace weft::pjrt
