// The processes that run a program together (specification: Distribution): what tokens, channels and collective ops ask for.
#pragma once
#include <compare>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

/// A place in the grid of replicas × partitions.
struct ProcessId {
  int64_t replica = 0, partition = 0;
  auto operator<=>(const ProcessId&) const = default;
};

/// One process and its way to the others. Implemented by eval/. A wait that nothing can end any more is a UserError that names
/// the op which waits.
class Processes {
 public:
  virtual ~Processes() = default;
  virtual ProcessId self() const = 0;
  virtual int64_t num_replicas() const = 0;
  virtual int64_t num_partitions() const = 0;
  /// The program that they run.
  virtual const Module& module() const = 0;

  /// Waits until each process of `group`, of which this is one, is here by an op of the same kind and channel; returns what each
  /// brought, in the group's order. UserError when they meet in different ops or bring values of different types.
  virtual std::vector<std::vector<Tensor>> exchange(const OpView& op, std::span<const ProcessId> group, int64_t channel,
                                                    std::vector<Tensor> mine) = 0;
  /// Puts values into the channel and goes on.
  virtual void send(int64_t channel, std::vector<Tensor> values) = 0;
  /// Takes the oldest values out of the channel, waiting for them.
  virtual std::vector<Tensor> receive(const OpView& op, int64_t channel) = 0;
  /// The next values of the infeed. UserError when it is exhausted.
  virtual std::vector<Tensor> infeed(const OpView& op) = 0;

  /// Keeps a value under a name; the n-th kept has iteration n.
  virtual void probe(const std::string& name, Tensor value) = 0;
  /// Null when there is no such value.
  virtual const Tensor* probed(const std::string& name, int64_t iteration) = 0;

  /// Runs a grid of functions to their end: programs[replica][partition], operands and results in this order.
  virtual std::vector<EvalValue> run_parallel(const OpView& op, std::span<const std::vector<std::string>> programs,
                                              std::span<const std::string> infeed,
                                              std::span<const EvalValue> operands) = 0;
};

}  // namespace weft
