#include "cli/interrupt_on_signal.h"

#include "weft/interrupt.h"

namespace weft::cli {
namespace {

volatile std::sig_atomic_t happened = 0;

extern "C" void weft_cli_on_interrupt(int) {
  happened = 1;
  interrupt();
}

}  // namespace

InterruptOnSignal::InterruptOnSignal() {
  happened = 0;
  struct sigaction action = {};
  action.sa_handler = weft_cli_on_interrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, &before_);
}

InterruptOnSignal::~InterruptOnSignal() { sigaction(SIGINT, &before_, nullptr); }

bool InterruptOnSignal::has_happened() { return happened != 0; }

}  // namespace weft::cli
