// How rules of ops with regions (and of calls) recurse: abstract contexts, implemented by transform/.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

// ---- vectorize ----------------------------------------------------------------------------------------------------

/// Types over lanes: a tensor gets the lane axis in front, a stack a lane extent in front.
Type lane_type(Type type, int64_t lanes);

/// What the vectorize facet of an op with regions may ask for. Regions and values named "source" are those of the function
/// being vectorized (the OpView's); results stand in the function under construction.
class RegionVectorizer {
 public:
  virtual ~RegionVectorizer() = default;
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
  /// The source region as it is, closed: the captured values listed in `extras` become further arguments, after its own.
  virtual RegionId close_region(RegionId source, std::span<const Value> extras) = 0;
  /// Vectorizes a function for arguments that vary as given (once per pattern, recursion included).
  struct Callee {
    std::string name;
    std::vector<bool> result_varies;
    std::vector<Type> result_types;
  };
  virtual Callee vectorize_callee(const std::string& name, const std::vector<bool>& arg_varies, Loc loc) = 0;
};

// ---- linearize ----------------------------------------------------------------------------------------------------

/// What the linearize facet of an op with regions may ask for.
class RegionLinearizer {
 public:
  virtual ~RegionLinearizer() = default;
};

// Derivative rules of the control-flow ops (control_flow_linearize.cc).
Linearized linearize_while(LinearizeContext&, const OpView&, std::span<const Value> primals, std::span<const Value> tangents);
Linearized linearize_case(LinearizeContext&, const OpView&, std::span<const Value> primals, std::span<const Value> tangents);
Linearized linearize_call(LinearizeContext&, const OpView&, std::span<const Value> primals, std::span<const Value> tangents);
Linearized linearize_lane_while(LinearizeContext&, const OpView&, std::span<const Value> primals, std::span<const Value> tangents);
Linearized linearize_stack_push(LinearizeContext&, const OpView&, std::span<const Value> primals, std::span<const Value> tangents);
Linearized linearize_stack_pop(LinearizeContext&, const OpView&, std::span<const Value> primals, std::span<const Value> tangents);
std::vector<Value> transpose_while(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_case(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_call(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_lane_while(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_stack_push(TransposeContext&, const OpView&, std::span<const Value> cotangents);
std::vector<Value> transpose_stack_pop(TransposeContext&, const OpView&, std::span<const Value> cotangents);

}  // namespace weft
