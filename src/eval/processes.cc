#include "eval/processes.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace weft {
namespace {

constexpr size_t kNobody = SIZE_MAX;
/// Grids within grids: each level holds threads.
constexpr int kMaxDepth = 8;
constexpr size_t kMaxProcesses = 1024;

/// Ends a process because another has failed.
struct Stopped {};

std::string describe(ProcessId id) {
  return "(replica " + std::to_string(id.replica) + ", partition " + std::to_string(id.partition) + ")";
}

std::string tag(const OpView& op) { return "[" + std::string(op.def().mnemonic) + "] "; }

std::string describe(const Tensor& t) { return Type::tensor(t.element_type(), t.shape()).str(); }

}  // namespace

class ProcessGrid::Process : public Processes {
 public:
  Process(ProcessGrid& grid, size_t index)
      : grid_(grid),
        index_(index),
        id_{static_cast<int64_t>(index) / grid.partitions_, static_cast<int64_t>(index) % grid.partitions_} {}
  ProcessId self() const override { return id_; }
  const Module& module() const override { return *grid_.module_; }
  int64_t num_replicas() const override { return grid_.replicas_; }
  int64_t num_partitions() const override { return grid_.partitions_; }

  std::vector<std::vector<Tensor>> exchange(const OpView& op, std::span<const ProcessId> group, int64_t channel,
                                            std::vector<Tensor> mine) override {
    std::unique_lock lock(grid_.mutex_);
    Key key{channel, {group.begin(), group.end()}};
    const size_t place = static_cast<size_t>(std::ranges::find(group, id_) - group.begin());
    if (place == group.size()) throw InternalError(tag(op) + "a process outside the group", op.loc());
    const std::pair at{key, grid_.meetings_[{key, index_}]++};
    Round& round = grid_.rounds_[at];
    if (round.values.empty()) {
      round.mnemonic = op.def().mnemonic;
      round.values.resize(group.size());
      round.arrived.resize(group.size());
    }
    if (round.mnemonic != op.def().mnemonic) {
      throw UserError(tag(op) + "another process of the group is at " + std::string(round.mnemonic) +
                          ": all processes of a group come to the same ops",
                      op.loc());
    }
    for (size_t i = 0; i < group.size(); ++i) {
      if (round.arrived[i]) expect_alike(op, mine, round.values[i], group[i]);
    }
    round.values[place] = std::move(mine);
    round.arrived[place] = true;
    ++round.num_arrived;
    std::string awaits;
    for (size_t i = 0; i < group.size(); ++i) {
      if (!round.arrived[i]) awaits += (awaits.empty() ? "process " : ", ") + describe(group[i]);
    }
    grid_.wait(lock, index_, op, awaits, [&round] { return round.num_arrived == round.values.size(); });
    std::vector<std::vector<Tensor>> out = round.values;
    if (++round.num_taken == group.size()) grid_.rounds_.erase(at);
    return out;
  }

  void send(int64_t channel, std::vector<Tensor> values) override {
    const std::lock_guard lock(grid_.mutex_);
    grid_.channels_[channel].push_back(std::move(values));
  }
  std::vector<Tensor> receive(const OpView& op, int64_t channel) override {
    std::unique_lock lock(grid_.mutex_);
    auto& queue = grid_.channels_[channel];
    grid_.wait(lock, index_, op, "a value in channel " + std::to_string(channel), [&queue] { return !queue.empty(); });
    std::vector<Tensor> out = std::move(queue.front());
    queue.pop_front();
    return out;
  }
  std::vector<Tensor> infeed(const OpView& op) override {
    std::string name;
    {
      const std::lock_guard lock(grid_.mutex_);
      if (grid_.infeed_.empty()) {
        throw UserError(tag(op) +
                            "the infeed holds no more values: interpreter.run_parallel names functions that "
                            "give them in its attribute infeed",
                        op.loc());
      }
      name = std::move(grid_.infeed_.front());
      grid_.infeed_.pop_front();
    }
    std::vector<Tensor> out;
    for (EvalValue& v : grid_.call_(name, {}, op.loc(), *this)) out.push_back(std::move(v.tensor));
    return out;
  }

  void probe(const std::string& name, Tensor value) override { (*grid_.probes_)[name].push_back(value.clone()); }
  const Tensor* probed(const std::string& name, int64_t iteration) override {
    const auto found = grid_.probes_->find(name);
    if (found == grid_.probes_->end() || iteration < 0 || iteration >= static_cast<int64_t>(found->second.size()))
      return nullptr;
    return &found->second[static_cast<size_t>(iteration)];
  }

