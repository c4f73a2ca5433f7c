// Derivatives as nodes, and functions whose derivatives the caller writes.
#include <unordered_set>

#include "base/format.h"
#include "symbolic/node.h"

namespace weft {

using namespace symbolic;

namespace {

using Exprs = std::vector<Expr>;

void expect_loss(std::string_view op, const Loc& loc, const Expr& loss) {
  if (!loss.has_value()) fail(op, loc, "the loss is an empty expression: expected one made by an operation");
  if (!is_float(loss.element_type()) || loss.rank() != 0) {
    fail(op, loc,
         "the loss is not a floating-point number: got " + describe(loss) + ", expected rank 0 (sum or mean it first)");
  }
}

bool has_derivative(const Expr& e) { return is_float(e.element_type()) || is_complex(e.element_type()); }

void expect_differentiable(std::string_view op, const Loc& loc, std::string_view what, const Exprs& exprs) {
  expect_expressions(op, loc, what, exprs);
  for (const Expr& e : exprs) {
    if (!has_derivative(e))
      fail(op, loc,
           "no derivative " + std::string(what == "output" ? "of" : "by") +
               " a value that is not floating-point: got " + describe(e));
  }
}

std::shared_ptr<Node> derivative(Derivative::Kind kind, const Loc& loc, const Exprs& ys, const Exprs& xs) {
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kDerivative;
  node->loc = loc;
  node->derivative.kind = kind;
  node->derivative.num_outputs = ys.size();
  node->derivative.num_wrt = xs.size();
  node->inputs = ys;
  node->inputs.insert(node->inputs.end(), xs.begin(), xs.end());
  return node;
}

/// Tangents or cotangents: numbers take the types of what they belong to.
void add_directions(std::string_view op, const Loc& loc, Node& node, const Exprs& of, const std::vector<Operand>& given,
                    std::string_view what) {
  if (given.size() != of.size()) {
    fail(op, loc,
         "number of " + std::string(what) + "s: got " + std::to_string(given.size()) + ", expected " +
             std::to_string(of.size()) + ", one for each of what they belong to");
  }
  for (size_t i = 0; i < of.size(); ++i) {
    Expr e = to_expr(op, given[i], of[i].element_type());
    if (given[i].is_number()) e = broadcast_to(Operand(e, given[i].loc()), of[i].shape());
    if (type_of(e) != type_of(of[i])) {
      fail(op, to_loc(given[i].loc()),
           std::string(what) + " " + std::to_string(i) + ": got " + describe(e) + ", expected " + describe(of[i]) +
               ", the type of what it belongs to");
    }
    node.inputs.push_back(e);
  }
}

Type entry_type(const Expr& y, const Expr& x, bool is_batched) {
  Shape shape = y.shape();
  shape.insert(shape.end(), x.shape().begin() + (is_batched ? 1 : 0), x.shape().end());
  ElementType t = y.element_type();
  if (is_complex(x.element_type()) && !is_complex(t))
    t = t == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
  return Type::tensor(t, shape);
}

std::vector<Exprs> make_jacobian(std::string_view op, const Loc& loc, const Exprs& ys, const Exprs& xs,
                                 JacobianOptions options) {
  expect_differentiable(op, loc, "output", ys);
  expect_differentiable(op, loc, "input", xs);
  if (options.chunk < 0 || options.memory < 0) {
    const bool is_chunk = options.chunk < 0;
    fail(op, loc,
         std::string(is_chunk ? "chunk" : "memory") + ": got " +
             std::to_string(is_chunk ? options.chunk : options.memory) + ", expected 0 (chosen) or more");
  }
  const auto node = derivative(Derivative::kJacobian, loc, ys, xs);
  node->derivative.jacobian = options;
  for (const Expr& y : ys) {
    for (const Expr& x : xs) {
      if (options.is_batched && (y.rank() == 0 || x.rank() == 0 || x.dim(0) != y.dim(0))) {
        fail(op, loc,
             "number of examples: got " + describe(y) + " by " + describe(x) +
                 ", expected the same extent along axis 0 of both");
      }
      node->types.push_back(entry_type(y, x, options.is_batched));
    }
  }
  const Exprs all = finish(node);
  std::vector<Exprs> out;
  for (size_t i = 0; i < ys.size(); ++i)
    out.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i * xs.size()),
                     all.begin() + static_cast<std::ptrdiff_t>((i + 1) * xs.size()));
  return out;
}

}  // namespace

std::vector<Expr> grad(const Expr& loss, std::vector<Expr> wrt, std::source_location where) {
  const Loc loc = to_loc(where);
  expect_loss("grad", loc, loss);
  expect_differentiable("grad", loc, "variable of differentiation", wrt);
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kGrad;
  node->loc = loc;
  node->types = types_of(wrt);
  node->inputs = {loss};
  node->inputs.insert(node->inputs.end(), wrt.begin(), wrt.end());
  return finish(std::move(node));
}

