// Quantized elements (StableHLO specification, "Quantized types"): what their parameters mean, which ops take them, and how such ops
// are checked and evaluated. It stands in this one place, so that the rules of the records know plain element types only:
//   check   the record's type rule sees stand-ins, the expressed types (the storage types where regions combine elements); what the
//           specification asks of the quantization itself is checked here (quantized_types.cc)
//   eval    what computes is dequantized, computed by the record's rule and quantized; what moves elements moves their storage
//           (quantized_eval.cc)
// A tensor of quantized type holds its storage integers wherever it lives: constants, arguments, results, files.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "ops/record.h"

namespace weft {

// ---- types --------------------------------------------------------------------------------------------------------------

/// True when an operand or result is quantized; of the op about to be made also when arguments or values of its regions are.
bool touches_quantized(const OpView& op);
bool touches_quantized(const TypeContext& context);
/// A quantized tensor as one of its expressed type; other types are their own.
Type expressed_type(Type t);
/// A quantized tensor as one of its storage type; other types are their own.
Type storage_type(Type t);
/// Both plain and of one element type, or both quantized in the same way.
bool same_elements(Type a, Type b);
/// As same_elements, but scales and zero points may differ (the specification's baseline_element_type).
bool same_baseline(Type a, Type b);
/// What is wrong with the parameters of a quantized type (constraints C3 to C13 of quantized types, named at its end); empty when
/// nothing is, or `t` is not quantized.
std::string quantization_fault(Type t);
/// The type rule of ops that touch quantized types: result types as the specification has them. Throws UserError naming the constraint.
std::vector<Type> quantized_types(const TypeContext& context);

// ---- values -------------------------------------------------------------------------------------------------------------

/// Stored integers as numbers of the expressed type: (x - zero_point) * scale. The difference is exact, the product rounded.
Tensor dequantize(const Tensor& x, const Quantization& quantization);
/// Numbers of the expressed type as integers of type `storage`: x / scale + zero_point, each rounded to the expressed type, within
/// storage_min and storage_max, rounded to nearest even. NaN becomes 0, or the bound nearest to it.
Tensor quantize(const Tensor& x, const Quantization& quantization, ElementType storage);
/// `shape` of what stands for zero: in a quantized type its zero point.
Tensor zeros_of(Type t, const Shape& shape);
/// Ops on stand-in types, kept for as long as a function runs: the body of a reduction meets its ops once for each element.
class StandIns {
 public:
  /// The op with `stand_in` of each operand's and result's type, in a function of its own. No regions.
  OpView get(const OpView& op, Type (*stand_in)(Type));

 private:
  std::unordered_map<OpId, std::unique_ptr<Function>> functions_;
};
/// Evaluates an op that touches quantized types; `stand_ins` are those of the op's function.
std::vector<EvalValue> eval_quantized(EvalContext& context, const OpView& op, std::span<const EvalValue> operands,
                                      StandIns& stand_ins);

// ---- what reads both ----------------------------------------------------------------------------------------------------

/// How an op uses quantized tensors.
enum class QuantizedUse : uint8_t {
  kNone,         // it takes none
  kOwn,          // its own rules know them: constant, uniform_quantize, uniform_dequantize, bitcast_convert
  kPass,         // hands them on unread: control flow, calls, tuples, transport
  kCompute,      // computes on what they stand for, all of one baseline
  kAdd,          // … also per axis
  kContraction,  // … dot_general, convolution: plain by quantized as well
  kMove,         // moves elements, all quantized in the same way
  kMoveEach,     // … each operand for itself (collectives)
  kRearrange,    // … and their quantization dimension with them: broadcast_in_dim, reshape, transpose
  kBody,         // combines elements by a region on scalars
};
QuantizedUse quantized_use(const OpDef& def);

/// Which operand goes into which argument of the region of a kBody op, by the op's number of operands.
struct BodyOperand {
  size_t operand, region, argument;
};
std::vector<BodyOperand> body_operands(const OpDef& def, size_t operands);

}  // namespace weft
