#include "symbolic/lower.h"

#include <algorithm>

#include "ir/clone.h"
#include "transform/gradient.h"
#include "transform/vectorize.h"

namespace weft::symbolic {
namespace {

bool is_leaf(const Node& n) {
  return n.kind == NodeKind::kPlaceholder || n.kind == NodeKind::kVariable || n.kind == NodeKind::kRegionArg;
}

bool is_owned(const Node& n, const Body& body) {
  return n.depends_on(body.scope) || (n.id >= body.first_node && n.id < body.end_node);
}

/// By node: whether it uses one of `sources`, for all that `target` reaches.
std::unordered_map<const Node*, bool> uses_of(const Expr& target, const RefMap<size_t>& sources) {
  std::unordered_map<const Node*, bool> uses;
  std::vector<const Node*> stack = {target.node().get()};
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

Graph::Graph(Module& m, std::string name, std::span<const Expr> roots) : module(m), entry(std::move(name)) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack;
  const auto visit = [&](const std::vector<Expr>& exprs) {
    for (const Expr& e : exprs) {
      if (seen.insert(e.node().get()).second) stack.push_back(e.node().get());
    }
  };
  visit({roots.begin(), roots.end()});
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    if (n->kind == NodeKind::kGrad) gradients_of[n->inputs[0]].push_back(n);
    visit(n->inputs);
    visit(n->captures);
    for (const Body& body : n->bodies) visit(body.results);
  }
  for (auto& [loss, nodes] : gradients_of) std::ranges::sort(nodes, {}, &Node::id);
}

Lowerer::Lowerer(Graph& graph, Function& function, Inside inside, Outer outer)
    : graph_(graph), function_(function), inside_(std::move(inside)), outer_(std::move(outer)) {
  levels_.push_back(
      std::make_unique<Level>(Level{OpBuilder(function, function.body(), &graph.module), 0, nullptr, {}}));
}

size_t Lowerer::level_of(const Node& n) const {
  for (size_t i = levels_.size() - 1; i > 0; --i) {
    if (is_owned(n, *levels_[i]->body)) return i;
  }
  return 0;
}

Value Lowerer::find(const Ref& r) const {
  if (const auto it = bound_.find(r); it != bound_.end()) return it->second;
  const auto& memo = levels_[level_of(*r.node)]->memo;
  const auto it = memo.find(r);
  return it == memo.end() ? Value{} : it->second;
}

Value Lowerer::operand(const Expr& e, size_t level) {
  const Ref r(e);
  if (!r.node->is_constant()) {
    const Value v = find(r);
    if (!v) throw InternalError("[symbolic] an operand was not lowered", r.node->loc);
    return v;
  }
  // Constants are written where they are used, once in a region.
  if (const auto it = bound_.find(r); it != bound_.end()) return it->second;
  for (size_t l = level;; l = levels_[l]->parent) {
    if (const auto it = levels_[l]->memo.find(r); it != levels_[l]->memo.end()) return it->second;
    if (l == 0) break;
  }
  OpBuilder& b = levels_[level]->builder;
  b.loc = r.node->loc;
  return levels_[level]->memo[r] = r.node->emit(b, {})[r.output];
}

Value Lowerer::lower(const Expr& root, size_t level) {
  std::vector<Ref> stack;
  if (!root.node()->is_constant()) stack.push_back(root);
  while (!stack.empty()) {
    const Ref r = stack.back();
    const Node& n = *r.node;
    if (find(r)) {
      stack.pop_back();
      continue;
    }
    const size_t at = level_of(n);
    if (is_leaf(n) || (at == 0 && !inside_(n))) {
      bound_[r] = outer_(r);
      stack.pop_back();
      continue;
    }
    bool is_ready = true;
    for (const Expr& e : dependencies(n, at)) {
      if (e.node()->is_constant() || find(e)) continue;
      stack.push_back(e);
      is_ready = false;
    }
    if (!is_ready) continue;
    emit(n, at);
    stack.pop_back();
  }
  return operand(root, level);
}

std::vector<Expr> Lowerer::dependencies(const Node& n, size_t level) {
  if (n.kind == NodeKind::kGrad || n.kind == NodeKind::kPfor) {
    std::shared_ptr<Call>& call = calls_[&n];
    if (call == nullptr) {
      call = std::make_shared<Call>(n.kind == NodeKind::kGrad ? make_gradient(n, level) : make_pfor(n));
      const std::shared_ptr<Call> shared = call;
      for (const Node* g : shared->gradients) calls_[g] = shared;
    }
    std::vector<Expr> out;
    const Call& made = *calls_[&n];
    for (size_t i = 0; i < made.args.size(); ++i) {
      if (!made.is_zero[i]) out.push_back(made.args[i]);
    }
    return out;
  }
  std::vector<Expr> out = n.inputs;
  out.insert(out.end(), n.captures.begin(), n.captures.end());
  return out;
}

void Lowerer::set(const Node& n, size_t level, std::span<const Value> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Ref r(&n, i);
    Value v = values[i];
    if (const auto it = perturbed_.find(r); it != perturbed_.end()) v = levels_[level]->builder.add(v, it->second);
    levels_[level]->memo[r] = v;
  }
}

