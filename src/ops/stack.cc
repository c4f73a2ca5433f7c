#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family stack_ops() { return {}; }

}  // namespace weft
