// How values flow through the regions of an op: what analyses of whole programs (activity, dead code) ask instead of naming ops.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

struct RegionFlow {
  enum class Kind : uint8_t {
    kNone,  // no regions, or regions that are like attributes (the body of a reduction)
    kLoop,  // region 0: condition, region 1: body; both take `carries` values, then `extras` that stay the same; the
            // body and the op return the carries. Operands: carries, extras.
    kBranches,  // regions without arguments; result i of the op is result i of one of them
  };
  Kind kind = Kind::kNone;
  size_t carries = 0;
  size_t extras = 0;
  /// Regions may use values from outside. Otherwise nothing may be moved across their border.
  bool is_open = false;
};
RegionFlow region_flow(const OpView& op);
/// The attributes of a loop or branch of which only some operands, and the carries and extras they are, remain.
std::shared_ptr<const Attrs> kept_attrs(const OpView& op, const std::vector<bool>& kept_operands);

/// The function that an op calls; null when it calls none.
const std::string* callee(const OpView& op);
/// Whether it calls that function once, on its operands: the function's ops may stand in its place.
bool is_plain_call(const OpView& op);
/// The call that stands for a derived function of what the op calls: its definition and attributes, "callee" still to be set.
struct CallShape {
  const OpDef& def;
  Attrs attrs;
};
CallShape call_shape(const OpView& op);
/// Makes every call of `from` in f a call of `to`.
void redirect_calls(Function& f, const std::string& from, const std::string& to);

}  // namespace weft
