#include "cli/measurement.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/other_load.h"

namespace weft::cli {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Arguments and room for the results, laid down once.
class Call {
 public:
  Call(const Executable& executable, std::span<const Tensor> args) : executable_(executable) {
    // The first call checks the arguments and makes results of the right extents.
    results_ = executable.run(args);
    for (const Tensor& t : args) in_.push_back(t.raw());
    for (const Tensor& t : results_) out_.push_back(t.raw());
  }
  void operator()() const { executable_.invoke(in_.data(), out_.data()); }

 private:
  const Executable& executable_;
  std::vector<Tensor> results_;
  std::vector<const void*> in_;
  std::vector<void*> out_;
};

/// Self times: a step's time less that of the steps inside it. Events come in order of their ends, per thread of the caller.
std::vector<StepTime> self_times(const std::vector<StepEvent>& events, const ProgramAccount& account, int calls) {
  std::map<int, StepTime> by_step;
  for (const StepEvent& e : events) {
    const double seconds = static_cast<double>(e.end_ns - e.begin_ns) * 1e-9 / calls;
    StepTime& own = by_step[e.step];
    own.step = e.step;
    own.runs += 1;
    own.seconds += seconds;
    const int parent = account.steps.at(static_cast<size_t>(e.step)).parent;
    if (parent < 0) continue;
    by_step[parent].step = parent;
    by_step[parent].seconds -= seconds;
  }
  std::vector<StepTime> out;
  for (auto& [step, time] : by_step) {
    time.runs = (time.runs + calls - 1) / calls;
    out.push_back(time);
  }
  std::ranges::sort(out, std::greater<>(), &StepTime::seconds);
  return out;
}

}  // namespace

double Measurement::bytes_moved() const {
  double bytes = 0;
  for (const StepTime& t : steps)
    bytes += account.steps[static_cast<size_t>(t.step)].bytes * static_cast<double>(t.runs);
  return bytes;
}

int64_t Measurement::temporaries() const {
  return std::ranges::count_if(account.buffers,
                               [](const BufferAccount& b) { return b.home == "arena" && b.bytes > 0; });
}

Measurement measure(const Target& target, std::shared_ptr<const Module> module, const std::string& entry,
                    std::span<const Tensor> args, const CompileOptions& options, double seconds, bool profiled) {
  Measurement out;
  const auto begin = Clock::now();
  const auto executable = target.compile(module, entry, options);
  out.compile_seconds = since(begin);
  if (const ProgramAccount* account = executable->account()) {
    out.account = *account;
  } else {
    out.account.memory = executable->memory_use();
    out.explanation = executable->explain();
  }
  const Call call(*executable, args);
  call();
  const OtherLoad others;
  const auto start = Clock::now();
  // Short calls are timed in groups: the clock itself takes some 20 ns.
  auto once = Clock::now();
  call();
  const int group = std::clamp(static_cast<int>(20e-6 / std::max(since(once), 1e-9)), 1, 1000);
  do {
    once = Clock::now();
    for (int i = 0; i < group; ++i) call();
    out.seconds.push_back(since(once) / group);
  } while (since(start) < seconds && out.seconds.size() < 100000);
  out.other_cores = others.cores();
  std::ranges::sort(out.seconds);
  if (!profiled || executable->account() == nullptr) return out;

  CompileOptions timed = options;
  timed.profile = true;
  const auto profile = target.compile(module, entry, timed);
  const Call profiled_call(*profile, args);
  profiled_call();
  profile->take_profile();
  const int calls = std::clamp(static_cast<int>(0.5 * seconds / std::max(out.median(), 1e-7)), 1, 20);
  std::vector<StepEvent> events;
  for (int i = 0; i < calls; ++i) {
    profiled_call();
    out.events = profile->take_profile();
    events.insert(events.end(), out.events.begin(), out.events.end());
  }
  out.steps = self_times(events, *profile->account(), calls);
  return out;
}

}  // namespace weft::cli
