#include "ops/foreign/foreign.h"
#include "text/forms.h"

namespace weft::text {
namespace {

// stablehlo.while(%iterArg = %x, …) : types attributes {…} cond { … } do { … }
void parse_while(Parser& p, OpParts& op) {
  p.cursor.expect('(', "stablehlo.while");
  std::vector<NamedArg> args;
  while (p.cursor.peek() != ')') {
    if (!args.empty()) p.cursor.expect(',', "stablehlo.while");
    p.cursor.skip_space();
    const size_t at = p.cursor.offset();
    p.cursor.expect('%', "stablehlo.while");
    NamedArg a;
    a.name = p.cursor.suffix_name("a value");
    a.loc = p.cursor.loc(at, a.name.size() + 1);
    p.cursor.expect('=', "stablehlo.while");
    p.operand(op);
    a.type = p.function().type(op.operands.back());
    args.push_back(a);
  }
  p.cursor.expect(')', "stablehlo.while");
  if (p.cursor.peek() == ':') {
    const TypeClause clause = p.type_clause();
    p.check_operand_types(op, clause.operands, clause.offset);
    op.results = clause.operands;
  } else if (!args.empty()) {
    p.cursor.fail_expected("':' and the types of the carries", "stablehlo.while");
  }
  if (p.cursor.accept_word("attributes")) p.attribute_dictionary(op);
  p.cursor.expect_word("cond", "stablehlo.while");
  op.regions.push_back(p.region(args));
  p.cursor.expect_word("do", "stablehlo.while");
  op.regions.push_back(p.region(args));
}

bool print_while(Printer& p, const OpView& op) {
  const auto cond_args = op.function.args(op.region(0));
  const auto body_args = op.function.args(op.region(1));
  if (cond_args.size() != op.num_operands() || body_args.size() != op.num_operands()) return false;
  // One type stands for the operand, the arguments and the result.
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type t = op.operand_type(i);
    const Function& f = op.function;
    if (f.type(cond_args[i]) != t || f.type(body_args[i]) != t || op.result_type(i) != t) return false;
  }
  // The form writes one name for both regions' argument, so both get it.
  p.name_args(op.region(1));
  p.share_names(op.region(1), op.region(0));
  p << "stablehlo.while(";
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (i) p << ", ";
    p.value(body_args[i]);
    p << " = ";
    p.value(op.operand(i));
  }
  p << ")";
  if (op.num_operands() > 0) p << " : ";
  p.types(op.operands());
  if (!op.attrs().entries().empty()) {
    p << " attributes";
    p.other_attributes(op, {});
  }
  p.newline();
  p << "cond ";
  p.region(op.region(0), false);
  p << " do ";
  p.region(op.region(1), false);
  return true;
}

/// (%x init: %init), … and returns how many; operands end up as all inputs, then all initial values.
size_t parse_reduce_operands(Parser& p, OpParts& op) {
  OpParts inits;
  size_t n = 0;
  do {
    p.cursor.expect('(', "stablehlo.reduce");
    p.operand(op);
    p.cursor.expect_word("init", "stablehlo.reduce");
    p.cursor.expect(':', "stablehlo.reduce");
    p.operand(inits);
    p.cursor.expect(')', "stablehlo.reduce");
    ++n;
  } while (p.cursor.accept(','));
  op.operands.insert(op.operands.end(), inits.operands.begin(), inits.operands.end());
  op.operand_offsets.insert(op.operand_offsets.end(), inits.operand_offsets.begin(), inits.operand_offsets.end());
  return n;
}

void parse_across(Parser& p, OpParts& op) {
  p.cursor.expect_word("across", "stablehlo.reduce");
  p.cursor.expect_word("dimensions", "stablehlo.reduce");
  p.cursor.expect('=', "stablehlo.reduce");
  op.attrs.set("dimensions", p.int_list("stablehlo.reduce"));
}

/// Ops that `applies` may name: the order of their operands must not matter.
bool is_commutative(std::string_view mnemonic) {
  for (const std::string_view m : {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum",
                                   "stablehlo.and", "stablehlo.or", "stablehlo.xor"}) {
    if (m == mnemonic) return true;
  }
  return false;
}

// stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (t, t) -> t
// stablehlo.reduce(%x init: %i), … across dimensions = [0] : (t, …) -> t reducer(%a: t, %b: t) (…) { … }
void parse_reduce(Parser& p, OpParts& op) {
  const size_t n = parse_reduce_operands(p, op);
  const OpRecord* body = nullptr;
  size_t body_at = 0;
  if (p.cursor.accept_word("applies")) {
    p.cursor.skip_space();
    body_at = p.cursor.offset();
    const std::string_view mnemonic = p.cursor.word();
    body = find_op(mnemonic);
    if (body == nullptr) throw UserError(unknown_op_message(mnemonic), p.cursor.loc(body_at, mnemonic.size()));
    if (!is_commutative(mnemonic)) {
      p.cursor.fail_at(body_at, mnemonic.size(),
                       "[stablehlo.reduce] applies: got " + std::string(mnemonic) +
                           ", expected a commutative op of two operands (others need a reducer region)");
    }
    if (n != 1)
      p.cursor.fail_at(body_at, mnemonic.size(),
                       "[stablehlo.reduce] `applies` reduces one input: got " + std::to_string(n));
  }
  parse_across(p, op);
  p.attribute_dictionary(op);
  const TypeClause clause = p.type_clause();
  if (!clause.has_arrow)
    p.cursor.fail_at(clause.offset, 1, "[stablehlo.reduce] the type is (inputs, initial values) -> results");
  p.apply_functional(op, clause);
  Function& f = p.function();
  if (body != nullptr) {
    if (op.results.size() != 1 || !op.results[0].is_tensor())
      p.cursor.fail_at(clause.offset, 1, "[stablehlo.reduce] expected one tensor as result");
    const Type input = f.type(op.operands[0]);
    if (!input.is_tensor()) p.fail(op, "the input must be a tensor: got " + input.str());
    const Type scalar = Type::scalar(input.element_type());
    const Loc loc = p.cursor.loc(body_at, body->mnemonic.size());
    const RegionId r = f.new_region();
    const Value args[] = {f.add_arg(r, scalar, loc), f.add_arg(r, scalar, loc)};
    const Type types[] = {scalar};
    const OpId id = f.append(r, *body, args, Attrs(), types, {}, loc);
    const Value results[] = {f.result(id)};
    f.append(r, get_op("stablehlo.return"), results, Attrs(), {}, {}, loc);
    op.regions = {r};
    return;
  }
  p.cursor.expect_word("reducer", "stablehlo.reduce");
  // Pairs in the text, all left sides and then all right sides in the region.
  std::vector<NamedArg> left, right;
  for (size_t i = 0; i < n; ++i) {
    p.cursor.skip_space();
    const size_t at = p.cursor.offset();
    const auto pair = p.named_args();
    if (pair.size() != 2)
      p.cursor.fail_at(
          at, 1, "[stablehlo.reduce] a reducer takes two arguments for each input: got " + std::to_string(pair.size()));
    left.push_back(pair[0]);
    right.push_back(pair[1]);
  }
  left.insert(left.end(), right.begin(), right.end());
  op.regions = {p.region(left)};
}

/// The op that a reducer consists of, when `applies` can say it.
const OpDef* plain_body(const OpView& op) {
  const Function& f = op.function;
  const RegionId r = op.region(0);
  if (op.num_results() != 1 || f.ops(r).size() != 2 || f.args(r).size() != 2) return nullptr;
  const OpView body{f, f.ops(r)[0]}, last{f, f.ops(r)[1]};
  const Type scalar = Type::scalar(op.operand_type(0).element_type());
  const bool plain = is_commutative(body.def().mnemonic) && body.num_operands() == 2 &&
                     body.operand(0) == f.args(r)[0] && body.operand(1) == f.args(r)[1] && body.num_results() == 1 &&
                     body.regions().empty() && body.attrs().entries().empty() && body.result_type() == scalar &&
                     body.operand_type(0) == scalar && body.operand_type(1) == scalar && last.num_operands() == 1 &&
                     last.operand(0) == body.result() && last.def().mnemonic == "stablehlo.return";
  return plain ? &body.def() : nullptr;
}

bool print_reduce(Printer& p, const OpView& op) {
  const size_t n = op.num_operands() / 2;
  const auto args = op.function.args(op.region(0));
  if (n == 0 || op.num_operands() != 2 * n || args.size() != 2 * n) return false;
  p << "stablehlo.reduce";
  for (size_t i = 0; i < n; ++i) {
    p << (i ? ", (" : "(");
    p.value(op.operand(i));
    p << " init: ";
    p.value(op.operand(n + i));
    p << ")";
  }
  const OpDef* body = plain_body(op);
  if (body != nullptr) p << " applies " << body->mnemonic;
  p << " across dimensions = ";
  p.int_list(op.attrs().ints("dimensions"));
  p.other_attributes(op, {"dimensions"});
  p.functional_type(op);
  if (body != nullptr) return true;
  p.name_args(op.region(0));
  p.newline();
  p << " reducer";
  for (size_t i = 0; i < n; ++i) {
    p << (i ? " (" : "(");
    for (const size_t k : {i, n + i}) {
      if (k != i) p << ", ";
      p.value(args[k]);
      p << ": ";
      p.type(op.function.type(args[k]));
    }
    p << ")";
  }
  p << " ";
  p.region(op.region(0), false);
  return true;
}

constexpr Form kForms[] = {
    {"stablehlo.while", parse_while, print_while},
    {"stablehlo.reduce", parse_reduce, print_reduce},
};

}  // namespace

std::span<const Form> control_flow_forms() { return kForms; }

}  // namespace weft::text
