#include "pjrt/pjrt_target.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "pjrt/executable.h"
#include "pjrt/several_devices.h"
#include "pjrt/started_call.h"

namespace weft {
namespace pjrt {
namespace {

constexpr const char* kCpuDevices = "cpu_device_count";

/// Takes Weft's own option out of the plugin's.
int64_t take_devices(Options& options) {
  const auto at = options.find("devices");
  if (at == options.end()) return 0;
  const auto* number = std::get_if<int64_t>(&at->second);
  if (number == nullptr || *number < 1 || *number > 1 << 20)
    throw UserError("target pjrt: option devices: expected the number of devices, 1 or more");
  const int64_t out = *number;
  options.erase(at);
  return out;
}

class PjrtTarget : public Target {
 public:
  explicit PjrtTarget(const std::string& spec)
      : name_("pjrt:" + spec),
        spec_(parse_plugin_spec(spec)),
        devices_(take_devices(spec_.options)),
        file_(find_plugin(spec_.plugin)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                      const CompileOptions& options) const override {
    return compile_on_devices([this](size_t n) { return client(n); }, devices_, *module, entry, options);
  }

  std::shared_ptr<DeviceValue> put(const Tensor& elements) const override {
    const auto here = client();
    return put_value(here, elements, here->devices()[0]);
  }

  /// Opened when it is first needed, since its threads would not survive a fork, and kept until the process ends. A CPU is as many
  /// devices as its client is told: where one has too few there will be another.
  std::shared_ptr<const Client> client(size_t devices = 1) const {
    const std::lock_guard lock(mutex_);
    devices = std::max(devices, static_cast<size_t>(devices_));
    const Plugin& plugin = Plugin::load(file_);
    if (client_ == nullptr) client_ = Client::open(plugin, spec_.options);
    if (client_->devices().size() >= devices || !client_->is_on_host() || spec_.options.contains(kCpuDevices))
      return client_;
    if (large_ == nullptr || large_->devices().size() < devices) {
      Options options = spec_.options;
      options[kCpuDevices] = static_cast<int64_t>(devices);
      large_ = Client::open(plugin, options);
    }
    return large_;
  }

 private:
  const std::string name_;
  PluginSpec spec_;
  const int64_t devices_;  // 0: as many as programs name
  const std::string file_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Client> client_, large_;
};

const PjrtTarget& target_of(const std::string& spec) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, std::unique_ptr<const PjrtTarget>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const PjrtTarget>& target = (*known)[spec];
  if (target == nullptr) target = std::make_unique<const PjrtTarget>(spec);
  return *target;
}

const RegisterTargetFamily kRegistered("pjrt", &pjrt_target);

}  // namespace

std::shared_ptr<const Client> client_of(const std::string& spec) { return target_of(spec).client(); }

}  // namespace pjrt

const Target& pjrt_target(const std::string& spec) { return pjrt::target_of(spec); }

}  // namespace weft
