// Runs work in a process of its own, so that a crash or work that never ends is an outcome like any other.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace weft::reduce {

/// What a child tells its parent, in memory that both see.
struct Board {
  std::atomic<uint64_t> seed, runs;
  std::atomic<bool> is_done;
  char text[1 << 16];
};

/// A board for one child after another.
class SharedBoard {
 public:
  SharedBoard();
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  Board& operator*() const { return *board_; }

 private:
  Board* board_;
};

void write_text(Board& board, const std::string& text);

/// Runs `work` in a child. Empty, or how the child ended: "crash: signal 11", "hang: …" when `runs` stood still for that long.
std::string run_child(Board& board, const std::function<void(Board&)>& work, double seconds);

/// What `check` says, or how it ended.
std::string isolated(const std::function<std::string()>& check, double seconds);

}  // namespace weft::reduce
