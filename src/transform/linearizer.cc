#include "transform/linearizer.h"

#include <algorithm>

#include "ops/control_flow/region_flow.h"
#include "ops/foreign/foreign.h"
#include "ops/quantized/quantization.h"
#include "ops/tangent_space.h"
#include "transform/activity.h"
#include "transform/callees.h"
#include "transform/counted_loop.h"
#include "transform/custom_rules.h"
#include "transform/repeatable.h"

namespace weft {

DerivativeSession::DerivativeSession(Module& m, CalleeCache& c, Function& f) : module(m), cache(c), function(f) {}
DerivativeSession::~DerivativeSession() = default;

Linearizer::Linearizer(DerivativeSession& session, SourceFrame& frame, RegionId target, VectorMap& tangents, Tape* tape)
    : session_(session),
      frame_(frame),
      tangents_(tangents),
      tape_(tape),
      primal_(session.function, target, &session.module),
      linear_(session.function, tape != nullptr ? tape->region() : target, &session.module) {}

Linearized Linearizer::run(RegionId source) {
  const Function& f = frame_.source;
  for (OpId id : f.ops(source)) {
    if (!f.def(id).is_terminator) visit(OpView{f, id});
  }
  Linearized out;
  for (Value v : f.operands(f.terminator(source))) {
    out.results.push_back(primal(v));
    out.tangents.push_back(tangent(v));
  }
  return out;
}

namespace {

/// "derivative by operand 1": what a refusal says that it refuses.
std::string derivative_by(std::span<const Value> tangents) {
  const auto first = std::ranges::find_if(tangents, [](Value t) { return static_cast<bool>(t); });
  return first == tangents.end() ? "derivative" : "derivative by operand " + std::to_string(first - tangents.begin());
}

}  // namespace

void Linearizer::visit(const OpView& op) {
  primal_.loc = linear_.loc = op.loc();
  std::vector<Value> primals, tangents;
  bool active = false;
  for (Value v : op.operands()) {
    primals.push_back(primal(v));
    tangents.push_back(tangent(v));
    active = active || tangents.back();
  }
  bool matters = false;
  for (size_t i = 0; i < op.num_results(); ++i) matters = matters || is_differentiated(op.result(i));
  active = active || (matters && !op.regions().empty() && !differentiated_captures(op).empty());
  if (!active || !matters) {
    // What leaves the function by an effect is not taken for a constant.
    if (active && leaves_function(op)) record(op).linearize.require(op, derivative_by(tangents));
    clone_op(frame_.source, op.id, primals, session_.function, primal_.region(), frame_.primals);
    return;
  }
  if (record(op).effects == Effects::kPure && op.regions().empty() && touches_quantized(op)) {
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] derivative: not with quantized operands or results",
                      op.loc());
  }
  const LinearizeFn& rule = record(op).linearize.require(op, derivative_by(tangents));
  if (const Type t = foreign_type_of(op); t && op.regions().empty() && callee(op) == nullptr) {
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] derivative: not with values of type " + t.str(),
                      op.loc());
  }
  const std::optional<Linearized> custom = linearize_by_rule(session_, *this, op, primals, tangents);
  const Linearized out = custom ? *custom : rule(*this, op, primals, tangents);
  for (size_t i = 0; i < op.num_results(); ++i) {
    frame_.primals.set(op.result(i), out.results.at(i));
    if (out.tangents.at(i) && is_differentiated(op.result(i))) tangents_[op.result(i)] = out.tangents[i];
  }
}

// ---- LinearizeContext -----------------------------------------------------------------------------------------------------

std::vector<Value> Linearizer::clone_primal(const OpView& op, std::span<const Value> primals) {
  const std::vector<Value> operands(primals.begin(), primals.end());
  if (&op.function != &frame_.source) {  // an op of an expansion
    ValueMap own(op.function);
    return session_.function.results(clone_op(op.function, op.id, operands, session_.function, primal_.region(), own));
  }
  return session_.function.results(
      clone_op(frame_.source, op.id, operands, session_.function, primal_.region(), frame_.primals));
}

