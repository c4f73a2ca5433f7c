#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family indexing_ops() { return {}; }

}  // namespace weft
