// The target "pjrt:PLUGIN[,option=value…]": programs on the devices of a PJRT plugin.
#pragma once
#include <memory>
#include <string>

#include "ir/target.h"
#include "pjrt/client.h"

namespace weft {

/// The target of a plugin and its options; the same object for the same text. `spec` is what follows "pjrt:". UserError when there is no
/// such plugin. Its client is opened by the first compilation.
const Target& pjrt_target(const std::string& spec);

namespace pjrt {
/// The client of a target, opened once for each text.
std::shared_ptr<const Client> client_of(const std::string& spec);
}  // namespace pjrt

}  // namespace weft
