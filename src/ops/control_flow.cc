#include "ops/families.h"
#include "ops/families_list.h"

namespace weft {

Family control_flow_ops() { return {}; }

}  // namespace weft
