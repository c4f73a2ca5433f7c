#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family elementwise_unary_ops() { return {}; }

}  // namespace weft
