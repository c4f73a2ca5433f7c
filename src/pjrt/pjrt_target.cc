#include "pjrt/pjrt_target.h"

#include <map>
#include <mutex>

#include "pjrt/executable.h"

namespace weft {
namespace pjrt {
namespace {

class PjrtTarget : public Target {
 public:
  PjrtTarget(std::string name, std::shared_ptr<const Client> client)
      : name_(std::move(name)), client_(std::move(client)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                      const CompileOptions& options) const override {
    return compile_program(client_, *module, entry, options);
  }
  const std::shared_ptr<const Client>& client() const { return client_; }

 private:
  const std::string name_;
  const std::shared_ptr<const Client> client_;
};

/// Opened on first use and kept until the process ends: clients hold threads and devices.
const PjrtTarget& target_of(const std::string& spec) {
  static std::mutex mutex;
  static auto* const opened = new std::map<std::string, std::unique_ptr<const PjrtTarget>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const PjrtTarget>& target = (*opened)[spec];
  if (target == nullptr) {
    const PluginSpec parsed = parse_plugin_spec(spec);
    const Plugin& plugin = Plugin::load(find_plugin(parsed.plugin));
    target = std::make_unique<const PjrtTarget>("pjrt:" + spec, Client::open(plugin, parsed.options));
  }
  return *target;
}

const RegisterTargetFamily kRegistered("pjrt", &pjrt_target);

}  // namespace

std::shared_ptr<const Client> client_of(const std::string& spec) { return target_of(spec).client(); }

}  // namespace pjrt

const Target& pjrt_target(const std::string& spec) { return pjrt::target_of(spec); }

}  // namespace weft
