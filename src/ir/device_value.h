// Values where a target keeps them, and calls that are under way. Targets without a device use the host's memory for both.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "ir/type.h"
#include "weft/tensor.h"

namespace weft {

/// An array where a target keeps it. Its elements never change; many threads may read it. Its memory may be given away once, to a result of a
/// call (donation), after which it cannot be used.
class DeviceValue {
 public:
  explicit DeviceValue(Type type) : type_(type) {}
  virtual ~DeviceValue() = default;
  DeviceValue(const DeviceValue&) = delete;
  DeviceValue& operator=(const DeviceValue&) = delete;

  Type type() const { return type_; }
  /// Waits until the elements are there, and copies them to `to` in row-major order. Throws the error of the call that should have made
  /// them; UserError when their memory was given away.
  void read(void* to) const;
  Tensor read() const;
  /// As `read`, without the elements.
  void wait() const;
  bool is_donated() const { return is_donated_; }
  /// UserError "WHAT was donated to an earlier call …" when its memory was given away.
  void expect_alive(const std::string& what) const;

  /// For calls that take its memory. False when it was given away before. Waits for those who read.
  bool donate();
  /// The call that should have taken the memory did not.
  void keep() { is_donated_ = false; }

 protected:
  /// Both are called while the memory cannot be given away.
  virtual void read_elements(void* to) const = 0;
  virtual void await() const = 0;
  std::shared_lock<std::shared_mutex> hold() const { return std::shared_lock(readers_); }

 private:
  const Type type_;
  mutable std::shared_mutex readers_;
  std::atomic<bool> is_donated_ = false;
};

/// An array in the host's memory.
class HostValue : public DeviceValue {
 public:
  /// Shares the tensor's memory.
  explicit HostValue(Tensor tensor)
      : DeviceValue(Type::tensor(tensor.element_type(), tensor.shape())), tensor_(std::move(tensor)) {}
  /// Shares it.
  Tensor tensor() const;
  /// Gives it away. UserError that names `what` when that was done before.
  Tensor take(const std::string& what);

 protected:
  void read_elements(void* to) const override;
  void await() const override {}

 private:
  Tensor tensor_;
};

/// A call that was started. It may be destroyed at any time, its results live on; but where it was promised that memory of the host stays as it is, that
/// waits for the call's end.
class StartedCall {
 public:
  virtual ~StartedCall() = default;
  /// Waits for the end. Throws the error that the call ended with, each time.
  virtual void wait() = 0;
  virtual bool is_done() const = 0;
  /// They may be used at once: what uses them waits for the call, and gets its error.
  const std::vector<std::shared_ptr<DeviceValue>>& results() const { return results_; }

 protected:
  std::vector<std::shared_ptr<DeviceValue>> results_;
};

/// A call that was over when it was started, and one that failed: what it would have made has its error.
std::unique_ptr<StartedCall> done_call(std::vector<std::shared_ptr<DeviceValue>> results);
std::unique_ptr<StartedCall> failed_call(std::span<const Type> results, std::exception_ptr error);
/// The elements of a value on the host, for a call that gives them new contents; others may hold their memory as well. The value is donated.
/// UserError that names `what` when it was before.
Tensor take(DeviceValue& value, const std::string& what);
/// Memory for a call's result. Unsupported for what is no tensor of static extents.
Tensor result_room(Type t, size_t index);

}  // namespace weft
