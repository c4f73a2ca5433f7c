#include "cli/other_load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace weft::cli {
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that all cores together were not idle.
double busy_seconds() {
  std::ifstream in("/proc/stat");
  std::string label;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft_irq = 0;
  if (!(in >> label >> user >> nice >> system >> idle >> waiting >> irq >> soft_irq)) return 0;
  return (user + nice + system + irq + soft_irq) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double own_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

}  // namespace

OtherLoad::OtherLoad() : begin_wall_(wall_seconds()), begin_busy_(busy_seconds()), begin_own_(own_seconds()) {}

double OtherLoad::cores() const {
  const double wall = wall_seconds() - begin_wall_;
  const double others = (busy_seconds() - begin_busy_) - (own_seconds() - begin_own_);
  return wall <= 0 ? 0 : std::max(0.0, others / wall);
}

}  // namespace weft::cli
