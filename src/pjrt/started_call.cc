#include "pjrt/started_call.h"

namespace weft::pjrt {

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
