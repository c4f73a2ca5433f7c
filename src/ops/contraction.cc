#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family contraction_ops() { return {}; }

}  // namespace weft
