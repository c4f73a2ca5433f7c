#include "symbolic/residence.h"

#include "ir/device_value.h"

namespace weft::symbolic {

void Residence::fail_lost() const {
  throw UserError("[variable] the value of " + (name_.empty() ? "a variable" : "\"" + name_ + "\"") +
                  " is lost: its memory was given to a call that failed; set() gives it a new one");
}

void Residence::bring_home() {
  if (is_home_) return;
  std::erase_if(copies_, [](const auto& v) { return v->is_donated(); });
  if (copies_.empty()) fail_lost();
  copies_.front()->read(home_.raw());
  is_home_.store(true, std::memory_order_release);
}

void Residence::fetch() {
  const std::lock_guard lock(mutex_);
  bring_home();
}

std::shared_ptr<DeviceValue> Residence::at(const Executable& executable, size_t arg) {
  const std::lock_guard lock(mutex_);
  for (const auto& v : copies_) {
    if (!v->is_donated() && executable.is_in_place(arg, *v)) return v;
  }
  bring_home();
  copies_.push_back(executable.put(arg, home_));
  has_copies_ = true;
  return copies_.back();
}

void Residence::drop_copies() {
  const std::lock_guard lock(mutex_);
  copies_.clear();
  has_copies_ = false;
  is_home_ = true;
}

void Residence::changed_at(std::shared_ptr<DeviceValue> value) {
  const std::lock_guard lock(mutex_);
  copies_.assign(1, std::move(value));
  has_copies_ = true;
  is_home_ = false;
}

}  // namespace weft::symbolic
