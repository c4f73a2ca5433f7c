// What function() makes: a program, its executable and variables, and memory for the results of calls.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/device_value.h"
#include "ir/target.h"
#include "symbolic/node.h"

namespace weft::symbolic {

struct Batches;

/// What one call gives, with the tables of pointers that a call in the host's memory passes on.
struct ResultSet {
  std::vector<Tensor> tensors;
  std::vector<const void*> in;
  std::vector<void*> out;
  /// On a device: the outputs, which are copied to `tensors` when they are read.
  std::vector<std::shared_ptr<DeviceValue>> values;
  std::vector<bool> is_read;
  std::mutex mutex;  // of reading them

  void set_values(std::vector<std::shared_ptr<DeviceValue>> outputs);
  const Tensor& read(size_t i);
};

struct CompiledFunction {
  struct Input {
    std::string name;
    ElementType element;
    Shape shape;
    Loc loc;
  };
  struct Bound {
    std::shared_ptr<VariableState> state;
    bool is_updated = false;
  };
  CompiledFunction();
  ~CompiledFunction();

  std::string name;
  Loc loc;
  FunctionOptions options;
  std::unique_ptr<Batches> batches;  // then nothing but inputs and outputs below is set
  std::shared_ptr<const Module> module;
  std::unique_ptr<Executable> executable;
  std::vector<Input> inputs;
  std::vector<Type> outputs;
  std::vector<Bound> variables;   // arguments after the inputs
  std::vector<size_t> updated;    // results after the outputs: positions in `variables`
  std::vector<Bound> lock_order;  // by address, so that no two calls wait for each other
  std::mutex mutex;
  std::vector<std::unique_ptr<ResultSet>> idle;

  std::unique_ptr<ResultSet> make_set() const;
  ResultSet* lease();
  void give_back(ResultSet* set);
  void check_count(size_t args) const;
  void check_argument(size_t i, const Tensor& t) const;
  void check_argument(size_t i, const DeviceTensor& t) const;
  bool overlaps_update(const Tensor& t) const;

  /// A call in the host's memory; `run` does the work.
  template <class Run>
  void with_variables(const Run& run);
  /// A call on a device. It holds the variables while it starts; when it `waits`, until it is over. Variables keep their values when a
  /// check fails that was waited for.
  std::unique_ptr<StartedCall> start(std::vector<std::shared_ptr<DeviceValue>> args, bool host_stays, bool waits);
};

/// A function over examples: compiled once for each number of them.
struct Batches {
  std::shared_ptr<CompiledFunction> one;
  std::vector<int64_t> axes;  // of the examples, one for each input; -1: none
  Loc loc;
  std::mutex mutex;
  std::vector<std::pair<int64_t, CompiledGraph>> compiled;  // by number, the one used last at the end

  static constexpr size_t kKept = 16;
  int64_t examples(std::span<const Tensor* const> args) const;
  CompiledGraph of(int64_t examples);
};

}  // namespace weft::symbolic