void Lowerer::emit(const Node& n, size_t level) {
  OpBuilder& b = levels_[level]->builder;
  b.loc = n.loc;
  std::vector<Value> operands;
  if (n.kind != NodeKind::kGrad && n.kind != NodeKind::kPfor) {
    for (const Expr& e : n.inputs) operands.push_back(operand(e, level));
  }
  switch (n.kind) {
    case NodeKind::kOp: return set(n, level, n.emit(b, operands));
    case NodeKind::kWhile:
    case NodeKind::kCond: {
      const RegionId regions[] = {write_region(n.bodies[0], level, n.loc), write_region(n.bodies[1], level, n.loc)};
      b.loc = n.loc;
      return set(
          n, level,
          b.create(n.kind == NodeKind::kWhile ? "stablehlo.while" : "stablehlo.if", operands, {}, n.types, regions));
    }
    case NodeKind::kPfor: return set(n, level, emit_call(*calls_[&n], level, n.loc));
    case NodeKind::kGrad: return emit_gradients(n, level);
    case NodeKind::kPlaceholder:
    case NodeKind::kVariable:
    case NodeKind::kRegionArg: break;
  }
  throw InternalError("[symbolic] a leaf cannot be written", n.loc);
}

RegionId Lowerer::write_region(const Body& body, size_t level, const Loc& loc) {
  const RegionId region = function_.new_region();
  const size_t own = levels_.size();
  levels_.push_back(std::make_unique<Level>(Level{OpBuilder(function_, region, &graph_.module), level, &body, {}}));
  for (const Expr& e : body.args) levels_[own]->memo[e] = function_.add_arg(region, type_of(e), loc);
  std::vector<Value> results;
  for (const Expr& e : body.results) results.push_back(lower(e, own));
  levels_[own]->builder.loc = loc;
  levels_[own]->builder.yield(results);
  levels_.pop_back();
  return region;
}

std::vector<Value> Lowerer::emit_call(const Call& call, size_t level, const Loc& loc) {
  OpBuilder& b = levels_[level]->builder;
  b.loc = loc;
  std::vector<Value> operands;
  if (call.is_iota_first)
    operands.push_back(b.iota(Type::tensor(ElementType::kI32, {static_cast<int64_t>(call.num_lanes)}), 0));
  for (size_t i = 0; i < call.args.size(); ++i) {
    operands.push_back(call.is_zero[i] ? b.zeros(type_of(call.args[i])) : operand(call.args[i], level));
  }
  return b.create("func.call", operands, {{"callee", call.callee}}, call.results);
}

void Lowerer::emit_gradients(const Node& n, size_t level) {
  const Call& call = *calls_[&n];
  OpBuilder& b = levels_[level]->builder;
  std::vector<Value> values;
  if (!call.callee.empty()) values = emit_call(call, level, n.loc);
  const Ref loss(n.inputs[0]);
  if (call.is_loss_first && !find(loss)) levels_[level]->memo[loss] = values[0];
  for (const Node* g : call.gradients) {
    std::vector<Value> out;
    b.loc = g->loc;
    for (size_t i = 0; i + 1 < g->inputs.size(); ++i) {
      const auto it = call.gradient_by.find(g->inputs[i + 1]);
      out.push_back(it == call.gradient_by.end() ? b.zeros(g->types[i]) : values[it->second]);
    }
    set(*g, level, out);
  }
}

void Lowerer::close(std::span<const Expr> results) {
  std::vector<Value> values;
  for (const Expr& e : results) values.push_back(lower(e));
  levels_[0]->builder.yield(values);
}

namespace {

/// The owning handle of a reference into a live graph.
Expr to_handle(const Ref& r) { return Expr(r.node->shared_from_this(), r.output); }

}  // namespace

