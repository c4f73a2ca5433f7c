#include "weft/device_tensor.h"

#include "ir/device_value.h"
#include "ir/target.h"
#include "symbolic/compiled_function.h"

namespace weft {

DeviceTensor::DeviceTensor(const Tensor& t) {
  if (!t) throw UserError("[device] an empty tensor handle is given: expected a tensor with elements");
  value_ = std::make_shared<HostValue>(t);
}

DeviceValue& DeviceTensor::get() const {
  if (value_ == nullptr) throw UserError("[device] an empty handle is used: to_device and calls make tensors");
  return *value_;
}
ElementType DeviceTensor::element_type() const { return get().type().element_type(); }
Shape DeviceTensor::shape() const {
  const auto extents = get().type().shape();
  return {extents.begin(), extents.end()};
}
Tensor DeviceTensor::value() const { return get().read(); }
void DeviceTensor::wait() const { get().wait(); }
bool DeviceTensor::is_donated() const { return get().is_donated(); }

DeviceTensor to_device(const Tensor& t, const std::string& target) {
  if (!t) throw UserError("[to_device] an empty tensor handle is given: expected a tensor with elements");
  return DeviceTensor(get_target(target).put(t));
}

Pending::Pending(std::shared_ptr<symbolic::CompiledFunction> owner, std::shared_ptr<StartedCall> call)
    : owner_(std::move(owner)), call_(std::move(call)) {
  const auto& results = call_->results();
  for (size_t i = 0; i < owner_->outputs.size(); ++i) outputs_.emplace_back(results[i]);
}
void Pending::wait() {
  if (call_ == nullptr) throw UserError("[wait] an empty call is waited for: make it with start(...) first");
  call_->wait();
}
bool Pending::is_done() const { return call_ == nullptr || call_->is_done(); }
const DeviceTensor& Pending::operator[](size_t i) const {
  if (i >= outputs_.size())
    throw UserError("[pending] there is no such output: got " + std::to_string(i) + ", expected an index below " +
                    std::to_string(outputs_.size()));
  return outputs_[i];
}

}  // namespace weft
