#include "reduce/isolated.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace weft::reduce {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

void write_text(Board& board, const std::string& text) {
  const size_t n = std::min(text.size(), sizeof board.text - 1);
  std::memcpy(board.text, text.data(), n);
  board.text[n] = 0;
}

std::string run_child(Board& board, const std::function<void(Board&)>& work, double seconds) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      work(board);
      board.is_done = true;
    } catch (...) { _exit(3); }
    _exit(0);
  }
  uint64_t seen = board.runs;
  auto changed = Clock::now();
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (WIFSIGNALED(status)) return "crash: signal " + std::to_string(WTERMSIG(status));
      return board.is_done ? "" : "crash: exit code " + std::to_string(WEXITSTATUS(status));
    }
    if (board.runs != seen) seen = board.runs, changed = Clock::now();
    if (since(changed) > seconds) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "hang: no end after " + std::to_string(static_cast<int>(seconds)) + " s";
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
}

SharedBoard::SharedBoard()
    : board_(static_cast<Board*>(
          mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
SharedBoard::~SharedBoard() { munmap(board_, sizeof(Board)); }

std::string isolated(const std::function<std::string()>& check, double seconds) {
  const SharedBoard board;
  const std::string end = run_child(*board, [&](Board& b) { write_text(b, check()); }, seconds);
  return end.empty() ? std::string((*board).text) : end;
}

}  // namespace weft::reduce
