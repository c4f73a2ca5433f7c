// Ops of dialects that Weft gives no meaning to ("shape.shape_of", "builtin.unrealized_conversion_cast"): they parse, verify by
// structure and print again; every facet that would need a meaning refuses.
#pragma once
#include <string>
#include <string_view>

#include "ops/record.h"

namespace weft {

/// The name under which a foreign op keeps the dictionary of its properties, <{…}>, apart from its attributes. No text can write it.
inline constexpr std::string_view kForeignProperties;

/// The record of an op of a foreign dialect; made at the first mention, the same object ever after. Safe to call from any thread.
const OpRecord& foreign_op(std::string_view mnemonic);
bool is_foreign_op(const OpDef& def);
/// Whether the mnemonic is of a dialect all of whose ops have records (stablehlo, chlo, func, check, interpreter, weft):
/// one without a record is then a slip of the pen.
bool is_of_known_dialect(std::string_view mnemonic);
/// "[stablehlo.ad] is not known to Weft: did you mean stablehlo.add?"; without the question when nothing is near.
std::string unknown_op_message(std::string_view mnemonic);

/// Whether a value of a foreign type (unranked tensor, memref, plain f32) may be an operand or a result of the op, as in MLIR.
bool takes_foreign_type(const OpDef& def, Type type);
/// The first foreign type among an op's operands and results; none when all are Weft's own.
Type foreign_type_of(const OpView& op);
/// Whether it is tensor<*x…>.
bool is_unranked(Type type);
/// Result types of an op some of whose operands or results have no rank: what is declared, whose element types are checked where the
/// op is elementwise. UserError as the op's type rule says.
std::vector<Type> types_of_unranked(const TypeContext& context);

}  // namespace weft
