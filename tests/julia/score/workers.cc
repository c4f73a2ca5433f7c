#include "tests/julia/score/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <nlohmann/json.hpp>

#include "tests/limit_address_space.h"

namespace weft::julia::score {
namespace {

using Clock = std::chrono::steady_clock;
using Batch = std::vector<size_t>;

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  Batch batch;
  size_t done = 0;  // cases of the batch with a verdict
  std::string unread;
  Clock::time_point last = Clock::now();
};

void limit_cpu(int seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);  // SIGPROF ends the process
}

void write_line(int pipe, const Verdict& v) {
  const nlohmann::json message = {v.passed, v.input, v.expected, v.got};
  const std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (size_t at = 0; at < line.size();) {
    const ssize_t n = write(pipe, line.data() + at, line.size() - at);
    if (n <= 0) _exit(1);
    at += static_cast<size_t>(n);
  }
}

[[noreturn]] void run_batch(const Batch& batch, const std::vector<const Case*>& cases, Session& session,
                            const Limits& limits, int pipe) {
  limit_address_space(rlim_t{6} << 30);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int null = open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) dup2(null, stream);
  for (const size_t i : batch) {
    limit_cpu(limits.seconds);
    Verdict v;
    try {
      v = cases[i]->run(session);
    } catch (const ExitRequest&) {
      v.got = "exit";
      v.input = cases[i]->text;
    } catch (const std::exception& error) {
      v.got = "exception of C++: " + std::string(error.what());
      v.input = cases[i]->text;
    }
    limit_cpu(0);
    write_line(pipe, v);
  }
  _exit(0);
}

Child start(Batch batch, const std::vector<const Case*>& cases, Session& session, const Limits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw InternalError("no pipe");
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    run_batch(batch, cases, session, limits, ends[1]);
  }
  close(ends[1]);
  Child child;
  child.pid = pid;
  child.pipe = ends[0];
  child.batch = std::move(batch);
  return child;
}

void take_lines(Child& child, std::vector<Verdict>& verdicts) {
  size_t end = 0;
  while ((end = child.unread.find('\n')) != std::string::npos) {
    const nlohmann::json m = nlohmann::json::parse(child.unread.substr(0, end));
    child.unread.erase(0, end + 1);
    if (child.done < child.batch.size()) verdicts[child.batch[child.done++]] = {m[0], m[1], m[2], m[3]};
  }
}

std::string end_of(int status, const Limits& limits) {
  if (!WIFSIGNALED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGKILL)
    return "no end after " + std::to_string(limits.seconds) + " s";
  return "crash: signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

std::vector<Verdict> run_cases(const std::vector<const Case*>& cases, Session& session, const Limits& limits) {
  std::vector<Verdict> verdicts(cases.size());
  std::deque<Batch> waiting;
  for (size_t i = 0; i < cases.size();) {
    // Steps of examples define names: each has a session of its own.
    const size_t n = cases[i]->set == "selftests" ? limits.batch : 1;
    Batch batch;
    const std::string& set = cases[i]->set;
    while (i < cases.size() && batch.size() < n && cases[i]->set == set) batch.push_back(i++);
    waiting.push_back(std::move(batch));
  }
  std::vector<Child> running;
  const auto finish = [&](Child& child) {
    int status = 0;
    waitpid(child.pid, &status, 0);
    close(child.pipe);
    if (child.done == child.batch.size()) return;
    const Batch rest(child.batch.begin() + static_cast<std::ptrdiff_t>(child.done), child.batch.end());
    // A crash may be an earlier case's fault, an endless loop is its own.
    const bool is_alone = child.done == 0 && child.batch.size() == 1;
    if (is_alone || (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)) {
      verdicts[rest[0]] = {false, cases[rest[0]]->text, "an end", end_of(status, limits)};
    } else {
      waiting.push_back({rest[0]});
    }
    if (rest.size() > 1) waiting.emplace_back(rest.begin() + 1, rest.end());
  };
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < static_cast<size_t>(limits.jobs)) {
      running.push_back(start(std::move(waiting.front()), cases, session, limits));
      waiting.pop_front();
    }
    std::vector<pollfd> polled;
    for (const Child& child : running) polled.push_back({child.pipe, POLLIN, 0});
    poll(polled.data(), polled.size(), 1000);
    for (size_t i = running.size(); i-- > 0;) {
      Child& child = running[i];
      // One that waits uses no CPU time.
      if (Clock::now() - child.last > std::chrono::seconds(limits.seconds * 12)) kill(child.pid, SIGKILL);
      if (polled[i].revents == 0) continue;
      char buffer[1 << 16];
      const ssize_t n = read(child.pipe, buffer, sizeof buffer);
      if (n > 0) {
        child.last = Clock::now();
        child.unread.append(buffer, static_cast<size_t>(n));
        take_lines(child, verdicts);
        continue;
      }
      finish(child);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return verdicts;
}

}  // namespace weft::julia::score
