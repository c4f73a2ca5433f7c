// Copying ops from one function into another under a map of values: the one tool from which transforms build.
#pragma once
#include <vector>

#include "ir/function.h"

namespace weft {

/// Values of a source function → values of a destination. Dense, since ids are.
class ValueMap {
 public:
  explicit ValueMap(const Function& source) : map_(source.num_values()) {}
  ValueMap() = default;
  void set(Value from, Value to) {
    if (from.index >= map_.size()) map_.resize(from.index + 1);
    map_[from.index] = to;
  }
  /// None when not mapped.
  Value get(Value from) const { return from.index < map_.size() ? map_[from.index] : Value{}; }
  /// InternalError when not mapped.
  Value at(Value from) const;

 private:
  std::vector<Value> map_;
};

/// Copies one op with its regions to the end of `region` of `to`; operands and captured values go through `map`, results are added to it.
/// `from` and `to` may be the same function; an unmapped value then stands for itself.
OpId clone_op(const Function& from, OpId op, Function& to, RegionId region, ValueMap& map);
/// As above with explicit operands (already values of `to`).
OpId clone_op(const Function& from, OpId op, std::span<const Value> operands, Function& to, RegionId region,
              ValueMap& map);
/// Copies the ops of a region, terminator excluded unless asked for; the source's region arguments must be mapped.
/// Returns the terminator's operands as values of `to`.
std::vector<Value> clone_ops(const Function& from, RegionId source, Function& to, RegionId region, ValueMap& map,
                             bool with_terminator = false);
/// A new, unowned region of `to` with the arguments and all ops of `source`.
RegionId clone_region(const Function& from, RegionId source, Function& to, ValueMap& map);
/// Gives `to` what belongs to `from` besides its ops: visibility, place, attributes of function, arguments and results.
void copy_signature(const Function& from, Function& to);
/// A copy of a whole function.
std::unique_ptr<Function> clone_function(const Function& from, std::string name);
/// A copy of a module whose functions the caller may change.
std::shared_ptr<Module> clone_module(const Module& from);
/// Values of outer regions that `region` (with everything nested in it) uses, in order of first use.
std::vector<Value> captures(const Function& f, RegionId region);

}  // namespace weft
