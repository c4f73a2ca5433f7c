// The process's handlers of custom calls (weft/custom_call.h).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ops/record.h"
#include "weft/custom_call.h"

namespace weft {

struct CallHandler {
  weft_call_handler run = nullptr;
  void* data = nullptr;
};
/// The handler registered under a name; nothing when there is none.
std::optional<CallHandler> registered_handler(std::string_view target);

/// What a handler of the op is told of it: call_target_name and backend_config of a custom call, else its name and attributes.
struct CallText {
  std::string target, config;
};
CallText call_text(const OpView& op);

/// Runs a handler on the op's tensors, tokens left out: pointers to operands and to room for results, in the op's order. UserError with
/// the handler's message when it fails.
void run_handler(const CallHandler& handler, const OpView& op, const void* const* operands, void* const* results);

}  // namespace weft
