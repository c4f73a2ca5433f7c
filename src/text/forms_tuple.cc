// Forms of tuple, get_tuple_element, optimization_barrier, composite and chlo.top_k.
#include "text/forms.h"

namespace weft::text {
namespace {

// stablehlo.tuple %a, %b : tuple<t, t>
void parse_tuple(Parser& p, OpParts& op) {
  p.operands(op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (clause.has_arrow) return p.apply_functional(op, clause);
  if (clause.operands.size() != 1 || clause.operands[0].kind() != TypeKind::kTuple)
    p.cursor.fail_at(clause.offset, 1, "[stablehlo.tuple] a tuple type was expected");
  p.check_operand_types(op, clause.operands[0].elements(), clause.offset);
  op.results = clause.operands;
}

bool print_tuple(Printer& p, const OpView& op) {
  if (op.num_operands() == 0) return false;
  p << "stablehlo.tuple ";
  p.values(op.operands());
  p.other_attributes(op, {});
  p << " : ";
  p.type(op.result_type());
  return true;
}

// stablehlo.get_tuple_element %t[0] : (tuple<t, t>) -> t
void parse_get_tuple_element(Parser& p, OpParts& op) {
  p.operand(op);
  p.cursor.expect('[', "stablehlo.get_tuple_element");
  op.attrs.set("index", p.cursor.integer("stablehlo.get_tuple_element"));
  p.cursor.expect(']', "stablehlo.get_tuple_element");
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (!clause.has_arrow)
    p.cursor.fail_at(clause.offset, 1, "[stablehlo.get_tuple_element] the type is (tuple) -> type");
  p.apply_functional(op, clause);
}

bool print_get_tuple_element(Printer& p, const OpView& op) {
  p << "stablehlo.get_tuple_element ";
  p.value(op.operand(0));
  p << "[" << std::to_string(op.attrs().integer("index")) << "]";
  p.other_attributes(op, {"index"});
  p.functional_type(op);
  return true;
}

// stablehlo.optimization_barrier %a, %b : t, t
void parse_barrier(Parser& p, OpParts& op) {
  p.operands(op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (clause.has_arrow) return p.apply_functional(op, clause);
  p.check_operand_types(op, clause.operands, clause.offset);
  op.results = clause.operands;
}

bool print_barrier(Printer& p, const OpView& op) {
  if (op.num_operands() == 0) return false;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (op.operand_type(i) != op.result_type(i)) return false;
  }
  p << "stablehlo.optimization_barrier ";
  p.values(op.operands());
  p.other_attributes(op, {});
  p << " : ";
  p.types(op.operands());
  return true;
}

// stablehlo.composite "my.op" %a, %b {decomposition = @f} : (t, t) -> t
void parse_composite(Parser& p, OpParts& op) {
  op.attrs.set("name", p.cursor.string());
  p.operands(op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (!clause.has_arrow) p.cursor.fail_at(clause.offset, 1, "[stablehlo.composite] the type is (operands) -> results");
  p.apply_functional(op, clause);
}

bool print_composite(Printer& p, const OpView& op) {
  p << "stablehlo.composite ";
  p.string(op.attrs().text("name"));
  if (op.num_operands() != 0) p << " ";
  p.values(op.operands());
  p.other_attributes(op, {"name"});
  p.functional_type(op);
  return true;
}

// chlo.top_k(%a, k = 8) : t -> (t, t)
void parse_top_k(Parser& p, OpParts& op) {
  p.cursor.expect('(', "chlo.top_k");
  p.operand(op);
  p.cursor.expect(',', "chlo.top_k");
  p.cursor.expect_word("k", "chlo.top_k");
  p.cursor.expect('=', "chlo.top_k");
  op.attrs.set("k", p.cursor.integer("chlo.top_k"));
  p.cursor.expect(')', "chlo.top_k");
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (!clause.has_arrow) p.cursor.fail_at(clause.offset, 1, "[chlo.top_k] the type is type -> (values, indices)");
  p.apply_functional(op, clause);
}

bool print_top_k(Printer& p, const OpView& op) {
  p << "chlo.top_k(";
  p.value(op.operand(0));
  p << ", k = " << std::to_string(op.attrs().integer("k")) << ")";
  p.other_attributes(op, {"k"});
  p << " : ";
  p.type(op.operand_type(0));
  p << " -> (";
  p.types(op.function.results(op.id));
  p << ")";
  return true;
}

constexpr Form kRows[] = {
    {"stablehlo.tuple", parse_tuple, print_tuple},
    {"stablehlo.get_tuple_element", parse_get_tuple_element, print_get_tuple_element},
    {"stablehlo.optimization_barrier", parse_barrier, print_barrier},
    {"stablehlo.composite", parse_composite, print_composite},
    {"chlo.top_k", parse_top_k, print_top_k},
};

}  // namespace

std::span<const Form> tuple_forms() { return kRows; }

}  // namespace weft::text
