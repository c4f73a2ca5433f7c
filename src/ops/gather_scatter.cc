#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family gather_scatter_ops() { return {}; }

}  // namespace weft
