// dot_general and convolution. Attribute names:
//   dot_general  lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions (ints);
//                precision_config (list of words); of an algorithm: lhs_precision_type, rhs_precision_type, accumulation_type,
//                lhs_component_count, rhs_component_count, num_primitive_operations (ints), allow_imprecise_accumulation (bool)
//   convolution  window_strides, padding (low, high per spatial dimension), lhs_dilation, rhs_dilation, window_reversal (0/1): ints;
//                input_batch_dimension, input_feature_dimension, kernel_input_feature_dimension, kernel_output_feature_dimension,
//                output_batch_dimension, output_feature_dimension, feature_group_count, batch_group_count: int;
//                input_spatial_dimensions, kernel_spatial_dimensions, output_spatial_dimensions: ints; precision_config
#include "ops/contraction/contraction_eval.h"
#include "ops/contraction/convolution.h"
#include "ops/contraction/dot_general.h"
#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {
namespace {

const OpRecord kOps[] = {
    {{.mnemonic = "stablehlo.dot_general"},
     {.doc = "Sums of products over the contracting dimensions, for each index of the batching dimensions, of lhs's "
             "other and of "
             "rhs's other dimensions. 16-bit floats are summed in f32 and rounded once; integers wrap.",
      .syntax = Syntax::kCustom,
      .schema = {{"lhs_batching_dimensions", AttrKind::kInts},
                 {"rhs_batching_dimensions", AttrKind::kInts},
                 {"lhs_contracting_dimensions", AttrKind::kInts},
                 {"rhs_contracting_dimensions", AttrKind::kInts},
                 {"precision_config", AttrKind::kAny, false},
                 {"lhs_component_count", AttrKind::kInt, false},
                 {"rhs_component_count", AttrKind::kInt, false},
                 {"num_primitive_operations", AttrKind::kInt, false}},
      .type = type_dot_general,
      .eval = eval_dot_general,
      .scalar = kNotElementwise,
      .linearize = linearize_multilinear,
      .transpose = transpose_dot_general,
      .vectorize = vectorize_dot_general,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_dot_general,
      .to_stablehlo = portable_as_is,
      .samples = samples_dot_general}},
    {{.mnemonic = "stablehlo.convolution"},
     {.doc = "Dot products of windows of lhs with slices of rhs. 16-bit floats are summed in f32 and rounded once; "
             "integers wrap.",
      .syntax = Syntax::kCustom,
      .schema = {{"window_strides", AttrKind::kInts, false},
                 {"padding", AttrKind::kInts, false},
                 {"lhs_dilation", AttrKind::kInts, false},
                 {"rhs_dilation", AttrKind::kInts, false},
                 {"window_reversal", AttrKind::kInts, false},
                 {"input_batch_dimension", AttrKind::kInt},
                 {"input_feature_dimension", AttrKind::kInt},
                 {"input_spatial_dimensions", AttrKind::kInts},
                 {"kernel_input_feature_dimension", AttrKind::kInt},
                 {"kernel_output_feature_dimension", AttrKind::kInt},
                 {"kernel_spatial_dimensions", AttrKind::kInts},
                 {"output_batch_dimension", AttrKind::kInt},
                 {"output_feature_dimension", AttrKind::kInt},
                 {"output_spatial_dimensions", AttrKind::kInts},
                 {"feature_group_count", AttrKind::kInt},
                 {"batch_group_count", AttrKind::kInt},
                 {"precision_config", AttrKind::kAny, false}},
      .type = type_convolution,
      .eval = eval_convolution,
      .scalar = kNotElementwise,
      .linearize = linearize_multilinear,
      .transpose = transpose_convolution,
      .vectorize = vectorize_convolution,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_convolution,
      .to_stablehlo = portable_as_is,
      .samples = samples_convolution}},
};

}  // namespace

Family contraction_ops() { return kOps; }

}  // namespace weft