Lowerer::Call Lowerer::make_pfor(const Node& n) {
  const Body& lane = n.bodies[0];
  Module& module = graph_.module;
  auto f = std::make_unique<Function>("lane");
  f->set_loc(n.loc);
  std::vector<Expr> captured;
  Function& made = *f;
  Lowerer inner(
      graph_, made, [&lane](const Node& m) { return m.depends_on(lane.scope); },
      [&](const Ref& r) {
        captured.push_back(to_handle(r));
        return made.add_arg(made.body(), r.node->types[r.output], r.node->loc);
      });
  std::vector<int64_t> axes;
  for (const Expr& e : lane.args) {
    inner.bind(e, made.add_arg(made.body(), type_of(e), n.loc));
    axes.push_back(0);
  }
  inner.close(lane.results);
  made.set_name(module.unique_name(graph_.entry + "_lane"));  // late: what it calls has been added meanwhile
  made.set_public(false);
  axes.insert(axes.end(), captured.size(), kUniform);
  const std::string name = made.name();
  module.add(std::move(f));
  Function& lanes = vectorize(module, name, axes, n.lanes,
                              {.name = module.unique_name(graph_.entry + "_lanes"), .broadcast_results = true});
  lanes.set_public(false);

  Call call;
  call.callee = lanes.name();
  call.results = lanes.result_types();
  call.is_iota_first = n.inputs.empty();
  call.num_lanes = static_cast<size_t>(n.lanes);
  call.args = n.inputs;
  call.args.insert(call.args.end(), captured.begin(), captured.end());
  call.is_zero.assign(call.args.size(), false);
  return call;
}

Lowerer::Call Lowerer::make_gradient(const Node& n, size_t level) {
  Call call;
  const Expr& loss = n.inputs[0];
  for (const Node* g : graph_.gradients_of[loss]) {
    if (level_of(*g) == level) call.gradients.push_back(g);
  }
  RefMap<size_t> sources;
  std::vector<Expr> wrts;
  const auto reached = uses_of(loss, {});
  for (const Node* g : call.gradients) {
    for (size_t i = 1; i < g->inputs.size(); ++i) {
      const Expr& wrt = g->inputs[i];
      if (reached.contains(wrt.node().get()) && sources.emplace(wrt, wrts.size()).second) wrts.push_back(wrt);
    }
  }
  if (wrts.empty()) return call;  // the loss depends on none of them

  const auto inside = uses_of(loss, sources);
  const auto is_inside = [&inside](const Node& m) {
    const auto it = inside.find(&m);
    return it != inside.end() && it->second;
  };
  Module& module = graph_.module;
  auto f = std::make_unique<Function>("loss");
  f->set_loc(n.loc);
  Function& made = *f;
  std::vector<Expr> captured;
  Lowerer inner(graph_, made, is_inside, [&](const Ref& r) {
    captured.push_back(to_handle(r));
    return made.add_arg(made.body(), r.node->types[r.output], r.node->loc);
  });
  std::vector<size_t> positions;
  bool is_exact = true;
  for (const Expr& wrt : wrts) {
    const Value arg = made.add_arg(made.body(), type_of(wrt), wrt.node()->loc);
    // One that depends on another keeps its definition, so that the other's gradient is the total derivative.
    const bool is_intermediate = is_inside(*wrt.node());
    if (is_intermediate) {
      inner.perturb(wrt, arg);
      is_exact = false;
    } else {
      inner.bind(wrt, arg);
    }
    call.args.push_back(wrt);
    call.is_zero.push_back(is_intermediate);
    positions.push_back(positions.size());
  }
  inner.close(std::span(&loss, 1));
  made.set_name(module.unique_name(graph_.entry + "_loss"));
  made.set_public(false);
  const std::string name = made.name();
  module.add(std::move(f));
  // The value comes with the gradient where nothing has computed it yet, so that a loop runs forwards once.
  call.is_loss_first =
      is_exact && !loss.node()->is_constant() && level_of(*loss.node()) == level && !is_leaf(*loss.node());
  Function& g = gradient(module, name, positions, module.unique_name(graph_.entry + "_grad"), call.is_loss_first);
  g.set_public(false);
  call.callee = g.name();
  call.results = g.result_types();
  for (const auto& [wrt, position] : sources) call.gradient_by[wrt] = position + (call.is_loss_first ? 1 : 0);
  call.args.insert(call.args.end(), captured.begin(), captured.end());
  call.is_zero.resize(call.args.size(), false);
  return call;
}

std::shared_ptr<Module> reachable(const Module& module, const std::string& entry) {
  auto out = std::make_shared<Module>();
  out->name = module.name;
  std::vector<std::string> pending = {entry};
  while (!pending.empty()) {
    const std::string name = pending.back();
    pending.pop_back();
    if (out->find(name) != nullptr) continue;
    const Function& f = out->add(clone_function(module.get(name), name));
    for (uint32_t op = 0; op < f.num_ops(); ++op) {
      if (const Attr* callee = f.attrs(OpId{op}).find("callee")) pending.push_back(*callee->get_if<std::string>());
    }
  }
  return out;
}

}  // namespace weft::symbolic