Expr grad(const Expr& loss, const Expr& wrt, std::source_location where) { return grad(loss, Exprs{wrt}, where)[0]; }

Expr squared_grad_norm(const Expr& loss, std::vector<Expr> wrt, std::source_location where) {
  const Loc loc = to_loc(where);
  expect_loss("squared_grad_norm", loc, loss);
  expect_differentiable("squared_grad_norm", loc, "variable of differentiation", wrt);
  const auto node = derivative(Derivative::kSquaredNorm, loc, {loss}, wrt);
  node->types = {type_of(loss)};
  return finish(node)[0];
}

// ---- matrices and products with them ----------------------------------------------------------------------------------

Expr jacobian(const Expr& y, const Expr& x, JacobianOptions options, std::source_location where) {
  return make_jacobian("jacobian", to_loc(where), {y}, {x}, options)[0][0];
}

std::vector<std::vector<Expr>> jacobian(std::vector<Expr> ys, std::vector<Expr> xs, JacobianOptions options,
                                        std::source_location where) {
  return make_jacobian("jacobian", to_loc(where), ys, xs, options);
}

Expr batch_jacobian(const Expr& y, const Expr& x, JacobianOptions options, std::source_location where) {
  options.is_batched = true;
  return make_jacobian("batch_jacobian", to_loc(where), {y}, {x}, options)[0][0];
}

std::vector<std::vector<Expr>> hessian(const Expr& loss, std::vector<Expr> xs, JacobianOptions options,
                                       std::source_location where) {
  const Loc loc = to_loc(where);
  expect_loss("hessian", loc, loss);
  // Forwards over the gradient: as many lanes either way, and nothing of it is stored.
  if (options.direction == JacobianOptions::kAuto) options.direction = JacobianOptions::kForward;
  return make_jacobian("hessian", loc, grad(loss, xs, where), xs, options);
}

Expr hessian(const Expr& loss, const Expr& x, JacobianOptions options, std::source_location where) {
  return hessian(loss, Exprs{x}, options, where)[0][0];
}

std::vector<Expr> jvp(std::vector<Expr> ys, std::vector<Expr> xs, std::vector<Operand> tangents,
                      std::source_location where) {
  const Loc loc = to_loc(where);
  expect_differentiable("jvp", loc, "output", ys);
  expect_differentiable("jvp", loc, "input", xs);
  const auto node = derivative(Derivative::kJvp, loc, ys, xs);
  add_directions("jvp", loc, *node, xs, tangents, "tangent");
  node->types = types_of(ys);
  return finish(node);
}

Expr jvp(const Expr& y, const Expr& x, Operand tangent, std::source_location where) {
  return jvp(Exprs{y}, Exprs{x}, {std::move(tangent)}, where)[0];
}

std::vector<Expr> vjp(std::vector<Expr> ys, std::vector<Expr> xs, std::vector<Operand> cotangents,
                      std::source_location where) {
  const Loc loc = to_loc(where);
  expect_differentiable("vjp", loc, "output", ys);
  expect_differentiable("vjp", loc, "input", xs);
  const auto node = derivative(Derivative::kVjp, loc, ys, xs);
  add_directions("vjp", loc, *node, ys, cotangents, "cotangent");
  node->types = types_of(xs);
  return finish(node);
}

Expr vjp(const Expr& y, const Expr& x, Operand cotangent, std::source_location where) {
  return vjp(Exprs{y}, Exprs{x}, {std::move(cotangent)}, where)[0];
}

std::vector<Expr> hvp(const Expr& loss, std::vector<Expr> xs, std::vector<Operand> vs, std::source_location where) {
  expect_loss("hvp", to_loc(where), loss);
  return jvp(grad(loss, xs, where), xs, std::move(vs), where);
}

Expr hvp(const Expr& loss, const Expr& x, Operand v, std::source_location where) {
  return hvp(loss, Exprs{x}, {std::move(v)}, where)[0];
}

// ---- rules of the caller's ----------------------------------------------------------------------------------------------

