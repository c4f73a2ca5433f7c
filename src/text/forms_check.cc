// The check dialect of StableHLO's own tests, as its programs write it.
#include <cmath>

#include "text/forms.h"
#include "text/literals.h"

namespace weft::text {
namespace {

// check.expect_eq_const %a, dense<…> : t        check.expect_almost_eq_const %a, dense<…>, tolerance = 0.1 : t
// The constant's type is the operand's: it is written once.
void clauses(Parser& p, OpParts& op) {
  while (p.cursor.accept(',')) {
    p.cursor.skip_space();
    const size_t at = p.cursor.offset();
    const std::string_view name = p.cursor.word();
    if (name.empty()) p.cursor.fail_expected("a clause", op.record->mnemonic);
    p.cursor.expect('=', op.record->mnemonic);
    p.cursor.skip_space();
    const size_t start = p.cursor.offset();
    Attr value = p.untyped_number();
    p.set_attribute(op, name, at, std::move(value), p.cursor.text().substr(start, p.cursor.offset() - start));
  }
}

void parse_compare_values(Parser& p, OpParts& op) {
  p.operands(op);
  clauses(p, op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (clause.operands.size() == 1 && !clause.has_arrow) {
    const std::vector<Type> same(op.operands.size(), clause.operands[0]);
    p.check_operand_types(op, same, clause.offset);
  } else {
    p.check_operand_types(op, clause.operands, clause.offset);
  }
  p.attribute_dictionary(op);
}

void parse_compare_constant(Parser& p, OpParts& op) {
  p.operand(op);
  p.cursor.expect(',', op.record->mnemonic);
  p.cursor.expect_word("dense", op.record->mnemonic);
  p.cursor.expect('<', op.record->mnemonic);
  const Type type = p.function().type(op.operands[0]);
  if (!type.is_tensor() || !type.is_static())
    p.fail(op, "the operand must be a tensor of known shape: got " + type.str());
  Literal value = parse_dense_content(p.cursor, type);
  p.cursor.expect('>', op.record->mnemonic);
  op.attrs.set("value", std::move(value));
  clauses(p, op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  p.check_operand_types(op, clause.operands, clause.offset);
  // StableHLO's own tests put it here.
  p.attribute_dictionary(op);
}

bool print_clauses(Printer& p, const OpView& op) {
  for (const std::string_view name : {"tolerance", "max_ulp_difference", "min_ulp_difference"}) {
    const Attr* value = op.attrs().find(name);
    if (value == nullptr) continue;
    p << ", " << name << " = ";
    if (const auto* d = value->get_if<double>()) {
      // Bits in hex would read as an integer here.
      if (!std::isfinite(*d)) return false;
      append_element(p.out, ElementType::kF64, reinterpret_cast<const std::byte*>(d));
    } else if (const auto* i = value->get_if<int64_t>()) {
      p << std::to_string(*i);
    } else {
      return false;
    }
  }
  return true;
}

bool print_compare_values(Printer& p, const OpView& op) {
  p << op.def().mnemonic << " ";
  p.values(op.operands());
  if (!print_clauses(p, op)) return false;
  p.other_attributes(op, {"tolerance", "max_ulp_difference", "min_ulp_difference"});
  p << " : ";
  p.types(op.operands());
  return true;
}

bool print_compare_constant(Printer& p, const OpView& op) {
  const Literal& l = op.attrs().literal("value");
  if (l.type != op.operand_type(0)) return false;
  p << op.def().mnemonic << " ";
  p.values(op.operands());
  p << ", ";
  append_dense(p.out, l);
  if (!print_clauses(p, op)) return false;
  p.other_attributes(op, {"value", "tolerance"});
  p << " : ";
  p.type(l.type);
  return true;
}

constexpr Form kForms[] = {
    {"check.expect_eq", parse_compare_values, print_compare_values},
    {"check.expect_close", parse_compare_values, print_compare_values},
    {"check.expect_almost_eq", parse_compare_values, print_compare_values},
    {"check.expect_eq_const", parse_compare_constant, print_compare_constant},
    {"check.expect_almost_eq_const", parse_compare_constant, print_compare_constant},
};

}  // namespace

std::span<const Form> check_forms() { return kForms; }

}  // namespace weft::text