std::vector<Value> Linearizer::linear_map(std::span<const Value> tangents, std::span<const Type> result_types,
                                          Emit forward, Emit transposed) {
  if (tape_ == nullptr) return forward(primal_, tangents);
  return tape_->add_map(
      tangents, tangents.size(), result_types,
      [transposed = std::move(transposed)](OpBuilder& b, std::span<const Value> cotangents, std::span<const Value>) {
        return transposed(b, cotangents);
      },
      linear_.loc);
}

// ---- RegionLinearizer: what is known ------------------------------------------------------------------------------------------

Value Linearizer::tangent(Value source) {
  if (!is_differentiated(source)) return {};
  const auto it = tangents_.find(source);
  return it == tangents_.end() ? Value{} : it->second;
}

std::vector<Value> Linearizer::differentiated_captures(const OpView& op) {
  std::vector<Value> out;
  for (RegionId r : op.regions()) {
    for (Value v : captures(frame_.source, r)) {
      if (tangent(v) && std::ranges::find(out, v) == out.end()) out.push_back(v);
    }
  }
  return out;
}

// ---- RegionLinearizer: regions ------------------------------------------------------------------------------------------------

std::vector<Value> Linearizer::copy_region(RegionId source, OpBuilder& into, std::span<const Value> args) {
  for (size_t i = 0; i < args.size(); ++i) frame_.primals.set(frame_.source.args(source)[i], args[i]);
  return clone_ops(frame_.source, source, session_.function, into.region(), frame_.primals);
}

Linearized Linearizer::forward_region(RegionId source, OpBuilder& into, std::span<const Value> args,
                                      std::span<const Value> tangents) {
  const std::span<const Value> params = frame_.source.args(source);
  for (size_t i = 0; i < params.size(); ++i) {
    frame_.primals.set(params[i], args[i]);
    if (tangents[i]) tangents_[params[i]] = tangents[i];
  }
  return Linearizer(session_, frame_, into.region(), tangents_, nullptr).run(source);
}

RegionVjp Linearizer::vjp_region(RegionId source, const VjpRequest& request) {
  Function& f = session_.function;
  RegionVjp out;
  out.block = f.new_region();
  Tape& tape = session_.tapes.emplace_back(f);
  VectorMap& tangents = session_.tangents.emplace_back();

  const std::span<const Value> params = frame_.source.args(source);
  std::vector<Value> inputs(params.size());
  for (size_t i = 0; i < params.size(); ++i) {
    const Type t = frame_.source.type(params[i]);
    out.args.push_back(f.add_arg(out.block, t));
    if (request.extras[i]) out.extras.push_back(out.args[i]);
    frame_.primals.set(params[i], out.args[i]);
    if (is_differentiated(params[i])) tangents[params[i]] = inputs[i] = tape.add_input(t);
  }
  std::vector<Value> summed;
  for (Value v : request.captures) summed.push_back(tangents[v] = tape.add_input(frame_.source.type(v)));
  for (size_t i : request.summed) {
    summed.push_back(inputs[i]);
    inputs[i] = Value{};
  }
  Linearizer& walker = session_.linearizers.emplace_back(session_, frame_, out.block, tangents, &tape);
  const Linearized linearized = walker.run(source);
  out.results = linearized.results;

  VectorMap cotangents;
  OpBuilder block(f, out.block, &session_.module);
  block.loc = primal_.loc;
  for (Value v : summed) {
    const Type t = f.type(v);
    out.accumulators.push_back(t.is_stack() ? Value{} : f.add_arg(out.block, t));
    if (out.accumulators.back()) cotangents[v] = out.accumulators.back();
  }
  for (size_t i = 0; i < out.results.size(); ++i) {
    out.cotangents.push_back(request.results[i] ? f.add_arg(out.block, f.type(out.results[i])) : Value{});
    if (!request.results[i] || !linearized.tangents[i]) continue;
    Value& sum = cotangents[linearized.tangents[i]];
    sum = accumulate_tangent(block, sum, out.cotangents[i]);
  }
  tape.transpose(block, cotangents);

  const auto found = [&](Value v) {
    const auto it = v ? cotangents.find(v) : cotangents.end();
    return it == cotangents.end() ? Value{} : it->second;
  };
  for (Value v : inputs) out.arg_cotangents.push_back(found(v));
  for (Value v : summed) out.accumulated.push_back(found(v));
  return out;
}

