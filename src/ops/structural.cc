#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family structural_ops() { return {}; }

}  // namespace weft
