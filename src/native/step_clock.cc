#include "native/step_clock.h"

#include <chrono>
#include <utility>

namespace weft::native {

void StepClock::note(int64_t step, bool begins) {
  thread_local std::vector<StepEvent> open;
  const int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (begins) {
    open.push_back({static_cast<int>(step), now, 0});
    return;
  }
  // A step that a failed check left never ended.
  while (!open.empty() && open.back().step != step) open.pop_back();
  if (open.empty()) return;
  StepEvent event = open.back();
  open.pop_back();
  event.end_ns = now;
  const std::lock_guard lock(mutex_);
  events_.push_back(event);
}

std::vector<StepEvent> StepClock::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

}  // namespace weft::native
