// gather and scatter. Attribute names:
//   gather   offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map (ints),
//            index_vector_dim (int), slice_sizes (ints), indices_are_sorted (bool)
//   scatter  update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
//            scatter_dims_to_operand_dims (ints), index_vector_dim (int), indices_are_sorted, unique_indices (bool)
// Lists that are absent are empty, numbers 0, flags false.
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/reduction/reduction_rules.h"

namespace weft {
namespace {

const OpRecord kOps[] = {
    {{.mnemonic = "stablehlo.gather"},
     {.doc = "Slices of the operand at starts that the indices name; starts are clamped so that slices lie within the "
             "operand.",
      .syntax = Syntax::kCustom,
      .schema = {{"offset_dims", AttrKind::kInts, false},
                 {"collapsed_slice_dims", AttrKind::kInts, false},
                 {"operand_batching_dims", AttrKind::kInts, false},
                 {"start_indices_batching_dims", AttrKind::kInts, false},
                 {"start_index_map", AttrKind::kInts, false},
                 {"index_vector_dim", AttrKind::kInt, false},
                 {"slice_sizes", AttrKind::kInts},
                 {"indices_are_sorted", AttrKind::kBool, false}},
      .type = type_gather,
      .eval = eval_gather,
      .scalar = kNotElementwise,
      .linearize = linearize_gather,
      .transpose = transpose_gather,
      .vectorize = vectorize_gather,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_gather,
      .to_stablehlo = portable_as_is,
      .samples = samples_gather}},
    {{.mnemonic = "stablehlo.scatter"},
     {.doc = "The inputs with elements replaced by update_computation(element, update) at the places that the indices "
             "name, one update after "
             "the other in the order of the indices; what lies outside is skipped. Derivatives: with respect to "
             "updates that are multiplied "
             "in, indices must be unique; equal maxima and minima share the cotangent.",
      .syntax = Syntax::kGeneric,
      .schema = {{"update_window_dims", AttrKind::kInts, false},
                 {"inserted_window_dims", AttrKind::kInts, false},
                 {"input_batching_dims", AttrKind::kInts, false},
                 {"scatter_indices_batching_dims", AttrKind::kInts, false},
                 {"scatter_dims_to_operand_dims", AttrKind::kInts, false},
                 {"index_vector_dim", AttrKind::kInt, false},
                 {"indices_are_sorted", AttrKind::kBool, false},
                 {"unique_indices", AttrKind::kBool, false}},
      .type = type_scatter,
      .eval = eval_scatter,
      .scalar = kNotElementwise,
      .linearize = linearize_scatter,
      .transpose = transpose_scatter,
      .vectorize = vectorize_scatter,
      .uniformity = uniformity_with_bodies,
      .simplify = simplify_none,
      .aliases = alias_scatter,
      .effects = Effects::kRegions,
      .cost = cost_scatter,
      .to_stablehlo = portable_as_is,
      .samples = samples_scatter}},
};

}  // namespace

Family gather_scatter_ops() { return kOps; }

}  // namespace weft
