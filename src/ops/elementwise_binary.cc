#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family elementwise_binary_ops() { return {}; }

}  // namespace weft
