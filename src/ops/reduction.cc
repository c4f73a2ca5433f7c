#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family reduction_ops() { return {}; }

}  // namespace weft
