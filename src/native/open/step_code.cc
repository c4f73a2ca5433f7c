#include "native/open/step_code.h"

#include <algorithm>

namespace weft::native {

std::shared_ptr<const Executable> StepCode::get(int64_t step, std::span<const int64_t> values,
                                                const std::function<std::unique_ptr<Function>()>& function) {
  std::vector<int64_t> key = {step};
  key.insert(key.end(), values.begin(), values.end());
  std::shared_ptr<Made> made;
  {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(key);
    if (found != kept_.end()) {
      made = found->second;
    } else {
      if (kept_.size() >= kMost)
        kept_.erase(std::ranges::min_element(kept_, {}, [](const auto& entry) { return entry.second->used; }));
      made = kept_.emplace(std::move(key), std::make_shared<Made>()).first->second;
    }
    made->used = ++clock_;
  }
  // Where compiling fails the next caller tries again.
  const std::lock_guard lock(made->mutex);
  if (made->code == nullptr) {
    const auto module = std::make_shared<Module>();
    std::unique_ptr<Function> f = function();
    const std::string name = f->name();
    module->add(std::move(f));
    made->code = compile_(module, name);
  }
  return made->code;
}

}  // namespace weft::native
