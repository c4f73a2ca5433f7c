#include "tests/fuzz/supervise.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace weft::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What a worker tells its parent, in memory that both see.
struct Board {
  std::atomic<uint64_t> seed, runs;
  std::atomic<bool> is_done;
  char fault[1 << 16];
};

void write_fault(Board& board, const std::string& fault) {
  const size_t n = std::min(fault.size(), sizeof board.fault - 1);
  std::memcpy(board.fault, fault.data(), n);
  board.fault[n] = 0;
}

/// The board, with `work` having run on it in a child; empty, or how the child ended.
std::string run_child(Board& board, const std::function<void(Board&)>& work, double seconds_per_case) {
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
    if (since(changed) > seconds_per_case) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "hang: no end after " + std::to_string(static_cast<int>(seconds_per_case)) + " s";
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
}

struct SharedBoard {
  Board* board;
  SharedBoard()
      : board(static_cast<Board*>(
            mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~SharedBoard() { munmap(board, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
};

}  // namespace

CampaignResult run_campaign(const Campaign& campaign) {
  const SharedBoard shared;
  Board& board = *shared.board;
  const auto start = Clock::now();
  const std::string end = run_child(
      board,
      [&](Board& b) {
        for (uint64_t seed = campaign.first_seed; since(start) < campaign.seconds; ++seed) {
          if (campaign.most != 0 && b.runs == campaign.most) return;
          b.seed = seed;
          const std::string fault = campaign.run(seed);
          if (!fault.empty()) return write_fault(b, fault);
          ++b.runs;
        }
      },
      campaign.seconds_per_case);
  CampaignResult result{board.runs, {}};
  const std::string fault = end.empty() ? std::string(board.fault) : end;
  if (!fault.empty()) result.found = {board.seed.load(), fault};
  return result;
}

std::string isolated(const std::function<std::string()>& check, double seconds) {
  const SharedBoard shared;
  const std::string end = run_child(*shared.board, [&](Board& b) { write_fault(b, check()); }, seconds);
  return end.empty() ? std::string(shared.board->fault) : end;
}

std::string kind_of(const std::string& fault) { return fault.substr(0, fault.find(':')); }

}  // namespace weft::fuzz
