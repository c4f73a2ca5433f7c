// What fusion asks about single ops: what may be computed where it is read, and what that costs.
#pragma once
#include <optional>

#include <string_view>

#include "ops/record.h"

namespace weft::native {

inline bool is(const OpView& op, std::string_view mnemonic) { return op.def().mnemonic == mnemonic; }
/// Makes tokens only: effects run in program order, so there is nothing to do.
bool only_orders(const OpView& op);
/// Costs next to nothing wherever it is computed, so that every consumer computes it for itself.
bool is_free(const OpView& op);
/// Writes a part of its operand: always a kernel of its own, so that it can be done in place.
bool is_update(const OpView& op);
/// Results that nobody reads are not written.
bool may_omit_results(const OpView& op);
/// Only inserts or removes extents of one.
bool is_degenerate_reshape(const OpView& op);
/// Only divides dimensions: what is read at a place of the result is an affine place of the operand.
bool is_dividing_reshape(const OpView& op);
/// What is computed once a row, outside the row's loop: a value of rows spread over inner dimensions. The number of leading
/// dimensions that number the rows, 0 for other broadcasts and where rows are too few to be what runs in parallel.
size_t row_dimensions(const OpView& broadcast, const OpView& operand);
/// True when `user` reads each element of its operand about once, at any index: then the operand may be computed there.
bool reads_once(const OpView& user, size_t operand, const OpView& producer);
/// A reduction whose every result takes longer to compute than to write and read.
bool reduces_much(const OpView& op);
/// Operations for an element of an elementwise op on f32 or f64; nothing for others.
std::optional<double> elementwise_flops(const OpView& op);

}  // namespace weft::native
