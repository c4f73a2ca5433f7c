#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "weft/nn.h"

namespace weft::nn {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ProgressBar::ProgressBar(std::string label, int64_t total)
    : label_(std::move(label)),
      total_(std::max<int64_t>(total, 1)),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::update(int64_t done, double loss) {
  done_ = done;
  loss_ = loss;
  const double now = seconds_since(start_);
  const double interval = is_terminal_ ? 0.1 : 5;
  if (now - last_print_ >= interval && (is_terminal_ || last_print_ > 0 || now >= 1)) print(now);
}

void ProgressBar::finish() {
  if (is_finished_) return;
  is_finished_ = true;
  if (done_ > 0) print(seconds_since(start_));
  if (is_terminal_) fputc('\n', stderr);
}

void ProgressBar::print(double now) {
  last_print_ = now;
  const double share = std::clamp(static_cast<double>(done_) / static_cast<double>(total_), 0.0, 1.0);
  const double rate = now > 0 ? static_cast<double>(done_) / now : 0;
  const double left = rate > 0 ? static_cast<double>(total_ - done_) / rate : 0;
  char text[256];
  int n = 0;
  if (is_terminal_) {
    constexpr int kWidth = 30;
    char bar[kWidth + 1];
    for (int i = 0; i < kWidth; ++i) bar[i] = i < static_cast<int>(share * kWidth) ? '#' : '.';
    bar[kWidth] = 0;
    n = snprintf(text, sizeof text, "\r%s [%s] %3.0f%%  %lld/%lld  %.1f steps/s  left %.0f s  loss %.4f\x1b[K",
                 label_.c_str(), bar, 100 * share, static_cast<long long>(done_), static_cast<long long>(total_), rate,
                 left, loss_);
  } else {
    n = snprintf(text, sizeof text, "%s %3.0f%%  %lld/%lld  %.1f steps/s  left %.0f s  loss %.4f\n", label_.c_str(),
                 100 * share, static_cast<long long>(done_), static_cast<long long>(total_), rate, left, loss_);
  }
  // write() and not stdio, which may allocate its buffer.
  const std::string_view line(text, static_cast<size_t>(std::clamp(n, 0, static_cast<int>(sizeof text) - 1)));
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, line.data(), line.size());  // nobody watching is no error
}

}  // namespace weft::nn
