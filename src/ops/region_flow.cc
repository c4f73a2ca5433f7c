#include "ops/region_flow.h"

namespace weft {

RegionFlow region_flow(const OpView& op) {
  const std::string_view mnemonic = op.def().mnemonic;
  if (mnemonic == "stablehlo.while" || mnemonic == "weft.lane_while") {
    return {RegionFlow::Kind::kLoop, op.num_results(), op.num_operands() - op.num_results()};
  }
  if (mnemonic == "stablehlo.case" || mnemonic == "stablehlo.if") return {RegionFlow::Kind::kBranches};
  return {};
}

const std::string* callee(const OpView& op) {
  if (op.def().mnemonic != "func.call") return nullptr;
  const Attr* name = op.attrs().find("callee");
  return name == nullptr ? nullptr : name->get_if<std::string>();
}

}  // namespace weft
