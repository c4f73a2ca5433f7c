// Lanes, derivatives and functions with rules of their own: each node becomes a call of a function that is made for it.
#include <algorithm>

#include "ops/control_flow/derivative_rule.h"
#include "symbolic/lower.h"
#include "transform/gradient.h"
#include "transform/gradient_norm.h"
#include "transform/jacobian.h"
#include "transform/vectorize.h"

namespace weft::symbolic {
namespace {

/// The owning handle of a reference into a live graph.
Expr to_handle(const Ref& r) { return Expr(r.node->shared_from_this(), r.output); }

bool is_leaf(const Node& n) {
  return n.kind == NodeKind::kPlaceholder || n.kind == NodeKind::kVariable || n.kind == NodeKind::kRegionArg;
}

/// By node: whether it uses one of `sources`, for all that the targets reach.
std::unordered_map<const Node*, bool> uses_of(std::span<const Expr> targets, const RefMap<size_t>& sources) {
  std::unordered_map<const Node*, bool> uses;
  std::vector<const Node*> stack;
  for (const Expr& e : targets) stack.push_back(e.node().get());
  while (!stack.empty()) {
    const Node* n = stack.back();
    if (uses.contains(n)) {
      stack.pop_back();
      continue;
    }
    bool is_ready = true, found = false;
    for (const auto* list : {&n->inputs, &n->captures}) {
      for (const Expr& e : *list) {
        const auto it = uses.find(e.node().get());
        if (it == uses.end()) {
          stack.push_back(e.node().get());
          is_ready = false;
        } else {
          found = found || it->second || sources.contains(e);
        }
      }
    }
    if (is_ready) {
      uses[n] = found;
      stack.pop_back();
    }
  }
  return uses;
}

}  // namespace

Lowerer::Call Lowerer::make_call(const Node& n, size_t level) {
  switch (n.kind) {
    case NodeKind::kGrad: return make_gradient(n, level);
    case NodeKind::kDerivative: return make_derivative(n);
    case NodeKind::kPfor: return make_pfor(n);
    default: return make_rule(n);
  }
}

std::string Lowerer::body_function(const Body& body, const std::string& name, const Loc& loc,
                                   std::vector<Expr>* captured) {
  auto f = std::make_unique<Function>("body");
  f->set_loc(loc);
  Function& made = *f;
  Lowerer inner(
      graph_, made, [&](const Node& m) { return captured == nullptr || m.depends_on(body.scope); },
      [&](const Ref& r) -> Value {
        if (captured == nullptr) throw InternalError("[symbolic] a rule uses its surroundings", loc);
        captured->push_back(to_handle(r));
        return made.add_arg(made.body(), r.node->types[r.output], r.node->loc);
      });
  for (const Expr& e : body.args) inner.bind(e, made.add_arg(made.body(), type_of(e), loc));
  inner.close(body.results);
  made.set_name(graph_.module.unique_name(graph_.entry + name));  // late: what it calls has been added meanwhile
  made.set_public(false);
  return graph_.module.add(std::move(f)).name();
}

Lowerer::Call Lowerer::make_pfor(const Node& n) {
  Module& module = graph_.module;
  Call call;
  std::vector<Expr> captured;
  const std::string name = body_function(n.bodies[0], "_lane", n.loc, &captured);
  std::vector<int64_t> axes;
  for (size_t i = 0; i < n.bodies[0].args.size(); ++i)
    axes.push_back(i < n.is_shared.size() && n.is_shared[i] ? kUniform : 0);
  axes.insert(axes.end(), captured.size(), kUniform);
  Function& lanes = vectorize(module, name, axes, n.lanes,
                              {.name = module.unique_name(graph_.entry + "_lanes"),
                               .broadcast_results = true,
                               .level = n.level,
                               .chunk = n.pfor.chunk,
                               .strict = n.pfor.strict});
  lanes.set_public(false);
  call.callee = lanes.name();
  call.results = lanes.result_types();
  call.is_iota_first = n.inputs.empty();
  call.num_lanes = static_cast<size_t>(n.lanes);
  call.args = n.inputs;
  call.args.insert(call.args.end(), captured.begin(), captured.end());
  call.is_zero.assign(call.args.size(), false);
  return call;
}

Lowerer::Call Lowerer::make_rule(const Node& n) {
  Module& module = graph_.module;
  Call call;
  call.args = n.inputs;
  const bool is_checkpoint = n.rule == Rule::kCheckpoint;
  std::vector<Expr> captured;
  call.callee = body_function(n.bodies[0], "_function", n.loc, is_checkpoint ? &captured : nullptr);
  DerivativeRule rule{.checkpoint = is_checkpoint};
  if (n.rule == Rule::kJvp) rule.jvp = body_function(n.bodies[1], "_jvp", n.loc, nullptr);
  if (n.rule == Rule::kVjp) {
    rule.forward = body_function(n.bodies[1], "_forward", n.loc, nullptr);
    rule.backward = body_function(n.bodies[2], "_backward", n.loc, nullptr);
  }
  set_derivative_rule(*module.find(call.callee), rule);
  call.results = n.types;
  call.args.insert(call.args.end(), captured.begin(), captured.end());
  call.is_zero.assign(call.args.size(), false);
  return call;
}

Lowerer::Differentiated Lowerer::differentiated(std::span<const Expr> outputs, std::span<const Expr> wrt,
                                                const Loc& loc) {
  Differentiated out;
  const auto reached = uses_of(outputs, {});
  for (const Expr& w : wrt) {
    if (reached.contains(w.node().get()) && out.position.emplace(w, out.wrt.size()).second) out.wrt.push_back(w);
  }
  if (out.wrt.empty()) return out;  // the outputs depend on none of them

  const auto inside = uses_of(outputs, out.position);
  const auto is_inside = [&inside](const Node& m) {
    const auto it = inside.find(&m);
    return it != inside.end() && it->second;
  };
  auto f = std::make_unique<Function>("loss");
  f->set_loc(loc);
  Function& made = *f;
  Lowerer inner(graph_, made, is_inside, [&](const Ref& r) {
    out.captured.push_back(to_handle(r));
    return made.add_arg(made.body(), r.node->types[r.output], r.node->loc);
  });
  for (const Expr& w : out.wrt) {
    const Value arg = made.add_arg(made.body(), type_of(w), w.node()->loc);
    // One that depends on another keeps its definition, so that the other's gradient is the total derivative.
    const bool is_intermediate = is_inside(*w.node());
    if (is_intermediate) {
      inner.perturb(w, arg);
      out.is_exact = false;
    } else {
      inner.bind(w, arg);
    }
    out.is_zero.push_back(is_intermediate);
  }
  inner.close(outputs);
  made.set_name(graph_.module.unique_name(graph_.entry + "_loss"));
  made.set_public(false);
  out.name = graph_.module.add(std::move(f)).name();
  return out;
}

namespace {

std::vector<size_t> first_positions(size_t n) {
  std::vector<size_t> out;
  for (size_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

}  // namespace

Lowerer::Call Lowerer::make_gradient(const Node& n, size_t level) {
  Call call;
  const Expr& loss = n.inputs[0];
  for (const Node* g : graph_.gradients_of[loss]) {
    if (level_of(*g) == level) call.gradients.push_back(g);
  }
  std::vector<Expr> wrt;
  for (const Node* g : call.gradients) wrt.insert(wrt.end(), g->inputs.begin() + 1, g->inputs.end());
  const Differentiated f = differentiated(std::span(&loss, 1), wrt, n.loc);
  if (f.wrt.empty()) return call;

  Module& module = graph_.module;
  // The value comes with the gradient where nothing has computed it yet, so that a loop runs forwards once.
  call.is_loss_first =
      f.is_exact && !loss.node()->is_constant() && level_of(*loss.node()) == level && !is_leaf(*loss.node());
  Function& g = gradient(module, f.name, first_positions(f.wrt.size()), module.unique_name(graph_.entry + "_grad"),
                         call.is_loss_first);
  g.set_public(false);
  call.callee = g.name();
  call.results = g.result_types();
  for (const auto& [wrt_of, position] : f.position) call.gradient_by[wrt_of] = position + (call.is_loss_first ? 1 : 0);
  call.args = f.wrt;
  call.args.insert(call.args.end(), f.captured.begin(), f.captured.end());
  call.is_zero = f.is_zero;
  call.is_zero.resize(call.args.size(), false);
  return call;
}

Lowerer::Call Lowerer::make_derivative(const Node& n) {
  Call call;
  const Derivative& d = n.derivative;
  const std::span<const Expr> all = n.inputs, outputs = all.first(d.num_outputs),
                              wrt = all.subspan(d.num_outputs, d.num_wrt),
                              directions = all.subspan(d.num_outputs + d.num_wrt);
  const Differentiated f = differentiated(outputs, wrt, n.loc);
  if (f.wrt.empty()) return call;

  Module& module = graph_.module;
  const std::vector<size_t> by = first_positions(f.wrt.size());
  call.args = f.wrt;
  call.args.insert(call.args.end(), f.captured.begin(), f.captured.end());
  call.is_zero = f.is_zero;
  const auto position = [&](const Expr& w) {
    const auto it = f.position.find(w);
    return it == f.position.end() ? Call::kZero : it->second;
  };
  const std::string name = module.unique_name(graph_.entry + "_derivative");
  Function* made = nullptr;
  switch (d.kind) {
    case Derivative::kJacobian:
      made = &jacobian(module, f.name, by, name, d.jacobian);
      for (size_t i = 0; i < outputs.size(); ++i) {
        for (const Expr& w : wrt)
          call.picks.push_back(position(w) == Call::kZero ? Call::kZero : i * by.size() + position(w));
      }
      break;
    case Derivative::kJvp: {
      made = &jvp(module, f.name, by, name);
      // Tangents of what comes twice add up.
      std::vector<Expr> tangents(f.wrt.size());
      for (size_t i = 0; i < wrt.size(); ++i) {
        if (position(wrt[i]) == Call::kZero) continue;
        Expr& t = tangents[position(wrt[i])];
        t = t.has_value() ? Operand(t) + Operand(directions[i]) : directions[i];
      }
      call.args.insert(call.args.end(), tangents.begin(), tangents.end());
      for (size_t i = 0; i < outputs.size(); ++i) call.picks.push_back(outputs.size() + i);
      break;
    }
    case Derivative::kVjp:
      made = &vjp(module, f.name, by, name);
      call.args.insert(call.args.end(), directions.begin(), directions.end());
      for (const Expr& w : wrt) call.picks.push_back(position(w));
      break;
    case Derivative::kSquaredNorm:
      made = &squared_gradient_norm(module, f.name, by, name);
      call.picks = {0};
      break;
  }
  made->set_public(false);
  call.callee = made->name();
  call.results = made->result_types();
  call.is_zero.resize(call.args.size(), false);
  return call;
}

}  // namespace weft::symbolic
