#include "ops/foreign/foreign.h"
#include "text/attribute_names.h"
#include "text/exported_ops.h"
#include "text/forms.h"
#include "text/parser.h"

namespace weft::text {

void Parser::fail(const OpParts& op, const std::string& message) {
  throw UserError("[" + std::string(op.record->mnemonic) + "] " + message, op.loc);
}

void Parser::bind(std::string_view name, Binding binding, size_t at) {
  if (!names_.try_emplace(name, binding).second) {
    cursor.fail_at(at, name.size() + 1, "%" + std::string(name) + " is defined already");
  }
  scope_.push_back(name);
}

void Parser::operand(OpParts& op) {
  cursor.skip_space();
  const size_t at = cursor.offset();
  cursor.expect('%', "an operand");
  const std::string_view name = cursor.suffix_name("a value");
  const auto found = names_.find(name);
  if (found == names_.end()) {
    cursor.fail_at(at, name.size() + 1,
                   "%" + std::string(name) +
                       " is not defined here: values are defined before their use, in the same or an outer region");
  }
  uint32_t position = 0;
  if (cursor.text().substr(cursor.offset(), 1) == "#") {
    cursor.accept('#');
    const int64_t n = cursor.integer("a result number");
    if (n < 0 || n >= found->second.count) {
      cursor.fail_at(at, cursor.offset() - at,
                     "%" + std::string(name) + " has " + std::to_string(found->second.count) + " results");
    }
    position = static_cast<uint32_t>(n);
  } else if (found->second.count == 0) {
    cursor.fail_at(at, name.size() + 1, "%" + std::string(name) + " has no results");
  }
  // Without a number the first of several results is meant.
  op.operands.push_back(Value{found->second.first.index + position});
  op.operand_offsets.push_back(at);
}

void Parser::operands(OpParts& op) {
  if (cursor.peek() != '%') return;
  operand(op);
  while (true) {
    const size_t before = cursor.offset();
    if (!cursor.accept(',')) return;
    if (cursor.peek() != '%') {
      // The comma begins the first clause.
      cursor.seek(before);
      return;
    }
    operand(op);
  }
}

void Parser::check_operand_types(const OpParts& op, std::span<const Type> types, size_t at) {
  if (types.size() != op.operands.size()) {
    cursor.fail_at(at, 1,
                   "[" + std::string(op.record->mnemonic) + "] operand types: got " + std::to_string(types.size()) +
                       ", expected one for each of the " + std::to_string(op.operands.size()) + " operands");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Type got = function_->type(op.operands[i]);
    if (got == types[i]) continue;
    const size_t operand_at = op.operand_offsets[i];
    cursor.fail_at(operand_at, 1,
                   "[" + std::string(op.record->mnemonic) + "] operand " + std::to_string(i) + " has type " +
                       got.str() + ", but its use says " + types[i].str());
  }
}

void Parser::apply_functional(OpParts& op, const TypeClause& clause) {
  check_operand_types(op, clause.operands, clause.offset);
  op.results = clause.results;
}

void Parser::elementwise_types(OpParts& op) {
  const TypeClause clause = type_clause();
  if (clause.has_arrow) {
    apply_functional(op, clause);
  } else if (clause.operands.size() == 1) {
    const std::vector<Type> same(op.operands.size(), clause.operands[0]);
    check_operand_types(op, same, clause.offset);
    op.results = clause.operands;
  } else {
    // One type an operand, results alike (optimization_barrier).
    check_operand_types(op, clause.operands, clause.offset);
    op.results = clause.operands;
  }
}

const OpRecord& Parser::record_of(std::string_view mnemonic, size_t at) {
  if (const OpRecord* record = find_op(known_mnemonic(mnemonic))) return *record;
  const Loc loc = cursor.loc(at, mnemonic.size());
  const size_t dot = mnemonic.find('.');
  bool is_name = dot != std::string_view::npos && dot > 0 && dot + 1 < mnemonic.size() && is_word_start(mnemonic[0]);
  for (char c : mnemonic) is_name = is_name && (is_word_char(c) || c == '-');
  if (!is_name) throw UserError("[" + std::string(mnemonic) + "] is no op: expected dialect.op", loc);
  if (mnemonic == "func.constant" || mnemonic == "func.call_indirect")
    throw Unsupported("[" + std::string(mnemonic) + "] functions are no values here", loc);
  if (is_of_known_dialect(mnemonic)) throw UserError(unknown_op_message(mnemonic), loc);
  return foreign_op(mnemonic);
}

namespace {

/// What goes wrong while an op is read names the op: reading a type or a number knows none.
template <class F>
void naming(const OpParts& op, std::string_view written, F read) {
  try {
    read();
  } catch (const UserError& error) {
    const std::string_view what = error.what();
    if (what.starts_with("[")) throw;
    const std::string_view mnemonic = op.record != nullptr ? op.record->mnemonic : written;
    throw UserError("[" + std::string(mnemonic) + "] " + std::string(what), error.loc());
  }
}

}  // namespace

void Parser::op(RegionId region) {
  const NestingGuard guard(*this);
  struct Result {
    std::string_view name;
    uint32_t count;
    size_t at;
  };
  std::vector<Result> names;
  if (cursor.peek() == '%') {
    do {
      cursor.skip_space();
      const size_t at = cursor.offset();
      cursor.expect('%', "a result");
      Result r{cursor.suffix_name("a value"), 1, at};
      if (cursor.accept(':')) {
        const int64_t n = cursor.integer("a number of results");
        if (n < 1 || n > 1 << 20) cursor.fail_at(at, r.name.size() + 1, "a name for " + std::to_string(n) + " results");
        r.count = static_cast<uint32_t>(n);
      }
      names.push_back(r);
    } while (cursor.accept(','));
    cursor.expect('=', "an op");
  }
  OpParts parts;
  cursor.skip_space();
  parts.offset = cursor.offset();
  if (cursor.peek() == '"') {
    const std::string_view mnemonic = cursor.raw_string();
    parts.loc = cursor.loc(parts.offset, mnemonic.size() + 2);
    naming(parts, mnemonic, [&] { generic_op(parts, mnemonic); });
  } else {
    const std::string_view mnemonic = cursor.word();
    if (mnemonic.empty()) cursor.fail_expected("an op", "a region");
    parts.loc = cursor.loc(parts.offset, mnemonic.size());
    naming(parts, mnemonic, [&] { pretty_op(parts, mnemonic); });
  }
  optional_location();
  replace_carrying_call(parts);

  uint32_t named = 0;
  for (const Result& r : names) named += r.count;
  if (!names.empty() && named != parts.results.size()) {
    cursor.fail_at(names[0].at, names[0].name.size() + 1,
                   "[" + std::string(parts.record->mnemonic) + "] results: got names for " + std::to_string(named) +
                       ", expected " + std::to_string(parts.results.size()));
  }
  const std::vector<Type> elements = tuple_elements_of_call(parts);
  OpId id = function_->append(region, *parts.record, parts.operands, std::move(parts.attrs),
                              elements.empty() ? parts.results : elements, parts.regions, parts.loc);
  if (!elements.empty()) {
    const std::vector<Value> results = function_->results(id);
    id = function_->append(region, *find_op("stablehlo.tuple"), results, Attrs{}, parts.results, {}, parts.loc);
  }
  uint32_t next = 0;
  for (const Result& r : names) {
    bind(r.name, {function_->result(id, next), r.count}, r.at);
    next += r.count;
  }
}

void Parser::generic_op(OpParts& parts, std::string_view mnemonic) {
  parts.record = &record_of(mnemonic, parts.offset + 1);
  cursor.expect('(', "an op in generic form");
  operands(parts);
  cursor.expect(')', "an op in generic form");
  if (cursor.peek() == '[') throw Unsupported("successor blocks: control flow is structured", cursor.here());
  if (cursor.accept('<')) {
    if (is_foreign_op(*parts.record)) {
      parts.attrs.set(kForeignProperties, kept_dictionary().entries());
    } else {
      attribute_dictionary(parts);
    }
    cursor.expect('>', "attributes");
  }
  if (cursor.accept('(')) {
    do { parts.regions.push_back(region()); } while (cursor.accept(','));
    cursor.expect(')', "regions");
  }
  attribute_dictionary(parts);
  const TypeClause clause = type_clause();
  if (!clause.has_arrow)
    cursor.fail_at(clause.offset, 1, "an op in generic form has a type of the form (operands) -> results");
  apply_functional(parts, clause);
}

void Parser::pretty_op(OpParts& parts, std::string_view mnemonic) {
  if (mnemonic == "return") mnemonic = "func.return";
  if (mnemonic == "call") mnemonic = "func.call";
  // custom_call reads its callee first: the check dialect's tests arrive as calls to check.*.
  const Form* form = find_form(mnemonic);
  if (form == nullptr || find_op(mnemonic) != nullptr || mnemonic != "stablehlo.custom_call") {
    parts.record = &record_of(mnemonic, parts.offset);
  }
  if (form != nullptr) {
    form->parse(*this, parts);
    return;
  }
  if (is_foreign_op(*parts.record)) return foreign_form(*this, parts);
  const ClauseForm* clauses = find_clauses(mnemonic);
  if (clauses == nullptr && parts.record->syntax == Syntax::kGeneric) {
    fail(parts, "this op has only the generic form: \"" + std::string(mnemonic) + "\"(…) … : (…) -> …");
  }
  operands(parts);
  if (clauses != nullptr) {
    bool first = parts.operands.empty();
    for (const Clause& clause : clauses->clauses) {
      if (!first) cursor.expect(',', mnemonic);
      first = false;
      cursor.expect_word(clause.word, mnemonic);
      cursor.expect('=', mnemonic);
      parts.attrs.set(clause.attribute, clause.is_list ? Attr(int_list(mnemonic)) : Attr(cursor.integer(mnemonic)));
    }
  }
  attribute_dictionary(parts);
  elementwise_types(parts);
}

void Parser::block_argument(RegionId region) {
  cursor.skip_space();
  const size_t at = cursor.offset();
  cursor.expect('%', "a region argument");
  const std::string_view name = cursor.suffix_name("a value");
  const Loc loc = cursor.loc(at, name.size() + 1);
  cursor.expect(':', "a region argument");
  const Type t = type();
  optional_location();
  bind(name, {function_->add_arg(region, t, loc), 1}, at);
}

RegionId Parser::region(std::span<const NamedArg> args) {
  const NestingGuard guard(*this);
  const RegionId r = function_->new_region();
  const size_t outer = scope_.size();
  cursor.expect('{', "a region");
  for (const NamedArg& a : args) {
    const Value v = function_->add_arg(r, a.type, a.loc);
    bind(a.name, {v, 1}, static_cast<size_t>(a.name.data() - cursor.text().data()) - 1);
  }
  if (cursor.accept('^')) {
    cursor.suffix_name("a block");
    if (cursor.accept('(')) {
      while (cursor.peek() != ')') {
        if (!function_->args(r).empty()) cursor.expect(',', "region arguments");
        block_argument(r);
      }
      cursor.expect(')', "region arguments");
    }
    cursor.expect(':', "a block");
  }
  while (!cursor.accept('}')) {
    if (cursor.peek() == '^')
      throw Unsupported("a region of more than one block: control flow is structured", cursor.here());
    op(r);
  }
  if (const OpId end = function_->terminator(r); end && function_->def(end).mnemonic == "func.return") {
    throw UserError("[func.return] ends a region: expected stablehlo.return", function_->loc(end));
  }
  while (scope_.size() > outer) {
    names_.erase(scope_.back());
    scope_.pop_back();
  }
  return r;
}

std::vector<NamedArg> Parser::named_args() {
  std::vector<NamedArg> out;
  cursor.expect('(', "arguments");
  while (cursor.peek() != ')') {
    if (!out.empty()) cursor.expect(',', "arguments");
    cursor.skip_space();
    const size_t at = cursor.offset();
    cursor.expect('%', "an argument");
    NamedArg a;
    a.name = cursor.suffix_name("a value");
    a.loc = cursor.loc(at, a.name.size() + 1);
    cursor.expect(':', "an argument");
    a.type = type();
    optional_location();
    out.push_back(a);
  }
  cursor.expect(')', "arguments");
  return out;
}

void Parser::optional_location() {
  if (cursor.peek_word() != "loc") return;
  cursor.word();
  cursor.expect('(', "a location");
  cursor.skip_balanced(')');
}

}  // namespace weft::text
