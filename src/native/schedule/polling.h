// How often a loop of the entry looks whether its call is to end.
#pragma once
#include <cstdint>

#include "native/schedule/schedule.h"

namespace weft::native {

enum class Polling : uint8_t {
  kNever,      // few turns of cheap steps, a number known now
  kSometimes,  // an inner loop of cheap steps whose counter runs to a bound: every so many turns
  kEachTurn,
};

/// Turns of a loop of cheap steps: microseconds.
constexpr int64_t kTurnsBetweenPolls = 4096;

Polling polling_of(const Function& function, const Step& loop);

}  // namespace weft::native
