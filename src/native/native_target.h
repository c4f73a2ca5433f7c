// The default target: this CPU. LLVM for kernels and control flow, oneDNN for contractions.
#pragma once
#include "ir/target.h"

namespace weft {

const Target& native_target();

}  // namespace weft