  std::vector<EvalValue> run_parallel(const OpView& op, std::span<const std::vector<std::string>> programs,
                                      std::span<const std::string> infeed,
                                      std::span<const EvalValue> operands) override {
    ProcessGrid grid(grid_, static_cast<int64_t>(programs.size()), static_cast<int64_t>(programs[0].size()),
                     {infeed.begin(), infeed.end()});
    if (grid.depth_ > kMaxDepth) {
      throw UserError(tag(op) + "grids of processes within each other: got " + std::to_string(grid.depth_) +
                          " levels, expected at most " + std::to_string(kMaxDepth),
                      op.loc());
    }
    std::vector<std::string> names;
    std::vector<std::vector<EvalValue>> args;
    for (const auto& replica : programs) {
      for (const std::string& name : replica) {
        names.push_back(name);
        const size_t n = grid_.module_->get(name).args().size();
        args.emplace_back(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(n));
        operands = operands.subspan(n);
      }
    }
    std::vector<EvalValue> out;
    for (auto& results : grid.run(op, names, args)) {
      out.insert(out.end(), std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
    }
    return out;
  }

 private:
  void expect_alike(const OpView& op, std::span<const Tensor> mine, std::span<const Tensor> theirs,
                    ProcessId other) const {
    bool alike = mine.size() == theirs.size();
    for (size_t i = 0; alike && i < mine.size(); ++i) {
      if (mine[i].element_type() == theirs[i].element_type() && mine[i].shape() == theirs[i].shape()) continue;
      throw UserError(tag(op) + "operand " + std::to_string(i) + " of process " + describe(id_) + ": got " +
                          describe(mine[i]) + ", expected " + describe(theirs[i]) + " as in process " + describe(other),
                      op.loc());
    }
    if (!alike) {
      throw UserError(tag(op) + "operands of process " + describe(id_) + ": got " + std::to_string(mine.size()) +
                          ", expected " + std::to_string(theirs.size()) + " as in process " + describe(other),
                      op.loc());
    }
  }

  ProcessGrid& grid_;
  size_t index_;
  ProcessId id_;
};

ProcessGrid::ProcessGrid(const Module& module, CallFunction call)
    : module_(&module), call_(std::move(call)), probes_(std::make_shared<Probes>()), slots_(1) {
  processes_.push_back(std::make_unique<Process>(*this, 0));
}

ProcessGrid::ProcessGrid(const ProcessGrid& outer, int64_t replicas, int64_t partitions,
                         std::vector<std::string> infeed)
    : module_(outer.module_),
      call_(outer.call_),
      probes_(outer.probes_),
      depth_(outer.depth_ + 1),
      replicas_(replicas),
      partitions_(partitions),
      slots_(static_cast<size_t>(replicas * partitions)),
      infeed_(infeed.begin(), infeed.end()) {
  for (size_t i = 0; i < slots_.size(); ++i) processes_.push_back(std::make_unique<Process>(*this, i));
}

ProcessGrid::~ProcessGrid() = default;

Processes& ProcessGrid::only() { return *processes_[0]; }

std::vector<std::vector<EvalValue>> ProcessGrid::run(const OpView& op, std::span<const std::string> names,
                                                     std::span<const std::vector<EvalValue>> args) {
  const size_t n = slots_.size();
  if (n > kMaxProcesses) {
    throw UserError(tag(op) + "number of processes: got " + std::to_string(n) + ", expected at most " +
                        std::to_string(kMaxProcesses),
                    op.loc());
  }
  std::vector<std::vector<EvalValue>> results(n);
  const auto body = [&](size_t i) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return turn_ == i || stopped_; });
      if (stopped_) return;
    }
    std::exception_ptr failure;
    try {
      results[i] = call_(names[i], args[i], op.loc(), *processes_[i]);
    } catch (const Stopped&) { return; } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    slots_[i].state = State::kDone;
    if (failure) {
      stop(failure);
    } else {
      pass_turn(i);
    }
  };
  std::vector<std::thread> threads;
  try {
    // Nothing runs before all threads exist.
    const std::lock_guard lock(mutex_);
    threads.reserve(n);
    for (size_t i = 0; i < n; ++i) threads.emplace_back(body, i);
  } catch (const std::system_error& e) {
    const std::lock_guard lock(mutex_);
    stop(std::make_exception_ptr(
        UserError(tag(op) + "could not start " + std::to_string(n) + " processes: " + e.what(), op.loc())));
  }
  for (std::thread& t : threads) t.join();
  if (error_) std::rethrow_exception(error_);
  return results;
}

void ProcessGrid::stop(std::exception_ptr error) {
  if (!error_) error_ = std::move(error);
  stopped_ = true;
  changed_.notify_all();
}

void ProcessGrid::pass_turn(size_t from) {
  const size_t n = slots_.size();
  turn_ = kNobody;
  for (size_t k = 1; k <= n && turn_ == kNobody; ++k) {
    const size_t i = (from + k) % n;
    const Slot& slot = slots_[i];
    if (slot.state == State::kReady || (slot.state == State::kWaiting && slot.is_ready())) turn_ = i;
  }
  if (turn_ == kNobody) {
    const auto waits = std::ranges::find(slots_, State::kWaiting, &Slot::state);
    if (waits == slots_.end()) return;
    const auto index = static_cast<size_t>(waits - slots_.begin());
    stop(
        std::make_exception_ptr(UserError(tag(*waits->op) + "deadlock: process " + describe(processes_[index]->self()) +
                                              " waits for " + waits->awaits + ", which will not come",
                                          waits->op->loc())));
    return;
  }
  changed_.notify_all();
}

void ProcessGrid::wait(std::unique_lock<std::mutex>& lock, size_t self, const OpView& op, std::string awaits,
                       std::function<bool()> is_ready) {
  if (is_ready()) return;
  Slot& slot = slots_[self];
  slot.state = State::kWaiting;
  slot.is_ready = std::move(is_ready);
  slot.op = &op;
  slot.awaits = std::move(awaits);
  pass_turn(self);
  changed_.wait(lock, [&] { return turn_ == self || stopped_; });
  slot.state = State::kReady;
  slot.is_ready = nullptr;
  slot.op = nullptr;
  if (!stopped_) return;
  // The only process of a grid has no thread of its own to report through.
  if (slots_.size() == 1) std::rethrow_exception(error_);
  throw Stopped{};
}

}  // namespace weft
