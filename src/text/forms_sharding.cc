// Shardy's ops:
//   sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : t
//   sdy.manual_computation(%a) in_shardings=[<…>] out_shardings=[<…>] manual_axes={"x"} (%b: t) { … sdy.return %c : t } : (t) -> t
#include <optional>

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

/// What stands in brackets that open with `open`, brackets included.
std::string bracketed(Parser& p, const OpParts& op, char open, char close) {
  p.cursor.skip_space();
  const size_t start = p.cursor.offset();
  p.cursor.expect(open, op.record->mnemonic);
  p.cursor.skip_balanced(close);
  return std::string(p.cursor.text().substr(start, p.cursor.offset() - start));
}

void parse_manual(Parser& p, OpParts& op) {
  const std::string_view what = op.record->mnemonic;
  p.cursor.expect('(', what);
  p.operands(op);
  p.cursor.expect(')', what);
  for (const char* name : {"in_shardings", "out_shardings"}) {
    p.cursor.expect_word(name, what);
    p.cursor.expect('=', what);
    op.attrs.set(name, OpaqueAttr{"#sdy.sharding_per_value<" + bracketed(p, op, '[', ']') + ">"});
  }
  p.cursor.expect_word("manual_axes", what);
  p.cursor.expect('=', what);
  op.attrs.set("manual_axes", OpaqueAttr{"#sdy<manual_axes" + bracketed(p, op, '{', '}') + ">"});
  const std::vector<NamedArg> args = p.named_args();
  op.regions.push_back(p.region(args));
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (!clause.has_arrow) p.fail(op, "its type is (operands) -> results");
  p.apply_functional(op, clause);
}

/// The attribute without its tag; none when it has another.
std::optional<std::string_view> inside(const OpView& op, std::string_view name, std::string_view tag) {
  const auto* a = op.attrs().find(name)->get_if<OpaqueAttr>();
  if (a == nullptr || !a->text.starts_with(tag) || !a->text.ends_with('>')) return std::nullopt;
  return std::string_view(a->text).substr(tag.size(), a->text.size() - tag.size() - 1);
}

bool print_manual(Printer& p, const OpView& op) {
  const auto in = inside(op, "in_shardings", "#sdy.sharding_per_value<"),
             out = inside(op, "out_shardings", "#sdy.sharding_per_value<"),
             axes = inside(op, "manual_axes", "#sdy<manual_axes");
  if (!in || !out || !axes) return false;
  p << op.def().mnemonic << "(";
  p.values(op.operands());
  p << ") in_shardings=" << *in << " out_shardings=" << *out << " manual_axes=" << *axes << " (";
  p.name_args(op.region(0));
  const auto args = op.function.args(op.region(0));
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) p << ", ";
    p.value(args[i]);
    p << ": ";
    p.type(op.function.type(args[i]));
  }
  p << ") ";
  p.region(op.region(0), false);
  p.other_attributes(op, {"in_shardings", "out_shardings", "manual_axes"});
  p.functional_type(op);
  return true;
}

void parse_manual_return(Parser& p, OpParts& op) {
  p.operands(op);
  p.attribute_dictionary(op);
  if (op.operands.empty()) return;
  const TypeClause clause = p.type_clause();
  p.check_operand_types(op, clause.operands, clause.offset);
}

bool print_manual_return(Printer& p, const OpView& op) {
  p << op.def().mnemonic;
  if (op.num_operands() > 0) {
    p << " ";
    p.values(op.operands());
  }
  p.other_attributes(op, {});
  if (op.num_operands() > 0) {
    p << " : ";
    p.types(op.operands());
  }
  return true;
}

constexpr Form kForms[] = {{"sdy.sharding_constraint", parse_constraint, print_constraint},
                           {"sdy.manual_computation", parse_manual, print_manual},
                           {"sdy.return", parse_manual_return, print_manual_return}};

}  // namespace

std::span<const Form> sharding_forms() { return kForms; }

}  // namespace weft::text
