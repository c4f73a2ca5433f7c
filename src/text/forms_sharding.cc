// Shardy's annotation: sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : t
#include "text/forms.h"

namespace weft::text {
namespace {

constexpr std::string_view kTag = "#sdy.sharding";

void parse_constraint(Parser& p, OpParts& op) {
  p.operand(op);
  p.cursor.skip_space();
  const size_t start = p.cursor.offset();
  p.cursor.expect('<', op.record->mnemonic);
  p.cursor.skip_balanced('>');
  op.attrs.set("sharding",
               OpaqueAttr{std::string(kTag) + std::string(p.cursor.text().substr(start, p.cursor.offset() - start))});
  p.attribute_dictionary(op);
  p.elementwise_types(op);
}

bool print_constraint(Printer& p, const OpView& op) {
  const auto* sharding = op.attrs().find("sharding")->get_if<OpaqueAttr>();
  if (sharding == nullptr || !sharding->text.starts_with(std::string(kTag) + "<")) return false;
  p << op.def().mnemonic << " ";
  p.values(op.operands());
  p << " " << std::string_view(sharding->text).substr(kTag.size());
  p.other_attributes(op, {"sharding"});
  p.elementwise_types(op);
  return true;
}

constexpr Form kForms[] = {{"sdy.sharding_constraint", parse_constraint, print_constraint}};

}  // namespace

std::span<const Form> sharding_forms() { return kForms; }

}  // namespace weft::text
