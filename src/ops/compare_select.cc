#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family compare_select_ops() { return {}; }

}  // namespace weft
