// Ctrl-C during a call ends the call, not the process: the message says so, files stay whole.
#pragma once
#include <csignal>

namespace weft::cli {

/// While the object lives, the first SIGINT interrupts the calls that run (weft/interrupt.h); a second one ends the process.
class InterruptOnSignal {
 public:
  InterruptOnSignal();
  ~InterruptOnSignal();
  InterruptOnSignal(const InterruptOnSignal&) = delete;
  InterruptOnSignal& operator=(const InterruptOnSignal&) = delete;
  static bool has_happened();

 private:
  struct sigaction before_ = {};
};

}  // namespace weft::cli
