#include "symbolic/lower.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/derivative_rule.h"

namespace weft::symbolic {
namespace {

bool is_leaf(const Node& n) {
  return n.kind == NodeKind::kPlaceholder || n.kind == NodeKind::kVariable || n.kind == NodeKind::kRegionArg;
}

/// Becomes a call of a function made for it.
bool is_call(const Node& n) {
  return n.kind == NodeKind::kGrad || n.kind == NodeKind::kDerivative || n.kind == NodeKind::kPfor ||
         n.kind == NodeKind::kCall;
}

bool is_owned(const Node& n, const Body& body) {
  return n.depends_on(body.scope) || (n.id >= body.first_node && n.id < body.end_node);
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
  if (is_call(n)) {
    std::shared_ptr<Call>& call = calls_[&n];
    if (call == nullptr) {
      call = std::make_shared<Call>(make_call(n, level));
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
  if (!is_call(n)) {
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
    case NodeKind::kPfor:
    case NodeKind::kCall: return set(n, level, emit_call(*calls_[&n], level, n.loc));
    case NodeKind::kDerivative: return emit_derivative(n, level);
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

void Lowerer::emit_derivative(const Node& n, size_t level) {
  const Call& call = *calls_[&n];
  std::vector<Value> values;
  if (!call.callee.empty()) values = emit_call(call, level, n.loc);
  OpBuilder& b = levels_[level]->builder;
  b.loc = n.loc;
  std::vector<Value> out;
  for (size_t i = 0; i < n.types.size(); ++i) {
    const size_t from = i < call.picks.size() ? call.picks[i] : Call::kZero;
    out.push_back(from == Call::kZero ? b.zeros(n.types[i]) : values[from]);
  }
  set(n, level, out);
}

void Lowerer::close(std::span<const Expr> results) {
  std::vector<Value> values;
  for (const Expr& e : results) values.push_back(lower(e));
  levels_[0]->builder.yield(values);
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
    for (const std::string& rule : derivative_rule(f).functions()) pending.push_back(rule);
  }
  return out;
}

}  // namespace weft::symbolic
