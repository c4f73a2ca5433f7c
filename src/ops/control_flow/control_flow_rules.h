// How rules of ops with regions (and of calls) recurse: abstract contexts, implemented by transform/.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

// ---- vectorize ----------------------------------------------------------------------------------------------------

/// What the vectorize facet of an op with regions may ask for. Regions and values named "source" are those of the function
/// being vectorized (the OpView's); results stand in the function under construction.
class RegionVectorizer {
 public:
  virtual ~RegionVectorizer() = default;
  /// The name of the lanes that are being made; ops that name another level mean others.
  virtual std::string_view level() const = 0;
  /// Whether a source value varies by lane; known for every value before the first rule runs.
  virtual bool varies(Value source) = 0;
  /// The counterpart of a source value that is in scope (a captured one).
  virtual LaneValue lookup(Value source) = 0;
  /// The source region over lanes, as a new region: argument i has the lane axis when arg_varies[i], result j when
  /// result_varies[j] (uniform results are broadcast). Captured values are those of the vectorized surroundings.
  virtual RegionId vectorize_region(RegionId source, const std::vector<bool>& arg_varies,
                                    const std::vector<bool>& result_varies) = 0;
  /// The ops of a source region emitted here over lanes; returns what its terminator gets.
  virtual std::vector<LaneValue> inline_region(RegionId source, std::span<const LaneValue> args) = 0;
  /// The source region as it is (no lanes); captured values must be uniform. For reduction bodies, comparators and the like.
  virtual RegionId copy_region(RegionId source) = 0;
  /// Values from outside that source regions use, without those that copy_ops remakes (constants).
  virtual std::vector<Value> captured(std::span<const RegionId> sources) = 0;
  /// The ops of a source region as they are (no lanes), emitted by `into` (a closed region): `args` stand for the region's
  /// arguments, replacements[i] for captured[i]. Returns what its terminator gets.
  virtual std::vector<Value> copy_ops(OpBuilder& into, RegionId source, std::span<const Value> args,
                                      std::span<const Value> captured, std::span<const Value> replacements) = 0;
  /// Vectorizes a function for arguments that vary as given (once per pattern, recursion included).
  struct Callee {
    std::string name;
    std::vector<bool> result_varies;
    std::vector<Type> result_types;
  };
  virtual Callee vectorize_callee(const std::string& name, const std::vector<bool>& arg_varies, Loc loc) = 0;
};

// ---- linearize ----------------------------------------------------------------------------------------------------

/// The reverse derivative of a region as one flat block of the function under construction, owned by no op: its arguments are
/// those of the region, cotangents of its results and running sums of other cotangents. It is never run as it stands: the part
/// that needs no cotangent runs in the forward op, the rest in the backward op (RegionLinearizer::choose_saved).
struct RegionVjp {
  RegionId block;
  std::vector<Value> args;        // block arguments, one per region argument
  std::vector<Value> extras;      // those of them that the backward op has as well, so that they need not be kept
  std::vector<Value> cotangents;  // per region result: a block argument; missing where the result is not differentiated
  std::vector<Value>
      accumulators;  // per capture, then per summed argument: a block argument; missing for stacks (used once)
  std::vector<Value> results;         // per region result
  std::vector<Value> arg_cotangents;  // per region argument that is not summed; missing = zero
  std::vector<Value> accumulated;     // as accumulators: the new sum; missing = zero (stacks only)
};

/// What the linearize facet of an op with regions may ask for. "Source" regions and values are those of the function being
/// differentiated (the OpView's); everything else stands in the function under construction.
class RegionLinearizer {
 public:
  virtual ~RegionLinearizer() = default;

  /// Whether a source value may have a tangent that matters: it depends on a differentiated argument and, in reverse mode, a
  /// differentiated result depends on it. Known for every value before the first rule runs; loops are taken to their fixpoint.
  virtual bool is_differentiated(Value source) = 0;
  /// Source values from outside that the regions of the op use, and that have a tangent here; in order of first use.
  virtual std::vector<Value> differentiated_captures(const OpView& op) = 0;
  /// The counterpart of a source value in scope, and its tangent (missing = zero).
  virtual Value primal(Value source) = 0;
  virtual Value tangent(Value source) = 0;

