#include <array>

#include "text/forms.h"
#include "text/literals.h"

namespace weft::text {
namespace {

// stablehlo.constant {attributes} dense<…> : type
void parse_constant(Parser& p, OpParts& op) {
  if (p.cursor.accept('(')) {
    // The older notation: stablehlo.constant() {value = dense<…> : type} : () -> type
    p.cursor.expect(')', "stablehlo.constant");
    p.attribute_dictionary(op);
    return p.elementwise_types(op);
  }
  p.attribute_dictionary(op);
  const size_t at = (p.cursor.skip_space(), p.cursor.offset());
  Attr value = p.attribute();
  const auto* literal = value.get_if<Literal>();
  if (literal == nullptr) p.cursor.fail_at(at, 1, "[stablehlo.constant] expected dense<…> : type");
  op.results = {literal->type};
  // MLIR also writes the result's type when it differs from the elements' (bounded dimensions).
  if (p.cursor.accept("->")) op.results = {p.type()};
  op.attrs.set("value", std::move(value));
}

bool print_constant(Printer& p, const OpView& op) {
  const Literal& l = op.attrs().literal("value");
  if (l.type != op.result_type()) return false;
  p << "stablehlo.constant";
  p.other_attributes(op, {"value"});
  p << " ";
  append_dense(p.out, l);
  p << " : ";
  p.type(l.type);
  return true;
}

// stablehlo.compare LT, %a, %b, FLOAT : (t, t) -> t
void parse_compare(Parser& p, OpParts& op) {
  const std::string_view direction = p.cursor.word();
  if (direction.empty()) p.cursor.fail_expected("EQ, NE, LT, LE, GT or GE", "stablehlo.compare");
  op.attrs.set("comparison_direction", std::string(direction));
  p.cursor.expect(',', "stablehlo.compare");
  p.operands(op);
  if (p.cursor.accept(',')) {
    const std::string_view kind = p.cursor.word();
    if (kind.empty()) p.cursor.fail_expected("FLOAT, TOTALORDER, SIGNED or UNSIGNED", "stablehlo.compare");
    op.attrs.set("compare_type", std::string(kind));
  }
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (clause.has_arrow) return p.apply_functional(op, clause);
  const std::vector<Type> same(op.operands.size(), clause.operands[0]);
  p.check_operand_types(op, same, clause.offset);
  if (!clause.operands[0].is_tensor())
    p.cursor.fail_at(clause.offset, 1, "[stablehlo.compare] a tensor type was expected");
  op.results = {clause.operands[0].with_element(ElementType::kI1)};
}

bool print_compare(Printer& p, const OpView& op) {
  p << "stablehlo.compare " << op.attrs().text("comparison_direction") << ", ";
  p.values(op.operands());
  if (op.attrs().has("compare_type")) p << ", " << op.attrs().text("compare_type");
  p.other_attributes(op, {"comparison_direction", "compare_type"});
  p.functional_type(op);
  return true;
}

// stablehlo.select %p, %a, %b : pred type, value type
void parse_select(Parser& p, OpParts& op) {
  p.operands(op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (clause.has_arrow) return p.apply_functional(op, clause);
  if (clause.operands.size() != 2) {
    p.cursor.fail_at(clause.offset, 1,
                     "[stablehlo.select] types: got " + std::to_string(clause.operands.size()) +
                         ", expected that of the predicate and that of the values");
  }
  const Type types[] = {clause.operands[0], clause.operands[1], clause.operands[1]};
  p.check_operand_types(op, types, clause.offset);
  op.results = {clause.operands[1]};
}

bool print_select(Printer& p, const OpView& op) {
  p << "stablehlo.select ";
  p.values(op.operands());
  p.other_attributes(op, {});
  if (op.operand_type(1) != op.result_type() || op.operand_type(2) != op.result_type()) {
    p.functional_type(op);
    return true;
  }
  p << " : ";
  p.type(op.operand_type(0));
  p << ", ";
  p.type(op.result_type());
  return true;
}

// stablehlo.complex %re, %im : complex type
void parse_complex(Parser& p, OpParts& op) {
  p.operands(op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (clause.has_arrow) return p.apply_functional(op, clause);
  const Type result = clause.operands[0];
  if (!result.is_tensor() || !is_complex(result.element_type())) {
    p.cursor.fail_at(clause.offset, 1,
                     "[stablehlo.complex] type: got " + result.str() + ", expected a tensor of complex numbers");
  }
  const Type part =
      result.with_element(result.element_type() == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64);
  p.check_operand_types(op, std::array{part, part}, clause.offset);
  op.results = {result};
}

bool print_complex(Printer& p, const OpView& op) {
  p << "stablehlo.complex ";
  p.values(op.operands());
  p.other_attributes(op, {});
  if (op.operand_type(0) != op.operand_type(1) ||
      op.operand_type(0) != op.result_type().with_element(op.operand_type(0).element_type())) {
    p.functional_type(op);
    return true;
  }
  p << " : ";
  p.type(op.result_type());
  return true;
}

// stablehlo.slice %a [start:limit:stride, …] : (t) -> t
void parse_slice(Parser& p, OpParts& op) {
  p.operands(op);
  p.cursor.expect('[', "stablehlo.slice");
  Attr::Ints start, limit, strides;
  while (p.cursor.peek() != ']') {
    if (!start.empty()) p.cursor.expect(',', "stablehlo.slice");
    start.push_back(p.cursor.integer("stablehlo.slice"));
    p.cursor.expect(':', "stablehlo.slice");
    limit.push_back(p.cursor.integer("stablehlo.slice"));
    strides.push_back(p.cursor.accept(':') ? p.cursor.integer("stablehlo.slice") : 1);
  }
  p.cursor.expect(']', "stablehlo.slice");
  op.attrs.set("start_indices", std::move(start));
  op.attrs.set("limit_indices", std::move(limit));
  op.attrs.set("strides", std::move(strides));
  p.attribute_dictionary(op);
  p.elementwise_types(op);
}

bool print_slice(Printer& p, const OpView& op) {
  const auto& start = op.attrs().ints("start_indices");
  const auto& limit = op.attrs().ints("limit_indices");
  const auto strides = op.attrs().ints_or("strides", start.size(), 1);
  // A missing `strides` means 1, but must come back missing.
  if (!op.attrs().has("strides")) return false;
  p << "stablehlo.slice ";
  p.values(op.operands());
  p << " [";
  for (size_t i = 0; i < start.size(); ++i) {
    if (i) p << ", ";
    p << std::to_string(start[i]) << ":" << std::to_string(limit[i]);
    if (strides[i] != 1) p << ":" << std::to_string(strides[i]);
  }
  p << "]";
  p.other_attributes(op, {"start_indices", "limit_indices", "strides"});
  p.functional_type(op);
  return true;
}

// stablehlo.reduce_precision %a, format = e5m10 : t
void parse_reduce_precision(Parser& p, OpParts& op) {
  p.operands(op);
  p.cursor.expect(',', "stablehlo.reduce_precision");
  p.cursor.expect_word("format", "stablehlo.reduce_precision");
  p.cursor.expect('=', "stablehlo.reduce_precision");
  const size_t at = (p.cursor.skip_space(), p.cursor.offset());
  const std::string_view format = p.cursor.word();
  const size_t m = format.find('m');
  if (format.size() < 4 || format[0] != 'e' || m == std::string_view::npos || format.size() > 24) {
    p.cursor.fail_at(at, format.size(), "[stablehlo.reduce_precision] a format like e5m10 was expected");
  }
  const std::string e(format.substr(1, m - 1)), f(format.substr(m + 1));
  if (e.find_first_not_of("0123456789") != std::string::npos ||
      f.find_first_not_of("0123456789") != std::string::npos || e.empty() || f.empty() || e.size() > 10 ||
      f.size() > 10) {
    p.cursor.fail_at(at, format.size(), "[stablehlo.reduce_precision] a format like e5m10 was expected");
  }
  op.attrs.set("exponent_bits", static_cast<int64_t>(std::stoll(e)));
  op.attrs.set("mantissa_bits", static_cast<int64_t>(std::stoll(f)));
  p.attribute_dictionary(op);
  p.elementwise_types(op);
}

bool print_reduce_precision(Printer& p, const OpView& op) {
  p << "stablehlo.reduce_precision ";
  p.values(op.operands());
  p << ", format = e" << std::to_string(op.attrs().integer("exponent_bits")) << "m"
    << std::to_string(op.attrs().integer("mantissa_bits"));
  p.other_attributes(op, {"exponent_bits", "mantissa_bits"});
  p.elementwise_types(op);
  return true;
}

// call @f(%a, %b) : (t, t) -> t
void parse_named_call(Parser& p, OpParts& op, std::string_view attribute) {
  op.attrs.set(attribute, p.cursor.symbol());
  p.cursor.expect('(', "a call");
  p.operands(op);
  p.cursor.expect(')', "a call");
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (!clause.has_arrow)
    p.cursor.fail_at(clause.offset, 1,
                     "[" + std::string(op.record->mnemonic) + "] the type of a call is (operands) -> results");
  p.apply_functional(op, clause);
}

void parse_call(Parser& p, OpParts& op) { parse_named_call(p, op, "callee"); }
void parse_custom_call(Parser& p, OpParts& op) { parse_named_call(p, op, "call_target_name"); }

bool print_named_call(Printer& p, const OpView& op, std::string_view word, std::string_view attribute) {
  p << word << " ";
  p.symbol(op.attrs().text(attribute));
  p << "(";
  p.values(op.operands());
  p << ")";
  p.other_attributes(op, {attribute});
  p.functional_type(op);
  return true;
}

bool print_call(Printer& p, const OpView& op) { return print_named_call(p, op, "func.call", "callee"); }
bool print_custom_call(Printer& p, const OpView& op) {
  return print_named_call(p, op, "stablehlo.custom_call", "call_target_name");
}

// return %a, %b : t, t
void parse_return(Parser& p, OpParts& op) {
  p.operands(op);
  p.attribute_dictionary(op);
  if (op.operands.empty()) return;
  const TypeClause clause = p.type_clause();
  if (clause.has_arrow) p.cursor.fail_at(clause.offset, 1, "a return has no results");
  p.check_operand_types(op, clause.operands, clause.offset);
}

bool print_return_as(Printer& p, const OpView& op, std::string_view word) {
  p << word;
  if (op.num_operands() == 0) {
    p.other_attributes(op, {});
    return true;
  }
  p << " ";
  p.values(op.operands());
  p.other_attributes(op, {});
  p << " : ";
  p.types(op.operands());
  return true;
}

bool print_return(Printer& p, const OpView& op) { return print_return_as(p, op, "return"); }
bool print_region_return(Printer& p, const OpView& op) { return print_return_as(p, op, "stablehlo.return"); }

constexpr Form kForms[] = {
    {"stablehlo.constant", parse_constant, print_constant},
    {"stablehlo.compare", parse_compare, print_compare},
    {"stablehlo.select", parse_select, print_select},
    {"stablehlo.complex", parse_complex, print_complex},
    {"stablehlo.slice", parse_slice, print_slice},
    {"stablehlo.reduce_precision", parse_reduce_precision, print_reduce_precision},
    {"func.call", parse_call, print_call},
    {"stablehlo.custom_call", parse_custom_call, print_custom_call},
    {"func.return", parse_return, print_return},
    {"stablehlo.return", parse_return, print_region_return},
};

}  // namespace

std::span<const Form> basic_forms() { return kForms; }

}  // namespace weft::text
