// Times the steps of calls under CompileOptions::profile.
#pragma once
#include <mutex>
#include <vector>

#include "ir/account.h"

namespace weft::native {

class StepClock {
 public:
  /// Of the step with this index; steps nest, and each thread has its own calls.
  void note(int64_t step, bool begins);
  /// What ended since the last take.
  std::vector<StepEvent> take();

 private:
  std::mutex mutex_;
  std::vector<StepEvent> events_;
};

}  // namespace weft::native
