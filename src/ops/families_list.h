// The families of ops: one file each, one line here. Adding an op touches its family's file only; adding a family adds a line.
#pragma once
#include <span>

#include "ops/record.h"

namespace weft {

/// The records of one family, in the order in which documentation lists them.
using Family = std::span<const OpRecord>;

Family elementwise_unary_ops();
Family elementwise_binary_ops();
Family complex_parts_ops();  // real, imag, complex
Family compare_select_ops();
Family constant_ops();
Family structural_ops();        // broadcast_in_dim, reshape, transpose, reverse
Family structural_parts_ops();  // slice, pad, concatenate
Family indexing_ops();          // dynamic_slice, dynamic_update_slice
Family contraction_ops();       // dot_general, convolution
Family reduction_ops();         // reduce
Family window_ops();            // reduce_window, select_and_scatter
Family gather_scatter_ops();    // gather, scatter
Family control_flow_ops();      // while, case, if, call, return
Family lane_while_ops();        // weft.lane_while
Family lane_ops();              // weft.lane_index, weft.lanes_reduce …
Family pfor_ops();              // weft.pfor
Family stack_ops();             // weft.stack_*
Family check_ops();             // weft.check, check.*
Family sort_ops();              // sort, chlo.top_k
Family map_ops();               // map
Family tuple_ops();             // tuple, get_tuple_element, optimization_barrier
Family composite_ops();         // composite
Family rng_ops();               // rng, rng_bit_generator
Family fft_ops();               // fft
Family linear_algebra_ops();    // cholesky, triangular_solve
Family batch_norm_ops();        // batch_norm_training, batch_norm_inference, batch_norm_grad
Family short_form_ops();        // dot, einsum, unary_einsum, broadcast, torch_index_select
Family token_ops();             // tokens, infeed, outfeed, send, recv, replica_id, partition_id
Family collective_ops();        // all_gather, all_reduce, all_to_all, collective_*, reduce_scatter
Family process_ops();           // interpreter.run_parallel, probe, print
Family dynamic_ops();           // dynamic_broadcast_in_dim … set_dimension_size

inline constexpr Family (*kFamilies[])() = {
    elementwise_unary_ops,
    elementwise_binary_ops,
    complex_parts_ops,
    compare_select_ops,
    constant_ops,
    structural_ops,
    structural_parts_ops,
    indexing_ops,
    contraction_ops,
    reduction_ops,
    window_ops,
    gather_scatter_ops,
    control_flow_ops,
    lane_while_ops,
    lane_ops,
    pfor_ops,
    stack_ops,
    check_ops,
    sort_ops,
    map_ops,
    tuple_ops,
    composite_ops,
    short_form_ops,
    rng_ops,
    fft_ops,
    linear_algebra_ops,
    batch_norm_ops,
    token_ops,
    collective_ops,
    process_ops,
    dynamic_ops,
};

}  // namespace weft
