// dot_general as a batched matrix product with strides.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/function.h"
#include "native/kernels/matmul.h"

namespace weft::native {

/// Strides in elements of the operands and the result of a contraction, by the op's dimensions.
struct ContractionLayout {
  std::vector<int64_t> lhs, rhs, result;

  /// All dense and row-major.
  static ContractionLayout dense(const OpView& op);
};

/// lhs is a, rhs is b. Dimensions that do not merge into m, n or k are batch dimensions over which the other operand
/// repeats. Contracted dimensions that cannot be merged in both operands where they lie make a copy necessary.
struct MatmulForm {
  MatmulDesc desc;
  /// The operand's dimensions, slowest first, of a dense copy that must be made before; empty: used in place. The
  /// strides of desc are those of the copy.
  std::vector<int64_t> lhs_copy, rhs_copy;
};

/// The form of a stablehlo.dot_general, or the reason against it.
struct MatmulAnalysis {
  MatmulForm form;
  std::string reason;  // empty: form is valid
};
MatmulAnalysis analyze_dot_general(const OpView& op, const ContractionLayout& layout);

}  // namespace weft::native