namespace {

std::vector<Type> tangents_of(const std::vector<Type>& types) {
  std::vector<Type> out;
  for (Type t : types) {
    if (is_float(t.element_type()) || is_complex(t.element_type())) out.push_back(t);
  }
  return out;
}

std::vector<Type> joined(std::vector<Type> a, const std::vector<Type>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Exprs inputs_of(std::string_view op, const std::vector<Operand>& xs) {
  Exprs out;
  for (const Operand& x : xs) out.push_back(to_expr(op, x));
  return out;
}

/// A body from arguments of these types.
Body written(std::string_view op, const Loc& loc, const std::vector<Type>& types, std::string_view what,
             const ExprFunction& f) {
  Body body = new_scope();
  body.results = f(scope_args(body, types, loc));
  expect_expressions(op, loc, "result of " + std::string(what), body.results);
  return body;
}

void expect_types(std::string_view op, const Loc& loc, const Exprs& got, const std::vector<Type>& expected,
                  bool is_prefix, const std::string& what) {
  if (got.size() < expected.size() || (!is_prefix && got.size() != expected.size())) {
    fail(op, loc,
         "number of results of " + what + ": got " + std::to_string(got.size()) + ", expected " +
             (is_prefix ? "at least " : "") + std::to_string(expected.size()));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (type_of(got[i]) == expected[i]) continue;
    fail(op, loc,
         "result " + std::to_string(i) + " of " + what + ": got " + describe(got[i]) + ", expected " +
             expected[i].str());
  }
}

bool is_made_of_constants(const Expr& root) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack = {root.node().get()};
  while (!stack.empty()) {
    const Node& n = *stack.back();
    stack.pop_back();
    if (n.kind == NodeKind::kPlaceholder || n.kind == NodeKind::kVariable || n.kind == NodeKind::kRegionArg)
      return false;
    for (const auto* list : {&n.inputs, &n.captures}) {
      for (const Expr& e : *list) {
        if (seen.insert(e.node().get()).second) stack.push_back(e.node().get());
      }
    }
  }
  return true;
}

Exprs make_call(std::string_view op, const Loc& loc, Rule rule, Exprs xs, std::vector<Body> bodies) {
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kCall;
  node->loc = loc;
  node->rule = rule;
  node->types = types_of(bodies[0].results);
  node->inputs = std::move(xs);
  node->bodies = std::move(bodies);
  const Exprs out = finish(node);
  if (rule == Rule::kCheckpoint) return out;
  // A rule speaks of the inputs alone: what else the function used would have no derivative, silently.
  for (const Expr& e : out[0].node()->captures) {
    if (is_made_of_constants(e)) continue;
    fail(op, loc,
         "a function uses an expression of its surroundings, of which the rule says nothing: got " + describe(e) +
             (e.node()->loc.known() ? ", made at " + *e.node()->loc.file + ":" + std::to_string(e.node()->loc.line)
                                    : "") +
             ", expected it among the inputs");
  }
  return out;
}

}  // namespace

std::vector<Expr> custom_jvp(const ExprFunction& f,
                             const std::function<Exprs(std::span<const Expr>, std::span<const Expr>)>& rule,
                             std::vector<Operand> xs, std::source_location where) {
  const Loc loc = to_loc(where);
  Exprs inputs = inputs_of("custom_jvp", xs);
  const std::vector<Type> types = types_of(inputs);
  Body primal = written("custom_jvp", loc, types, "the function", f);
  const std::vector<Type> results = types_of(primal.results);
  Body derivative =
      written("custom_jvp", loc, joined(types, tangents_of(types)), "the rule",
              [&](std::span<const Expr> all) { return rule(all.first(types.size()), all.subspan(types.size())); });
  expect_types("custom_jvp", loc, derivative.results, joined(results, tangents_of(results)), false,
               "the rule (results, then their tangents)");
  std::vector<Body> bodies;
  bodies.push_back(std::move(primal));
  bodies.push_back(std::move(derivative));
  return make_call("custom_jvp", loc, Rule::kJvp, std::move(inputs), std::move(bodies));
}

std::vector<Expr> custom_vjp(const ExprFunction& f, const ExprFunction& forward,
                             const std::function<Exprs(std::span<const Expr>, std::span<const Expr>)>& backward,
                             std::vector<Operand> xs, std::source_location where) {
  const Loc loc = to_loc(where);
  Exprs inputs = inputs_of("custom_vjp", xs);
  const std::vector<Type> types = types_of(inputs);
  Body primal = written("custom_vjp", loc, types, "the function", f);
  const std::vector<Type> results = types_of(primal.results);
  Body first = written("custom_vjp", loc, types, "forward", forward);
  expect_types("custom_vjp", loc, first.results, results, true,
               "forward (those of the function, then what backward needs)");
  const std::vector<Type> all = types_of(first.results);
  const std::vector<Type> kept(all.begin() + static_cast<std::ptrdiff_t>(results.size()), all.end());
  Body second =
      written("custom_vjp", loc, joined(kept, tangents_of(results)), "backward",
              [&](std::span<const Expr> args) { return backward(args.first(kept.size()), args.subspan(kept.size())); });
  expect_types("custom_vjp", loc, second.results, tangents_of(types), false,
               "backward (a cotangent for each floating-point input)");
  std::vector<Body> bodies;
  bodies.push_back(std::move(primal));
  bodies.push_back(std::move(first));
  bodies.push_back(std::move(second));
  return make_call("custom_vjp", loc, Rule::kVjp, std::move(inputs), std::move(bodies));
}

std::vector<Expr> checkpoint(const ExprFunction& f, std::vector<Operand> xs, std::source_location where) {
  const Loc loc = to_loc(where);
  Exprs inputs = inputs_of("checkpoint", xs);
  std::vector<Body> bodies;
  bodies.push_back(written("checkpoint", loc, types_of(inputs), "the function", f));
  return make_call("checkpoint", loc, Rule::kCheckpoint, std::move(inputs), std::move(bodies));
}

}  // namespace weft
