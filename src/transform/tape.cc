#include "transform/tape.h"

#include <unordered_set>

#include "ir/clone.h"
#include "ops/tangent_space.h"

namespace weft {
namespace {

constexpr OpDef kMapDef{"linear map on the tape"};

class TransposeOp : public TransposeContext {
 public:
  TransposeOp(OpBuilder& out, const OpView& op, RegionId tape) : out_(out), op_(op), tape_(tape) {}
  OpBuilder& builder() override { return out_; }
  bool is_linear(size_t i) const override { return op_.function.region(op_.operand(i)) == tape_; }

 private:
  OpBuilder& out_;
  const OpView& op_;
  RegionId tape_;
};

}  // namespace

std::vector<Value> Tape::add_map(std::span<const Value> tangents, size_t plain, std::span<const Type> result_types,
                                 RegionLinearizer::Accumulate transposed, Loc loc) {
  Map map{{}, tangents.size(), plain, std::move(transposed)};
  std::vector<Value> operands;
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (!tangents[i]) continue;
    map.inputs.push_back(i);
    operands.push_back(tangents[i]);
  }
  const OpId op = function_.append(region_, kMapDef, operands, Attrs(), result_types, {}, loc);
  maps_.emplace(op, std::move(map));
  return function_.results(op);
}

// Rules may write zeros and the like on the tape: what depends on no tangent is a primal value.
void Tape::move_constants(OpBuilder& out) {
  std::unordered_map<Value, Value> moved;
  ValueMap map;
  for (OpId op : std::vector<OpId>(function_.ops(region_).begin(), function_.ops(region_).end())) {
    bool linear = maps_.contains(op);
    for (size_t i = 0; i < function_.operands(op).size(); ++i) {
      const Value v = function_.operand(op, i);
      if (const auto it = moved.find(v); it != moved.end()) {
        function_.set_operand(op, i, it->second);
      } else {
        linear = linear || is_linear(v);
      }
    }
    if (linear) continue;
    const OpId copy = clone_op(function_, op, function_, out.region(), map);
    for (size_t i = 0; i < function_.num_results(op); ++i) moved[function_.result(op, i)] = function_.result(copy, i);
  }
}

void Tape::transpose(OpBuilder& out, VectorMap& cotangents) {
  move_constants(out);
  const std::vector<OpId> ops(function_.ops(region_).begin(), function_.ops(region_).end());
  for (size_t n = ops.size(); n-- > 0;) {
    const OpView op{function_, ops[n]};
    std::vector<Value> given;
    bool any = false;
    for (size_t i = 0; i < op.num_results(); ++i) {
      const auto it = cotangents.find(op.result(i));
      given.push_back(it == cotangents.end() ? Value{} : it->second);
      any = any || given.back();
    }
    if (!any) continue;
    out.loc = op.loc();
    const std::vector<Value> operands(op.operands().begin(), op.operands().end());
    if (const auto it = maps_.find(ops[n]); it != maps_.end()) {
      const Map& map = it->second;
      // Sums are replaced before anything is added. A tangent that stands twice among them gets its sum once.
      std::vector<Value> sums(map.num_inputs);
      std::vector<bool> replaces(operands.size());
      std::unordered_set<Value> seen;
      for (size_t k = 0; k < operands.size(); ++k) {
        if (map.inputs[k] < map.plain || !seen.insert(operands[k]).second) continue;
        replaces[k] = true;
        if (const auto sum = cotangents.find(operands[k]); sum != cotangents.end()) sums[map.inputs[k]] = sum->second;
      }
      const std::vector<Value> contributions = map.transposed(out, given, sums);
      for (size_t k = 0; k < operands.size(); ++k) {
        if (replaces[k] && contributions.at(map.inputs[k])) cotangents[operands[k]] = contributions[map.inputs[k]];
      }
      for (size_t k = 0; k < operands.size(); ++k) {
        const Value c = contributions.at(map.inputs[k]);
        if (replaces[k] || !c) continue;
        Value& sum = cotangents[operands[k]];
        sum = accumulate_tangent(out, sum, c);
      }
      continue;
    }
    TransposeOp context(out, op, region_);
    const std::vector<Value> contributions = record(op).transpose.require(op, "transpose")(context, op, given);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (k >= contributions.size() || !contributions[k] || !is_linear(operands[k])) continue;
      Value& sum = cotangents[operands[k]];
      sum = accumulate_tangent(out, sum, contributions[k]);
    }
  }
}

}  // namespace weft
