// Tensors where a target keeps them, and calls that are under way. The same program works on every target: without a device they lie in the
// host's memory, and a call is over when it was started.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "weft/tensor.h"

namespace weft {

class DeviceValue;
class StartedCall;
namespace symbolic {
struct CompiledFunction;
}

/// A handle to a tensor on a device; copies are the same tensor. Its elements never change.
class DeviceTensor {
 public:
  DeviceTensor() = default;
  /// A host tensor, whose memory it shares. It is sent wherever a call needs it: to_device sends once.
  DeviceTensor(const Tensor& t);
  explicit DeviceTensor(std::shared_ptr<DeviceValue> value) : value_(std::move(value)) {}

  ElementType element_type() const;
  Shape shape() const;
  /// Waits for the call that computes it, and copies it to the host. Throws the call's error; UserError when its memory was donated.
  Tensor value() const;
  /// The only element.
  template <class T>
  T scalar() const {
    return value().scalar<T>();
  }
  /// As value(), without the elements.
  void wait() const;
  /// Whether its memory was given to a result of a call (FunctionOptions::donations), after which it cannot be used.
  bool is_donated() const;
  explicit operator bool() const { return value_ != nullptr; }
  const std::shared_ptr<DeviceValue>& handle() const { return value_; }

 private:
  /// UserError for an empty handle.
  DeviceValue& get() const;
  std::shared_ptr<DeviceValue> value_;
};

/// A copy of a host tensor where programs of a target use it.
DeviceTensor to_device(const Tensor& t, const std::string& target);

/// A call that was started; copies are the same call. It may be destroyed at any time; outputs and updated variables live on.
class Pending {
 public:
  Pending() = default;
  Pending(std::shared_ptr<symbolic::CompiledFunction> owner, std::shared_ptr<StartedCall> call);
  /// Waits for the end of the call, and throws the error that it ended with, each time.
  void wait();
  bool is_done() const;
  size_t size() const { return outputs_.size(); }
  /// May be used at once: what uses it waits for this call, and gets its error.
  const DeviceTensor& operator[](size_t i) const;

 private:
  std::shared_ptr<symbolic::CompiledFunction> owner_;
  std::shared_ptr<StartedCall> call_;
  std::vector<DeviceTensor> outputs_;
};

}  // namespace weft