std::vector<Value> Linearizer::choose_saved(const RegionVjp& vjp) {
  return choose_saved_values(session_.function, vjp);
}

std::vector<bool> Linearizer::rerun_args(const RegionVjp& vjp) {
  RepeatableOps repeatable(session_.module);
  return weft::rerun_args(session_.function, vjp, repeatable);
}

/// Whether the condition is a carry that the body makes false: what vectorize makes of branches.
static bool runs_once(const OpView& loop) {
  const Function& f = loop.function;
  const Value goes_on = f.operand(f.terminator(loop.region(0)), 0);
  if (f.region(goes_on) != loop.region(0) || f.defining_op(goes_on)) return false;
  const OpId next = f.defining_op(f.operand(f.terminator(loop.region(1)), f.position(goes_on)));
  const Attr* value = next ? f.attrs(next).find("value") : nullptr;
  const auto* literal = value == nullptr ? nullptr : value->get_if<Literal>();
  return literal != nullptr && *literal->element(0) == std::byte{0};
}

bool Linearizer::may_rerun(const OpView& loop) {
  if (!loop.attrs().has(kRecompute) && session_.cache.options.recompute == 0 && session_.cache.options.memory == 0)
    return false;
  if (runs_once(loop)) return false;
  EffectAnalysis effects(&session_.module);
  const std::span<const OpId> ops = loop.function.ops(loop.region(0));
  const bool is_quiet =
      std::ranges::none_of(ops, [&](OpId id) { return effects.has_effects(OpView{loop.function, id}); });
  if (!is_quiet) keeps_every_trip(loop, "its condition has effects, and would be asked twice");
  return is_quiet;
}

void Linearizer::keeps_every_trip(const OpView& loop, const std::string& why) {
  const std::string place = loop.loc().known() ? " at line " + std::to_string(loop.loc().line) : "";
  const std::string what = std::string(loop.def().mnemonic) + place + " keeps every trip: " + why;
  if (session_.cache.options.notes != nullptr) session_.cache.options.notes->push_back(what);
}

int64_t Linearizer::loop_slots(const OpView& loop, double pushed_bytes, double state_bytes) {
  constexpr int64_t kFewest = 2, kMost = 1024;
  if (const Attr* own = loop.attrs().find(kRecompute)) {
    const auto* trips = own->get_if<int64_t>();
    if (trips == nullptr || *trips < kFewest)
      throw UserError("[" + std::string(loop.def().mnemonic) + "] " + std::string(kRecompute) + ": got " + own->str() +
                          ", expected the number of trips to keep, at least 2",
                      loop.loc());
    return *trips;
  }
  const ReverseOptions& options = session_.cache.options;
  if (options.recompute > 0) return std::max(kFewest, options.recompute);
  const double memory = static_cast<double>(options.memory);
  const std::optional<CountedLoop> counted = counted_loop(loop.function, loop.id);
  if (counted && static_cast<double>(counted->trips) * pushed_bytes <= memory) return 0;
  // One row more than slots.
  return std::clamp(static_cast<int64_t>(memory / state_bytes) - 1, kFewest, kMost);
}

std::vector<Value> Linearizer::emit_forward(const RegionVjp& vjp, std::span<const Value> saved, OpBuilder& into,
                                            std::span<const Value> args) {
  ValueMap map;
  for (size_t i = 0; i < args.size(); ++i) map.set(vjp.args[i], args[i]);
  std::vector<Value> wanted = vjp.results;
  wanted.insert(wanted.end(), saved.begin(), saved.end());
  EffectAnalysis effects(&session_.module);
  return emit_wanted(session_.function, vjp.block, wanted, &effects, into, map);
}

