// What custom_call promises whoever its target is: layouts, aliases, the form of backend_config.
#pragma once
#include "ops/record.h"

namespace weft {

/// Throws UserError where layouts, output_operand_aliases, api_version or the buffer calls (CreateBuffer, Pin, Unpin) do not fit
/// the operands and the declared results. The specification numbers no constraints of custom_call.
void check_custom_call(const TypeContext& context);

}  // namespace weft
