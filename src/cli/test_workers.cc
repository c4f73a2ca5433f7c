#include "cli/test_workers.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

namespace weft::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Worker {
  pid_t pid = -1;
  int pipe = -1;
  size_t next = 0;            // the first record that this process has not begun
  size_t current = SIZE_MAX;  // the record it is in
  Clock::time_point since;
  std::string unread;
};

void write_line(int fd, const nlohmann::json& line) {
  const std::string text = line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) _exit(1);
    done += static_cast<size_t>(n);
  }
}

void start(Worker& w, size_t count, size_t stride, const std::function<Outcome(size_t)>& run) {
  int ends[2];
  if (::pipe(ends) != 0) throw InternalError(std::string("pipe: ") + std::strerror(errno));
  const pid_t pid = ::fork();
  if (pid < 0) throw InternalError(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) {
    ::close(ends[0]);
    for (size_t i = w.next; i < count; i += stride) {
      write_line(ends[1], {{"i", i}});
      const Outcome o = run(i);
      write_line(
          ends[1],
          {{"i", i}, {"s", static_cast<int>(o.status)}, {"r", o.reason}, {"strict", o.strict}, {"notes", o.notes}});
    }
    _exit(0);
  }
  ::close(ends[1]);
  w.pid = pid;
  w.pipe = ends[0];
  w.current = SIZE_MAX;
  w.unread.clear();
  w.since = Clock::now();
}

}  // namespace

void run_in_workers(size_t count, int jobs, int seconds, const std::function<Outcome(size_t)>& run,
                    const std::function<void(size_t, const Outcome&)>& report) {
  const size_t stride = std::min<size_t>(static_cast<size_t>(jobs), std::max<size_t>(count, 1));
  std::vector<Worker> workers(stride);
  for (size_t i = 0; i < stride; ++i) {
    workers[i].next = i;
    if (i < count) start(workers[i], count, stride, run);
  }
  const auto take_lines = [&](Worker& w) {
    size_t at = 0;
    for (size_t end; (end = w.unread.find('\n', at)) != std::string::npos; at = end + 1) {
      const auto line = nlohmann::json::parse(w.unread.substr(at, end - at));
      const size_t i = line.at("i");
      if (!line.contains("s")) {
        w.current = i;
        w.since = Clock::now();
        continue;
      }
      Outcome o;
      o.status = static_cast<Outcome::Status>(line.at("s").get<int>());
      o.reason = line.at("r");
      o.strict = line.at("strict");
      o.notes = line.at("notes");
      report(i, o);
      w.current = SIZE_MAX;
      w.next = i + stride;
    }
    w.unread.erase(0, at);
  };
  // The record that the process was in has failed; the rest goes on in a new one.
  const auto finish = [&](Worker& w, const std::string& killed) {
    ::close(w.pipe);
    int status = 0;
    ::waitpid(w.pid, &status, 0);
    w.pid = -1;
    if (w.current != SIZE_MAX || (w.next < count && status != 0)) {
      const size_t i = w.current != SIZE_MAX ? w.current : w.next;
      std::string reason = killed;
      if (reason.empty()) {
        reason = WIFSIGNALED(status) ? std::string("crashed: ") + strsignal(WTERMSIG(status))
                                     : "the process ended with code " + std::to_string(WEXITSTATUS(status));
      }
      report(i, {Outcome::kFailed, reason, false});
      w.next = i + stride;
    }
    if (w.next < count) start(w, count, stride, run);
  };
  while (true) {
    std::vector<pollfd> polls;
    std::vector<Worker*> polled;
    for (Worker& w : workers) {
      if (w.pid < 0) continue;
      polls.push_back({w.pipe, POLLIN, 0});
      polled.push_back(&w);
    }
    if (polls.empty()) return;
    ::poll(polls.data(), polls.size(), 200);
    for (size_t k = 0; k < polls.size(); ++k) {
      Worker& w = *polled[k];
      if (polls[k].revents != 0) {
        char block[1 << 16];
        const ssize_t n = ::read(w.pipe, block, sizeof block);
        if (n > 0) {
          w.unread.append(block, static_cast<size_t>(n));
          take_lines(w);
        } else {
          finish(w, "");
        }
        continue;
      }
      if (Clock::now() - w.since > std::chrono::seconds(seconds) && w.current != SIZE_MAX) {
        ::kill(w.pid, SIGKILL);
        finish(w, "took longer than " + std::to_string(seconds) + " s");
      }
    }
  }
}

}  // namespace weft::cli
