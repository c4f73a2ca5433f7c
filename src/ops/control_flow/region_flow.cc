#include "ops/control_flow/region_flow.h"

#include "ops/record.h"

namespace weft {

RegionFlow region_flow(const OpView& op) {
  const std::string_view mnemonic = op.def().mnemonic;
  if (mnemonic == "stablehlo.while" || mnemonic == "weft.lane_while") {
    return {RegionFlow::Kind::kLoop, op.num_results(), op.num_operands() - op.num_results(),
            mnemonic == "stablehlo.while"};
  }
  if (mnemonic == "stablehlo.case" || mnemonic == "stablehlo.if") return {RegionFlow::Kind::kBranches, 0, 0, true};
  return {};
}

std::shared_ptr<const Attrs> kept_attrs(const OpView& op, const std::vector<bool>& kept_operands) {
  if (op.def().mnemonic != "weft.lane_while") return op.function.shared_attrs(op.id);
  Attrs attrs = op.attrs();
  const std::vector<int64_t>& all = attrs.ints("varies");
  std::vector<int64_t> varies;
  int64_t carries = 0;
  for (size_t i = 0; i < kept_operands.size(); ++i) {
    if (!kept_operands[i]) continue;
    varies.push_back(all[i]);
    carries += i < op.num_results() ? 1 : 0;
  }
  attrs.set("varies", varies);
  attrs.set("num_carries", carries);
  return std::make_shared<const Attrs>(std::move(attrs));
}

namespace {

/// The attribute that names the function; empty when the op calls none.
std::string_view callee_attribute(std::string_view mnemonic) {
  if (mnemonic == "func.call" || mnemonic == "weft.pfor") return "callee";
  if (mnemonic == "stablehlo.composite") return "decomposition";
  return {};
}

}  // namespace

bool is_plain_call(const OpView& op) { return callee(op) != nullptr && op.def().mnemonic != "weft.pfor"; }

CallShape call_shape(const OpView& op) {
  const bool is_call = op.def().mnemonic == "func.call";
  return {get_op("func.call"), is_call ? op.attrs() : Attrs{}};
}

void redirect_calls(Function& f, const std::string& from, const std::string& to) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const std::string* target = callee(OpView{f, OpId{i}});
    if (target == nullptr || *target != from) continue;
    Attrs attrs = f.attrs(OpId{i});
    attrs.set(callee_attribute(f.def(OpId{i}).mnemonic), to);
    f.set_attrs(OpId{i}, std::move(attrs));
  }
}

const std::string* callee(const OpView& op) {
  const std::string_view attribute = callee_attribute(op.def().mnemonic);
  if (attribute.empty()) return nullptr;
  const Attr* name = op.attrs().find(attribute);
  return name == nullptr ? nullptr : name->get_if<std::string>();
}

}  // namespace weft
