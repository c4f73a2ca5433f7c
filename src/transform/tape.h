// The linear half of a reverse derivative: ops linear in tangents, written forwards and transposed backwards.
#pragma once
#include <unordered_map>
#include <vector>

#include "ops/control_flow/control_flow_rules.h"

namespace weft {

/// Cotangents (or tangents) by value; a missing entry is zero.
using VectorMap = std::unordered_map<Value, Value>;

class Tape {
 public:
  explicit Tape(Function& function) : function_(function), region_(function.new_region()) {}

  RegionId region() const { return region_; }
  /// A tangent that is given: an argument of the tape.
  Value add_input(Type type) { return function_.add_arg(region_, type); }
  /// A node for RegionLinearizer::accumulating_map; missing tangents stay zero.
  std::vector<Value> add_map(std::span<const Value> tangents, size_t plain, std::span<const Type> result_types,
                             RegionLinearizer::Accumulate transposed, Loc loc);
  /// Walks the tape backwards and writes its transpose at `out`. `cotangents` holds those of tape values on entry and gains those
  /// of the inputs.
  void transpose(OpBuilder& out, VectorMap& cotangents);

 private:
  struct Map {
    std::vector<size_t> inputs;  // position among all tangents of each operand of the node
    size_t num_inputs, plain;
    RegionLinearizer::Accumulate transposed;
  };
  void move_constants(OpBuilder& out);
  bool is_linear(Value v) const { return function_.region(v) == region_; }

  Function& function_;
  RegionId region_;
  std::unordered_map<OpId, Map> maps_;
};

}  // namespace weft
