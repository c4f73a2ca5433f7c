// Simulated processes: each evaluates its function on a thread of its own, one at a time, so that runs repeat exactly.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>

#include "ops/distribution/processes.h"

namespace weft {

/// Calls a function of the module on behalf of a process.
using CallFunction = std::function<std::vector<EvalValue>(const std::string& name, std::span<const EvalValue> args,
                                                          Loc loc, Processes&)>;

/// Values kept by interpreter.probe, for a whole run.
using Probes = std::map<std::string, std::deque<Tensor>>;

/// The processes of one run and what passes between them. The turn goes round: a process runs until it waits or ends.
class ProcessGrid {
 public:
  /// One process, on the caller's thread.
  ProcessGrid(const Module& module, CallFunction call);
  ~ProcessGrid();
  /// The only process of such a grid.
  Processes& only();

 private:
  class Process;
  friend class Process;
  enum class State : uint8_t { kReady, kWaiting, kDone };
  struct Slot {
    State state = State::kReady;
    std::function<bool()> is_ready;
    const OpView* op = nullptr;  // where it waits
    std::string awaits;
  };
  /// What one group has brought to one meeting.
  struct Round {
    std::string_view mnemonic;
    std::vector<std::vector<Tensor>> values;
    std::vector<bool> arrived;
    size_t num_arrived = 0, num_taken = 0;
  };
  using Key = std::pair<int64_t, std::vector<ProcessId>>;

  ProcessGrid(const ProcessGrid& outer, int64_t replicas, int64_t partitions, std::vector<std::string> infeed);
  std::vector<std::vector<EvalValue>> run(const OpView& op, std::span<const std::string> names,
                                          std::span<const std::vector<EvalValue>> args);
  size_t index_of(ProcessId id) const { return static_cast<size_t>(id.replica * partitions_ + id.partition); }
  void wait(std::unique_lock<std::mutex>& lock, size_t self, const OpView& op, std::string awaits,
            std::function<bool()> is_ready);
  void pass_turn(size_t from);
  void stop(std::exception_ptr error);

  const Module* module_;
  CallFunction call_;
  std::shared_ptr<Probes> probes_;
  int depth_ = 0;
  int64_t replicas_ = 1, partitions_ = 1;
  std::vector<std::unique_ptr<Process>> processes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  size_t turn_ = 0;
  bool stopped_ = false;
  std::exception_ptr error_;
  std::map<std::pair<Key, size_t>, Round> rounds_;     // by the number of the group's meeting
  std::map<std::pair<Key, size_t>, size_t> meetings_;  // how often a process has met in this group
  std::map<int64_t, std::deque<std::vector<Tensor>>> channels_;
  std::deque<std::string> infeed_;
};

}  // namespace weft