  /// The ops of a source region as they are, emitted at `into`; returns what its terminator gets.
  virtual std::vector<Value> copy_region(RegionId source, OpBuilder& into, std::span<const Value> args) = 0;
  /// Forward mode: the source region with tangents, emitted at `into`.
  virtual Linearized forward_region(RegionId source, OpBuilder& into, std::span<const Value> args,
                                    std::span<const Value> tangents) = 0;

  /// Reverse mode.
  struct VjpRequest {
    std::vector<bool> extras;     // per region argument: it is the same in every run of the region
    std::vector<bool> results;    // per region result: whether it has a cotangent
    std::vector<Value> captures;  // source values from outside whose cotangents are summed
    std::vector<size_t> summed;   // extras whose cotangents are summed
  };
  virtual RegionVjp vjp_region(RegionId source, const VjpRequest& request) = 0;
  /// The values of the block that the forward op must keep for the backward op. Captured values and extras are used as they
  /// are, cheap values are computed again.
  virtual std::vector<Value> choose_saved(const RegionVjp& vjp) = 0;
  /// Which region arguments the backward op needs when it is given nothing else but extras, and runs the region again from those of an
  /// earlier run: what these depend on is among them. Empty when an op in it must not run again.
  virtual std::vector<bool> rerun_args(const RegionVjp& vjp) = 0;
  /// Whether the loop should keep some trips only, if it can, and its condition may be asked twice about one trip.
  virtual bool may_rerun(const OpView& loop) = 0;
  /// The loop should keep some trips only and cannot: told to the caller of the transform.
  virtual void keeps_every_trip(const OpView& loop, const std::string& why) = 0;
  /// In how many slots the loop keeps states of so many bytes; 0: it keeps what it pushes, so many bytes a trip, on stacks.
  virtual int64_t loop_slots(const OpView& loop, double pushed_bytes, double state_bytes) = 0;
  /// The part of the block that needs no cotangent: returns the region's results, then the saved values. `args`: one per region
  /// argument.
  virtual std::vector<Value> emit_forward(const RegionVjp& vjp, std::span<const Value> saved, OpBuilder& into,
                                          std::span<const Value> args) = 0;
  /// The rest: returns arg_cotangents, then accumulated (missing as in `vjp`). `values` stand for `saved`, then for `vjp.extras`.
  virtual std::vector<Value> emit_backward(const RegionVjp& vjp, std::span<const Value> saved, OpBuilder& into,
                                           std::span<const Value> values, std::span<const Value> cotangents,
                                           std::span<const Value> accumulators) = 0;
  /// As LinearizeContext::linear_map in reverse mode, for maps that add to a sum in place: `transposed` gets cotangents of the
  /// results and the sums so far of the cotangents of the inputs (missing = zero, always so for the first `plain` inputs), and
  /// returns what the first `plain` inputs get in addition and the new sums of the others.
  using Accumulate =
      std::function<std::vector<Value>(OpBuilder&, std::span<const Value> cotangents, std::span<const Value> sums)>;
  virtual std::vector<Value> accumulating_map(std::span<const Value> tangents, size_t plain,
                                              std::span<const Type> result_types, Accumulate transposed) = 0;

