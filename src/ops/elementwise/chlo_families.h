// The families of ops beyond the core: special functions, bits, CHLO. Listed apart, so that adding one recompiles the registry only.
#pragma once
#include "ops/families_list.h"

namespace weft {

Family chlo_unary_ops();       // tan, asin, lgamma, popcnt and the like
Family chlo_binary_ops();      // chlo.next_after, zeta, polygamma, mulhi
Family bit_ops();              // bitcast_convert, reduce_precision
Family quantization_ops();     // uniform_quantize, uniform_dequantize
Family chlo_broadcast_ops();   // chlo.broadcast_*
Family chlo_constant_ops();    // chlo.constant, chlo.constant_like
Family chlo_ragged_dot_ops();  // chlo.ragged_dot
Family scan_ops();             // chlo.scan
Family async_ops();            // async_start, async_done
Family cross_replica_sum_ops();
Family sharding_ops();  // sdy.sharding_constraint

inline constexpr Family (*kChloFamilies[])() = {
    chlo_unary_ops,      chlo_binary_ops, bit_ops,   quantization_ops,      chlo_broadcast_ops, chlo_constant_ops,
    chlo_ragged_dot_ops, scan_ops,        async_ops, cross_replica_sum_ops, sharding_ops};

/// to_stablehlo of ops that nothing shorter than their series or tables stands for.
inline constexpr Refuse kChloOnly{
    "StableHLO's own ops have no short form of it; readers of the chlo dialect know the op"};

}  // namespace weft
