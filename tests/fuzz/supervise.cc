#include "tests/fuzz/supervise.h"

#include <chrono>

namespace weft::fuzz {

CampaignResult run_campaign(const Campaign& campaign) {
  using Clock = std::chrono::steady_clock;
  const reduce::SharedBoard shared;
  reduce::Board& board = *shared;
  const auto start = Clock::now();
  const auto since_start = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const std::string end = reduce::run_child(
      board,
      [&](reduce::Board& b) {
        for (uint64_t seed = campaign.first_seed; since_start() < campaign.seconds; ++seed) {
          if (campaign.most != 0 && b.runs == campaign.most) return;
          b.seed = seed;
          const std::string fault = campaign.run(seed);
          if (!fault.empty()) return reduce::write_text(b, fault);
          ++b.runs;
        }
      },
      campaign.seconds_per_case);
  CampaignResult result{board.runs, {}};
  const std::string fault = end.empty() ? std::string(board.text) : end;
  if (!fault.empty()) result.found = {board.seed.load(), fault};
  return result;
}

std::string kind_of(const std::string& fault) { return fault.substr(0, fault.find(':')); }

}  // namespace weft::fuzz
