// The interpreter dialect of StableHLO's own tests, as its programs write it:
//   interpreter.probe %a, probe_id = "x" : t      check.expect_serialized_eq %a, probe_id = "x", iter = 1 : t
#include "text/forms.h"

namespace weft::text {
namespace {

void parse_observer(Parser& p, OpParts& op) {
  p.operand(op);
  while (p.cursor.accept(',')) {
    p.cursor.skip_space();
    const size_t at = p.cursor.offset();
    const std::string_view name = p.cursor.word();
    if (name.empty()) p.cursor.fail_expected("a clause", op.record->mnemonic);
    p.cursor.expect('=', op.record->mnemonic);
    p.cursor.skip_space();
    const size_t start = p.cursor.offset();
    Attr value = p.cursor.peek() == '"' ? Attr(p.cursor.string()) : p.untyped_number();
    p.set_attribute(op, name, at, std::move(value), p.cursor.text().substr(start, p.cursor.offset() - start));
  }
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  p.check_operand_types(op, clause.operands, clause.offset);
  if (op.record->mnemonic == "interpreter.probe") op.results = clause.operands;
}

bool print_observer(Printer& p, const OpView& op) {
  if (op.num_operands() > 1 && op.def().mnemonic == "interpreter.print") return false;  // in lanes
  // What would need escapes is left to the generic form.
  const std::string name = op.attrs().text_or("probe_id", "");
  for (const char c : name) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') return false;
  }
  p << op.def().mnemonic << " ";
  p.values(op.operands());
  if (op.attrs().has("probe_id")) p << ", probe_id = \"" << name << "\"";
  if (op.attrs().has("iter")) p << ", iter = " << std::to_string(op.attrs().integer("iter"));
  p.other_attributes(op, {"probe_id", "iter"});
  p << " : ";
  p.type(op.operand_type(0));
  return true;
}

constexpr Form kForms[] = {
    {"interpreter.probe", parse_observer, print_observer},
    {"interpreter.print", parse_observer, print_observer},
    {"check.expect_serialized_eq", parse_observer, print_observer},
};

}  // namespace

std::span<const Form> process_forms() { return kForms; }

}  // namespace weft::text