  /// Forward mode: a function that also takes tangents of the arguments marked and returns tangents of the results marked, once
  /// per pattern, recursion included.
  struct Callee {
    std::string name;
    std::vector<bool> results;
    std::vector<Type> result_types;  // primal results, then tangents
  };
  virtual Callee jvp_callee(const std::string& name, const std::vector<bool>& args, Loc loc) = 0;
  /// Reverse mode: the callee's ops here.
  virtual Linearized inline_callee(const std::string& name, std::span<const Value> primals,
                                   std::span<const Value> tangents, const OpView& op) = 0;
  /// The ops of a function of no module here, on values of its arguments' types. Tangents of the results marked are wanted.
  virtual Linearized inline_function(std::unique_ptr<const Function> function, std::span<const Value> primals,
                                     std::span<const Value> tangents, const std::vector<bool>& results) = 0;
  /// Reverse mode: two functions in place of the callee, for arguments that have tangents and results that have cotangents as
  /// marked, once per pattern. None when the callee is so small that it should be inlined.
  struct CalleeVjp {
    std::string forward, backward;    // forward is the callee itself when its backward function runs it again
    std::vector<Type> forward_types;  // results, then what is kept
    std::vector<size_t> used;         // arguments that the backward function takes again
    std::vector<size_t> plain;        // marked arguments whose cotangents are returned (stacks)
    std::vector<size_t> summed;       // marked arguments whose sums of cotangents are taken and returned
    // backward: arguments `used`, what is kept, cotangents of marked results, sums → cotangents of `plain`, sums
    std::vector<Type> backward_types;
  };
  virtual std::optional<CalleeVjp> vjp_callee(const std::string& name, const std::vector<bool>& args,
                                              const std::vector<bool>& results) = 0;
  /// As above, however small the function is.
  virtual CalleeVjp vjp_function(const std::string& name, const std::vector<bool>& args,
                                 const std::vector<bool>& results) = 0;
};

// Lane rules of the control-flow ops (control_flow_vectorize.cc).
std::vector<LaneValue> vectorize_while(VectorizeContext&, const OpView&, std::span<const LaneValue> operands);
std::vector<LaneValue> vectorize_case(VectorizeContext&, const OpView&, std::span<const LaneValue> operands);
std::vector<LaneValue> vectorize_call(VectorizeContext&, const OpView&, std::span<const LaneValue> operands);
std::vector<LaneValue> vectorize_lane_while(VectorizeContext&, const OpView&, std::span<const LaneValue> operands);

/// weft.lane_while as a loop over lanes around the loop of each (lane_while_portable.cc).
std::vector<Value> portable_lane_while(PortableContext&, const OpView&, std::span<const Value> operands);

/// weft.lane_while's types: `t` without the lane axes in front; none when it does not start with them.
Type without_lanes(Type t, std::span<const int64_t> lanes);
/// `t` with lane axes in front.
Type with_lane_axes(Type t, std::span<const int64_t> lanes);
/// Lane number `lane` of a value over `lanes` lanes; `type` is what one lane has.
EvalValue lane_slice(const EvalValue& v, int64_t lanes, int64_t lane, Type type);
/// The value over lanes, of type `type`, from what each lane has.
EvalValue join_lanes(std::span<const EvalValue> lanes, Type type);

// Simplifications of control flow (control_flow_simplify.cc).
std::vector<Value> simplify_while(SimplifyContext&, const OpView&);
std::vector<Value> simplify_case(SimplifyContext&, const OpView&);
std::vector<Value> simplify_lane_while(SimplifyContext&, const OpView&);

/// Why ops with regions have no transpose facet.
inline constexpr Refuse kNotOnTape{
    "its linearization is a map of its own, with both directions, so it never stands on a tape"};

// Derivative rules of the control-flow ops (control_flow_linearize.cc).
Linearized linearize_while(LinearizeContext&, const OpView&, std::span<const Value> primals,
                           std::span<const Value> tangents);
Linearized linearize_case(LinearizeContext&, const OpView&, std::span<const Value> primals,
                          std::span<const Value> tangents);
Linearized linearize_call(LinearizeContext&, const OpView&, std::span<const Value> primals,
                          std::span<const Value> tangents);
Linearized linearize_lane_while(LinearizeContext&, const OpView&, std::span<const Value> primals,
                                std::span<const Value> tangents);
Linearized linearize_stack_push(LinearizeContext&, const OpView&, std::span<const Value> primals,
                                std::span<const Value> tangents);
Linearized linearize_stack_pop(LinearizeContext&, const OpView&, std::span<const Value> primals,
                               std::span<const Value> tangents);
std::vector<Value> transpose_stack_push(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_stack_pop(TransposeContext&, const OpView&, std::span<const Value> cotangents);

}  // namespace weft
