#include "pjrt/pjrt_target.h"

#include <map>
#include <mutex>

#include "pjrt/executable.h"

namespace weft {
namespace pjrt {
namespace {

class PjrtTarget : public Target {
 public:
  explicit PjrtTarget(const std::string& spec)
      : name_("pjrt:" + spec), spec_(parse_plugin_spec(spec)), file_(find_plugin(spec_.plugin)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                      const CompileOptions& options) const override {
    return compile_program(client(), *module, entry, options);
  }

  /// Opened when it is first needed, since its threads would not survive a fork, and kept until the process ends.
  std::shared_ptr<const Client> client() const {
    const std::lock_guard lock(mutex_);
    if (client_ == nullptr) client_ = Client::open(Plugin::load(file_), spec_.options);
    return client_;
  }

 private:
  const std::string name_;
  const PluginSpec spec_;
  const std::string file_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Client> client_;
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
