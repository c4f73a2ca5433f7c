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

inline constexpr Family (*kChloFamilies[])() = {
    chlo_unary_ops,    chlo_binary_ops,     bit_ops,  quantization_ops, chlo_broadcast_ops,
    chlo_constant_ops, chlo_ragged_dot_ops, scan_ops, async_ops,        cross_replica_sum_ops};

/// to_stablehlo of ops whose form in pure StableHLO is not written yet: throws Unsupported.
std::vector<Value> portable_not_yet(PortableContext& context, const OpView& op, std::span<const Value> operands);

}  // namespace weft
