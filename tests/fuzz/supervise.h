// Runs cases in processes of their own, so that a crash or a case that never ends is a finding like any other.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "reduce/isolated.h"

namespace weft::fuzz {

struct Campaign {
  double seconds = 10;
  /// Ends earlier after this many cases; 0 = only by time.
  uint64_t most = 0;
  uint64_t first_seed = 1;
  /// A case that takes longer is a finding.
  double seconds_per_case = 20;
  /// What is wrong with a case, "kind: more"; empty when nothing is.
  std::function<std::string(uint64_t seed)> run;
};
struct CampaignResult {
  uint64_t runs = 0;
  /// The seed of the first case with a fault, and the fault.
  std::optional<std::pair<uint64_t, std::string>> found;
};
/// Runs first_seed, first_seed + 1, … until a fault or the end of time.
CampaignResult run_campaign(const Campaign& campaign);

using reduce::isolated;

/// "kind" of "kind: more": what a reduced case must keep.
std::string kind_of(const std::string& fault);

}  // namespace weft::fuzz
