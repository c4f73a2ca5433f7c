#include "pjrt/started_call.h"

#include "eval/evaluator.h"

namespace weft::pjrt {
namespace {

/// A call with what it looks at once it is over.
class PluginCall : public StartedCall {
 public:
  PluginCall(std::shared_ptr<const Completion> completion, std::vector<std::shared_ptr<DeviceValue>> computed,
             size_t num_results, std::shared_ptr<const Module> checks, BorrowedMemory borrowed)
      : completion_(std::move(completion)), checks_(std::move(checks)), borrowed_(std::move(borrowed)) {
    const auto end = computed.begin() + static_cast<std::ptrdiff_t>(num_results);
    results_.assign(computed.begin(), end);
    looked_at_.assign(end, computed.end());
  }
  ~PluginCall() override {
    if (borrowed_.buffers.empty()) return;
    try {
      completion_->wait();
    } catch (const Error&) {}  // nobody asked
  }
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

  void wait() override {
    completion_->wait();
    if (checks_ == nullptr) return;
    const std::lock_guard lock(mutex_);
    if (!is_checked_) {
      std::vector<Tensor> values;
      for (const auto& v : looked_at_) values.push_back(v->read());
      try {
        evaluate(*checks_, "checks", values);
      } catch (const Error&) { failed_ = std::current_exception(); }
      is_checked_ = true;
      looked_at_.clear();
    }
    if (failed_) std::rethrow_exception(failed_);
  }
  bool is_done() const override { return completion_->is_done(); }

 private:
  const std::shared_ptr<const Completion> completion_;
  const std::shared_ptr<const Module> checks_;
  const BorrowedMemory borrowed_;
  std::vector<std::shared_ptr<DeviceValue>> looked_at_;
  std::mutex mutex_;
  bool is_checked_ = false;
  std::exception_ptr failed_;
};

}  // namespace

std::unique_ptr<StartedCall> plugin_call(std::shared_ptr<const Completion> completion,
                                         std::vector<std::shared_ptr<DeviceValue>> computed, size_t num_results,
                                         std::shared_ptr<const Module> checks, BorrowedMemory borrowed) {
  return std::make_unique<PluginCall>(std::move(completion), std::move(computed), num_results, std::move(checks),
                                      std::move(borrowed));
}

void give_up(std::span<const std::shared_ptr<DeviceValue>> args, std::span<const std::pair<size_t, size_t>> donations) {
  for (size_t n = 0; n < donations.size(); ++n) {
    const size_t arg = donations[n].first;
    if (args[arg]->donate()) continue;
    for (size_t k = 0; k < n; ++k) args[donations[k].first]->keep();
    args[arg]->expect_alive("argument " + std::to_string(arg));
  }
}

Completion::~Completion() {
  for (c::Event* event : events_) {
    c::EventDestroyArgs args;
    args.event = event;
    client_->plugin().release(args);
  }
}

void Completion::wait() const {
  const std::lock_guard lock(mutex_);
  while (!events_.empty()) {
    c::Event* const event = events_.back();
    events_.pop_back();
    try {
      client_->plugin().finish(event);
    } catch (const Error&) { error_ = std::current_exception(); }
  }
  if (error_) std::rethrow_exception(error_);
}

bool Completion::is_done() const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;  // somebody waits for it
  for (c::Event* event : events_) {
    c::EventIsReadyArgs args;
    args.event = event;
    client_->plugin().call(args);
    if (!args.is_ready) return false;
  }
  return true;
}

void PluginValue::await() const {
  if (made_by_ != nullptr) made_by_->wait();
}

void PluginValue::read_elements(void* to) const {
  await();
  buffer_.read(to, type(), client_->is_on_host());
}

std::shared_ptr<PluginValue> put_value(std::shared_ptr<const Client> client, const Tensor& elements,
                                       c::Device* device) {
  const Type type = Type::tensor(elements.element_type(), elements.shape());
  DeviceBuffer buffer = client->put(elements.raw(), type, device, false);
  return std::make_shared<PluginValue>(std::move(client), std::move(buffer), type, device, nullptr);
}

}  // namespace weft::pjrt
