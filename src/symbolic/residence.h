// Where the value of a variable lies: in the host's memory, on devices, or both.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ir/target.h"
#include "weft/tensor.h"

namespace weft::symbolic {

/// Whoever calls holds the variable: alone for what says so, else shared or alone. Copies are made where they are first needed, and kept until
/// the variable changes elsewhere.
class Residence {
 public:
  Residence(Tensor home, std::string name) : home_(std::move(home)), name_(std::move(name)) {}

  /// The host's memory, whose address never changes, with the value in it. Throws the error of the call that should have made the value; UserError
  /// when it is lost.
  const Tensor& at_home() {
    if (!is_home_.load(std::memory_order_acquire)) fetch();
    return home_;
  }
  /// The host's memory, whatever lies in it.
  const Tensor& home() const { return home_; }
  /// The value where argument `arg` of an executable is wanted.
  std::shared_ptr<DeviceValue> at(const Executable& executable, size_t arg);
  /// The host's memory has a new value. By who holds the variable alone.
  void changed_at_home() {
    if (has_copies_.load(std::memory_order_relaxed)) drop_copies();
  }
  /// A call made a new value. By who holds the variable alone.
  void changed_at(std::shared_ptr<DeviceValue> value);

 private:
  void fetch();
  void drop_copies();
  [[noreturn]] void fail_lost() const;
  void bring_home();  // holding the mutex

  const Tensor home_;
  const std::string name_;
  std::mutex mutex_;
  std::atomic<bool> is_home_ = true, has_copies_ = false;
  std::vector<std::shared_ptr<DeviceValue>> copies_;
};

}  // namespace weft::symbolic
