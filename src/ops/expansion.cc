#include "ops/expansion.h"

#include <algorithm>

#include "ir/clone.h"

namespace weft::expansion_detail {
namespace {

/// The expansion as a function of its own.
struct Expansion {
  Function function{"expansion"};
  std::vector<Value> results;
  Expansion(ExpandFn* expand, const OpView& op, std::span<const Type> types) {
    std::vector<Value> args;
    for (Type t : types) args.push_back(function.add_arg(function.body(), t));
    OpBuilder b(function, function.body());
    b.loc = op.loc();
    results = expand(b, op, args);
  }
};

/// Runs bodies of a reduction: the ops of a region on values.
class RegionRunner : public EvalContext {
 public:
  RegionRunner(EvalContext& outer, const Function& f) : outer_(outer), f_(f), values_(f.num_values()) {}

  std::vector<EvalValue> run_region(RegionId region, std::span<const EvalValue> args) override {
    const auto formal = f_.args(region);
    for (size_t i = 0; i < formal.size(); ++i) values_[formal[i].index] = args[i];
    for (OpId id : f_.ops(region)) {
      const std::vector<EvalValue> operands = read(f_.operands(id));
      if (f_.def(id).is_terminator) return operands;
      const OpView op{f_, id};
      std::vector<EvalValue> results = record(op).eval.require(op, "evaluation")(*this, op, operands);
      for (size_t i = 0; i < results.size(); ++i) values_[op.result(i).index] = std::move(results[i]);
    }
    return {};
  }
  std::vector<EvalValue> call(const std::string& callee, std::span<const EvalValue> args, Loc loc) override {
    return outer_.call(callee, args, loc);
  }
  void print(const std::string& text) override { outer_.print(text); }
  const EvalValue& value(Value v) override { return values_[v.index]; }
  Processes& processes(const OpView& op) override { return outer_.processes(op); }

  std::vector<EvalValue> read(std::span<const Value> vs) const {
    std::vector<EvalValue> out;
    for (Value v : vs) out.push_back(values_[v.index]);
    return out;
  }

 private:
  EvalContext& outer_;
  const Function& f_;
  std::vector<EvalValue> values_;
};

std::vector<Type> operand_types(const OpView& op) {
  std::vector<Type> out;
  for (size_t i = 0; i < op.num_operands(); ++i) out.push_back(op.operand_type(i));
  return out;
}

}  // namespace

std::vector<EvalValue> eval(ExpandFn* expand, EvalContext& context, const OpView& op,
                            std::span<const EvalValue> operands) {
  std::vector<Type> types;
  for (const EvalValue& v : operands) types.push_back(Type::tensor(v.tensor.element_type(), v.tensor.shape()));
  const Expansion e(expand, op, types);
  RegionRunner runner(context, e.function);
  runner.run_region(e.function.body(), operands);
  return runner.read(e.results);
}

Linearized linearize(ExpandFn* expand, LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                     std::span<const Value> tangents) {
  const Expansion e(expand, op, operand_types(op));
  const Function& f = e.function;
  std::vector<Value> primal(f.num_values()), tangent(f.num_values());
  for (size_t i = 0; i < primals.size(); ++i) {
    primal[f.args()[i].index] = primals[i];
    tangent[f.args()[i].index] = tangents[i];
  }
  for (OpId id : f.ops(f.body())) {
    const OpView inner{f, id};
    std::vector<Value> p, t;
    for (Value v : inner.operands()) {
      p.push_back(primal[v.index]);
      t.push_back(tangent[v.index]);
    }
    const bool is_moving = std::any_of(t.begin(), t.end(), [](Value v) { return static_cast<bool>(v); });
    Linearized out = is_moving ? record(inner).linearize.require(inner, "derivative")(context, inner, p, t)
                               : Linearized{context.clone_primal(inner, p), {}};
    out.tangents.resize(inner.num_results());
    for (size_t i = 0; i < inner.num_results(); ++i) {
      primal[inner.result(i).index] = out.results[i];
      tangent[inner.result(i).index] = out.tangents[i];
    }
  }
  Linearized out;
  for (Value v : e.results) {
    out.results.push_back(primal[v.index]);
    out.tangents.push_back(tangent[v.index]);
  }
  return out;
}

std::vector<LaneValue> vectorize(ExpandFn* expand, VectorizeContext& context, const OpView& op,
                                 std::span<const LaneValue> operands) {
  const Expansion e(expand, op, operand_types(op));
  const Function& f = e.function;
  OpBuilder& b = context.builder();
  std::vector<LaneValue> values(f.num_values());
  for (size_t i = 0; i < operands.size(); ++i) values[f.args()[i].index] = operands[i];
  for (OpId id : f.ops(f.body())) {
    const OpView inner{f, id};
    std::vector<LaneValue> given;
    std::vector<Value> plain;
    for (Value v : inner.operands()) {
      given.push_back(values[v.index]);
      plain.push_back(values[v.index].value);
    }
    std::vector<LaneValue> results;
    if (std::any_of(given.begin(), given.end(), [](const LaneValue& v) { return v.varies; })) {
      results = record(inner).vectorize.require(inner, "lanes")(context, inner, given);
    } else {
      ValueMap map(f);
      const OpId copy = clone_op(f, id, plain, b.function(), b.region(), map);
      for (Value v : b.function().results(copy)) results.push_back({v, false});
    }
    for (size_t i = 0; i < results.size(); ++i) values[inner.result(i).index] = results[i];
  }
  std::vector<LaneValue> out;
  for (Value v : e.results) out.push_back(values[v.index]);
  return out;
}

std::vector<Value> simplify(ExpandFn* expand, OpBuilder& builder, const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_static()) return {};
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!op.result_type(i).is_static()) return {};
  }
  // A copy: the op stands in the function that grows.
  const std::vector<Value> operands(op.operands().begin(), op.operands().end());
  return expand(builder, op, operands);
}

}  // namespace weft::expansion_detail
