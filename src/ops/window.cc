#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family window_ops() { return {}; }

}  // namespace weft