std::vector<Value> Linearizer::emit_backward(const RegionVjp& vjp, std::span<const Value> saved, OpBuilder& into,
                                             std::span<const Value> values, std::span<const Value> cotangents,
                                             std::span<const Value> accumulators) {
  ValueMap map;
  for (size_t i = 0; i < saved.size(); ++i) map.set(saved[i], values[i]);
  for (size_t i = 0; i < vjp.extras.size(); ++i) map.set(vjp.extras[i], values[saved.size() + i]);
  for (size_t i = 0; i < vjp.cotangents.size(); ++i) {
    if (vjp.cotangents[i]) map.set(vjp.cotangents[i], cotangents[i]);
  }
  for (size_t i = 0; i < vjp.accumulators.size(); ++i) {
    if (vjp.accumulators[i]) map.set(vjp.accumulators[i], accumulators[i]);
  }
  std::vector<Value> wanted = vjp.arg_cotangents;
  wanted.insert(wanted.end(), vjp.accumulated.begin(), vjp.accumulated.end());
  return emit_wanted(session_.function, vjp.block, wanted, nullptr, into, map);
}

std::vector<Value> Linearizer::accumulating_map(std::span<const Value> tangents, size_t plain,
                                                std::span<const Type> result_types, Accumulate transposed) {
  if (tape_ == nullptr) throw InternalError("accumulating_map in forward mode");
  return tape_->add_map(tangents, plain, result_types, std::move(transposed), linear_.loc);
}

// ---- RegionLinearizer: calls ------------------------------------------------------------------------------------------------------

RegionLinearizer::Callee Linearizer::jvp_callee(const std::string& name, const std::vector<bool>& args, Loc) {
  return weft::jvp_callee(session_.module, session_.cache, name, args);
}

RegionLinearizer::CalleeVjp Linearizer::vjp_function(const std::string& name, const std::vector<bool>& args,
                                                     const std::vector<bool>& results) {
  return weft::vjp_callee(session_.module, session_.cache, name, args, results);
}

std::optional<RegionLinearizer::CalleeVjp> Linearizer::vjp_callee(const std::string& name,
                                                                  const std::vector<bool>& args,
                                                                  const std::vector<bool>& results) {
  constexpr size_t kInlinedOps = 48;
  if (!runs_again(session_.module, name) && is_inlined_size_below(session_.module, name, kInlinedOps))
    return std::nullopt;
  return weft::vjp_callee(session_.module, session_.cache, name, args, results);
}

Linearized Linearizer::inline_callee(const std::string& name, std::span<const Value> primals,
                                     std::span<const Value> tangents, const OpView& op) {
  std::vector<bool> results;
  for (size_t i = 0; i < op.num_results(); ++i) results.push_back(is_differentiated(op.result(i)));
  return inline_body(defined_function(session_.module, name), primals, tangents, results);
}

Linearized Linearizer::inline_function(std::unique_ptr<const Function> function, std::span<const Value> primals,
                                       std::span<const Value> tangents, const std::vector<bool>& results) {
  return inline_body(*session_.written.emplace_back(std::move(function)), primals, tangents, results);
}

Linearized Linearizer::inline_body(const Function& source, std::span<const Value> primals,
                                   std::span<const Value> tangents, const std::vector<bool>& results) {
  std::vector<bool> args;
  for (Value t : tangents) args.push_back(static_cast<bool>(t));
  SourceFrame& frame = session_.frames.emplace_back(source, differentiated_values(source, args, results));
  VectorMap& own = session_.tangents.emplace_back();
  for (size_t i = 0; i < primals.size(); ++i) {
    frame.primals.set(source.args()[i], primals[i]);
    if (tangents[i]) own[source.args()[i]] = tangents[i];
  }
  Linearizer& walker = session_.linearizers.emplace_back(session_, frame, primal_.region(), own, tape_);
  return walker.run(source.body());
}

}  // namespace weft
