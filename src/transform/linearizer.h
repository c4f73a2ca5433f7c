// The walker behind both derivatives: asks each op's record for its linearization and keeps the books.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ir/clone.h"
#include "transform/dead_code.h"
#include "transform/gradient.h"
#include "transform/tape.h"

namespace weft {

class RepeatableOps;

/// Derivatives of callees that exist already.
struct CalleeCache {
  std::map<std::pair<std::string, std::vector<bool>>, RegionLinearizer::Callee> forward;  // by arguments
  std::map<std::tuple<std::string, std::vector<bool>, std::vector<bool>>, RegionLinearizer::CalleeVjp>
      reverse;                                    // and results
  std::map<std::string, std::string> transposed;  // of backward rules
  ReverseOptions options = {};
};

/// One source function on its way into a derivative.
struct SourceFrame {
  SourceFrame(const Function& f, std::vector<bool> differentiated)
      : source(f), primals(f), differentiated(std::move(differentiated)) {}
  const Function& source;
  ValueMap primals;
  std::vector<bool> differentiated;  // by source value
};

class Linearizer;

/// What is shared while one function is written. Closures on tapes refer to what stands here, so it lives as long as they do.
struct DerivativeSession {
  DerivativeSession(Module& module, CalleeCache& cache, Function& function);
  ~DerivativeSession();

  Module& module;
  CalleeCache& cache;
  Function& function;
  std::deque<std::unique_ptr<const Function>> written;  // sources that no module has
  std::deque<SourceFrame> frames;
  std::deque<VectorMap> tangents;
  std::deque<Tape> tapes;
  std::deque<Linearizer> linearizers;
};

/// Differentiates the ops of source regions into one region of the function under construction. With a tape the derivative is
/// reverse, without one it is forward.
class Linearizer final : public LinearizeContext, public RegionLinearizer {
 public:
  Linearizer(DerivativeSession& session, SourceFrame& frame, RegionId target, VectorMap& tangents, Tape* tape);

  /// The counterparts of the region's arguments stand in the frame already, their tangents in the map.
  Linearized run(RegionId source);

  // LinearizeContext
  OpBuilder& primal() override { return primal_; }
  OpBuilder& linear() override { return tape_ != nullptr ? linear_ : primal_; }
  bool is_reverse() const override { return tape_ != nullptr; }
  std::vector<Value> clone_primal(const OpView& op, std::span<const Value> primals) override;
  std::vector<Value> linear_map(std::span<const Value> tangents, std::span<const Type> result_types, Emit forward,
                                Emit transposed) override;
  RegionLinearizer& regions() override { return *this; }

  // RegionLinearizer
  bool is_differentiated(Value source) override { return frame_.differentiated[source.index]; }
  std::vector<Value> differentiated_captures(const OpView& op) override;
  Value primal(Value source) override { return frame_.primals.at(source); }
  Value tangent(Value source) override;
  std::vector<Value> copy_region(RegionId source, OpBuilder& into, std::span<const Value> args) override;
  Linearized forward_region(RegionId source, OpBuilder& into, std::span<const Value> args,
                            std::span<const Value> tangents) override;
  RegionVjp vjp_region(RegionId source, const VjpRequest& request) override;
  std::vector<Value> choose_saved(const RegionVjp& vjp) override;
  std::vector<bool> rerun_args(const RegionVjp& vjp) override;
  bool may_rerun(const OpView& loop) override;
  void keeps_every_trip(const OpView& loop, const std::string& why) override;
  int64_t loop_slots(const OpView& loop, double pushed_bytes, double state_bytes) override;
  std::vector<Value> emit_forward(const RegionVjp& vjp, std::span<const Value> saved, OpBuilder& into,
                                  std::span<const Value> args) override;
  std::vector<Value> emit_backward(const RegionVjp& vjp, std::span<const Value> saved, OpBuilder& into,
                                   std::span<const Value> values, std::span<const Value> cotangents,
                                   std::span<const Value> accumulators) override;
  std::vector<Value> accumulating_map(std::span<const Value> tangents, size_t plain, std::span<const Type> result_types,
                                      Accumulate transposed) override;
  Callee jvp_callee(const std::string& name, const std::vector<bool>& args, Loc loc) override;
  Linearized inline_callee(const std::string& name, std::span<const Value> primals, std::span<const Value> tangents,
                           const OpView& op) override;
  Linearized inline_function(std::unique_ptr<const Function> function, std::span<const Value> primals,
                             std::span<const Value> tangents, const std::vector<bool>& results) override;
  CalleeVjp vjp_function(const std::string& name, const std::vector<bool>& args,
                         const std::vector<bool>& results) override;
  std::optional<CalleeVjp> vjp_callee(const std::string& name, const std::vector<bool>& args,
                                      const std::vector<bool>& results) override;

 private:
  void visit(const OpView& op);
  Linearized inline_body(const Function& source, std::span<const Value> primals, std::span<const Value> tangents,
                         const std::vector<bool>& results);

  DerivativeSession& session_;
  SourceFrame& frame_;
  VectorMap& tangents_;
  Tape* tape_;
  OpBuilder primal_, linear_;
};

/// Which values of a differentiated region the forward part must keep, and RegionLinearizer::rerun_args (split.cc).
std::vector<Value> choose_saved_values(const Function& f, const RegionVjp& vjp);
std::vector<bool> rerun_args(const Function& f, const RegionVjp& vjp, RepeatableOps& repeatable);
/// Copies to `into` those ops of `block` on which `wanted` depends, and its effects when an analysis of them is given, under
/// `map`; returns the counterparts of `wanted` (missing stays missing). Values mapped already end the search.
std::vector<Value> emit_wanted(Function& f, RegionId block, std::span<const Value> wanted, EffectAnalysis* effects,
                               OpBuilder& into, ValueMap& map);

}  // namespace weft
