// Derivatives, loops, branches and lanes as nodes.
#include "base/format.h"
#include "symbolic/elementwise.h"

namespace weft {

using namespace symbolic;

namespace {

using Exprs = std::vector<Expr>;

void expect_predicate(std::string_view op, const Loc& loc, const Expr& pred) {
  if (type_of(pred) != Type::scalar(ElementType::kI1)) {
    fail(op, loc, "the condition is not a truth value: got " + describe(pred) + ", expected tensor<i1>");
  }
}

/// A loop from its parts, types checked.
Exprs make_while(std::string_view op, const Loc& loc, Exprs init, Body cond, Body body) {
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kWhile;
  node->loc = loc;
  node->types = types_of(init);
  if (cond.results.size() != 1)
    fail(op, loc, "the condition gives " + std::to_string(cond.results.size()) + " values, expected 1");
  expect_predicate(op, loc, cond.results[0]);
  if (body.results.size() != init.size()) {
    fail(op, loc,
         "number of values that the body returns: got " + std::to_string(body.results.size()) + ", expected " +
             std::to_string(init.size()) + ", one for each state");
  }
  for (size_t i = 0; i < init.size(); ++i) {
    if (type_of(body.results[i]) != node->types[i]) {
      fail(op, loc,
           "the body changes the type of state " + std::to_string(i) + ": got " + describe(body.results[i]) +
               ", expected " + node->types[i].str() + " as at the start");
    }
  }
  node->inputs = std::move(init);
  node->bodies = {std::move(cond), std::move(body)};
  return finish(std::move(node));
}

}  // namespace

// ---- loops and branches ---------------------------------------------------------------------------------------------

std::vector<Expr> while_loop(const LoopCondition& cond, const LoopBody& body, std::vector<Operand> init,
                             std::source_location where) {
  const Loc loc = to_loc(where);
  Exprs start;
  for (const Operand& o : init) start.push_back(to_expr("while_loop", o));
  const std::vector<Type> types = types_of(start);
  Body test = new_scope(), step = new_scope();
  test.results = {cond(scope_args(test, types, loc))};
  expect_expressions("while_loop", loc, "condition", test.results);
  step.results = body(scope_args(step, types, loc));
  expect_expressions("while_loop", loc, "result of the body", step.results);
  return make_while("while_loop", loc, std::move(start), std::move(test), std::move(step));
}

std::vector<Expr> cond(Operand pred, const std::function<std::vector<Expr>()>& on_true,
                       const std::function<std::vector<Expr>()>& on_false) {
  const Loc loc = to_loc(pred.loc());
  const Expr p = to_expr("cond", pred, ElementType::kI1);
  expect_predicate("cond", loc, p);
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kCond;
  node->loc = loc;
  node->inputs = {p};
  for (const auto& branch : {on_true, on_false}) {
    Body body;
    body.first_node = next_id();
    body.results = branch();
    body.end_node = next_id();
    expect_expressions("cond", loc, "result of a branch", body.results);
    node->bodies.push_back(std::move(body));
  }
  const std::vector<Type> types = types_of(node->bodies[0].results), other = types_of(node->bodies[1].results);
  if (types.size() != other.size()) {
    fail("cond", loc,
         "the branches return different numbers of values: got " + std::to_string(types.size()) + " and " +
             std::to_string(other.size()) + ", expected the same");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != other[i]) {
      fail("cond", loc,
           "the branches differ in the type of result " + std::to_string(i) + ": got " + types[i].str() + " and " +
               other[i].str() + ", expected one type");
    }
  }
  node->types = types;
  return finish(std::move(node));
}

std::vector<Expr> scan(const std::function<std::vector<Expr>(std::span<const Expr>, std::span<const Expr>)>& body,
                       std::vector<Operand> init, std::vector<Operand> xs, std::optional<int64_t> length,
                       std::source_location where) {
  const Loc loc = to_loc(where);
  Exprs carries, sequences;
  for (const Operand& o : init) carries.push_back(to_expr("scan", o));
  for (const Operand& o : xs) {
    const Expr& x = tensor_operand("scan", o);
    if (x.rank() == 0)
      fail("scan", to_loc(o.loc()),
           "a sequence has no axis to walk along: got " + describe(x) + ", expected rank 1 or more");
    if (length && *length != x.dim(0)) {
      fail("scan", to_loc(o.loc()),
           "length of a sequence: got " + std::to_string(x.dim(0)) + ", expected " + std::to_string(*length));
    }
    length = x.dim(0);
    sequences.push_back(x);
  }
  if (!length || *length < 0)
    fail("scan", loc, "the number of steps is not known: expected a sequence or a length of 0 or more");
  const int64_t n = *length;
  const auto at_where = [&](const Expr& e) { return Operand(e, where); };

  Body step = new_scope();
  const Type counter = Type::scalar(ElementType::kI32);
  const Expr i = scope_args(step, std::array{counter}, loc)[0];
  const std::vector<Type> carry_types = types_of(carries);
  scope_args(step, carry_types, loc);
  Exprs slices;
  for (const Expr& s : sequences) {
    const Shape rest(s.shape().begin() + 1, s.shape().end());
    slices.push_back(n == 0 ? filled(s.element_type(), rest, 0, where) : at(at_where(s), at_where(i)));
  }
  const Exprs carry_args(step.args.begin() + 1, step.args.end());
  Exprs results = body(carry_args, slices);
  expect_expressions("scan", loc, "result of the body", results);
  if (results.size() < carries.size()) {
    fail("scan", loc,
         "number of values that the body returns: got " + std::to_string(results.size()) + ", expected at least the " +
             std::to_string(carries.size()) + " carries");
  }
  // The outputs are known only now: they are written row by row into buffers that the loop carries.
  Exprs start = {filled(ElementType::kI32, {}, 0, where)};
  start.insert(start.end(), carries.begin(), carries.end());
  step.results = {at_where(i) + Operand(1, where)};
  step.results.insert(step.results.end(), results.begin(), results.begin() + static_cast<int64_t>(carries.size()));
  for (size_t k = carries.size(); k < results.size(); ++k) {
    const Expr& row = results[k];
    Shape shape = row.shape();
    shape.insert(shape.begin(), n);
    start.push_back(filled(row.element_type(), shape, 0, where));
    const Expr buffer = region_arg(step.scope, type_of(start.back()), loc);
    step.args.push_back(buffer);
    std::vector<Operand> starts = {at_where(i)};
    for (int64_t d = 0; d < row.rank(); ++d) starts.emplace_back(0, where);
    step.results.push_back(
        n == 0 ? buffer : dynamic_update_slice(at_where(buffer), at_where(expand_dims(at_where(row), 0)), starts));
  }
  Body test = new_scope();
  scope_args(test, types_of(start), loc);
  test.results = {at_where(test.args[0]) < Operand(static_cast<double>(n), where)};
  Exprs out = make_while("scan", loc, std::move(start), std::move(test), std::move(step));
  out.erase(out.begin());
  return out;
}

}  // namespace weft
