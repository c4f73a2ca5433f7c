#include "transform/inline.h"

#include <algorithm>
#include <unordered_map>

#include "ir/clone.h"
#include "ops/control_flow/region_flow.h"

namespace weft {
namespace {

/// The functions of a module as a graph of calls; which of them lie on a cycle.
class CallGraph {
 public:
  explicit CallGraph(const Module& module) : module_(module) {}

  bool is_recursive(const std::string& name) {
    visit(name);
    return nodes_.at(name).on_cycle;
  }
  const std::vector<std::string>& callees(const std::string& name) {
    visit(name);
    return nodes_.at(name).callees;
  }

 private:
  struct Node {
    std::vector<std::string> callees;
    size_t index = 0, low = 0;
    bool on_stack = false, on_cycle = false;
  };

  void collect(const Function& f, RegionId region, std::vector<std::string>& out) {
    for (OpId op : f.ops(region)) {
      if (const std::string* name = callee(OpView{f, op})) out.push_back(*name);
      for (RegionId r : f.regions(op)) collect(f, r, out);
    }
  }

  // Tarjan's strongly connected components.
  void visit(const std::string& name) {
    if (nodes_.contains(name)) return;
    Node& node = nodes_[name];
    node.index = node.low = ++counter_;
    node.on_stack = true;
    stack_.push_back(name);
    if (const Function* f = module_.find(name)) collect(*f, f->body(), node.callees);
    for (const std::string& next : node.callees) {
      if (next == name) node.on_cycle = true;
      visit(next);
      const Node& other = nodes_.at(next);
      if (other.on_stack) node.low = std::min(node.low, other.low);
    }
    if (node.low != node.index) return;
    const bool several = stack_.back() != name;
    for (;;) {
      const std::string top = stack_.back();
      stack_.pop_back();
      Node& member = nodes_.at(top);
      member.on_stack = false;
      member.on_cycle = member.on_cycle || several;
      if (top == name) return;
    }
  }

  const Module& module_;
  std::unordered_map<std::string, Node> nodes_;
  std::vector<std::string> stack_;
  size_t counter_ = 0;
};

class Inliner {
 public:
  Inliner(const Module& module, const Function& f, const KeepsCall& keeps)
      : module_(module), graph_(module), f_(f), keeps_(keeps) {}

  std::unique_ptr<Function> run() {
    auto out = std::make_unique<Function>(f_.name());
    to_ = out.get();
    copy_signature(f_, *to_);
    ValueMap map(f_);
    for (Value v : f_.args()) map.set(v, to_->add_arg(to_->body(), f_.type(v)));
    copy(f_, f_.body(), to_->body(), map, /*with_terminator=*/true, /*is_open=*/true);
    return out;
  }

 private:
  /// is_open: the region runs as steps of the function, not as the body of an op that computes elements.
  std::vector<Value> copy(const Function& from, RegionId source, RegionId region, ValueMap& map, bool with_terminator,
                          bool is_open) {
    std::vector<Value> results;
    for (OpId id : from.ops(source)) {
      const OpView op{from, id};
      std::vector<Value> operands;
      for (Value v : op.operands()) operands.push_back(map.at(v));
      if (op.def().is_terminator) {
        results = operands;
        if (!with_terminator) continue;
      }
      const std::string* name = is_plain_call(op) ? callee(op) : nullptr;
      const Function* target = name == nullptr ? nullptr : module_.find(*name);
      const bool may_inline = target != nullptr && target->terminator(target->body()) && !graph_.is_recursive(*name);
      if (may_inline && !(keeps_ && is_open && keeps_(*target, values_from_constants(operands)))) {
        ValueMap inner(*target);
        for (size_t i = 0; i < operands.size(); ++i) inner.set(target->args()[i], operands[i]);
        const std::vector<Value> values =
            copy(*target, target->body(), region, inner, /*with_terminator=*/false, is_open);
        for (size_t i = 0; i < op.num_results(); ++i) map.set(op.result(i), values.at(i));
        continue;
      }
      std::vector<RegionId> regions;
      for (RegionId r : op.regions()) {
        const RegionId copied = to_->new_region();
        for (Value v : from.args(r)) map.set(v, to_->add_arg(copied, from.type(v)));
        copy(from, r, copied, map, /*with_terminator=*/true, is_open && region_flow(op).is_open);
        regions.push_back(copied);
      }
      std::vector<Type> types;
      for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
      const OpId made = to_->append(region, op.def(), operands, from.shared_attrs(id), types, regions, op.loc());
      for (size_t i = 0; i < types.size(); ++i) map.set(op.result(i), to_->result(made, i));
    }
    return results;
  }

  bool values_from_constants(std::span<const Value> values) const {
    return std::ranges::all_of(values, [&](Value v) {
      const OpId op = to_->defining_op(v);
      return op && to_->def(op).mnemonic == "stablehlo.constant";
    });
  }

  const Module& module_;
  CallGraph graph_;
  const Function& f_;
  const KeepsCall& keeps_;
  Function* to_ = nullptr;
};

/// Depth-first search for a call back into the path.
bool find_chain(CallGraph& graph, const std::string& name, std::vector<std::string>& path,
                std::unordered_map<std::string, bool>& done) {
  path.push_back(name);
  for (const std::string& next : graph.callees(name)) {
    for (size_t i = 0; i < path.size(); ++i) {
      if (path[i] != next) continue;
      path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i));
      path.push_back(next);
      return true;
    }
    if (!done[next] && find_chain(graph, next, path, done)) return true;
  }
  done[name] = true;
  path.pop_back();
  return false;
}

const Function* find_declaration(const Module& module, CallGraph& graph, const std::string& name,
                                 std::unordered_map<std::string, bool>& seen) {
  if (seen[name]) return nullptr;
  seen[name] = true;
  const Function* f = module.find(name);
  if (f == nullptr || f->is_declaration()) return f;
  for (const std::string& next : graph.callees(name)) {
    if (const Function* found = find_declaration(module, graph, next, seen)) return found;
  }
  return nullptr;
}

}  // namespace

const Function* called_declaration(const Module& module, const Function& f) {
  CallGraph graph(module);
  std::unordered_map<std::string, bool> seen;
  return find_declaration(module, graph, f.name(), seen);
}

std::unique_ptr<Function> inline_calls(const Module& module, const Function& f, const KeepsCall& keeps) {
  return Inliner(module, f, keeps).run();
}

bool is_recursive(const Module& module, const std::string& name) { return CallGraph(module).is_recursive(name); }

std::string recursion_chain(const Module& module, const Function& f) {
  CallGraph graph(module);
  std::vector<std::string> path;
  std::unordered_map<std::string, bool> done;
  if (!find_chain(graph, f.name(), path, done)) return {};
  std::string text = "@" + path[0];
  for (size_t i = 1; i < path.size(); ++i) text += " calls @" + path[i];
  return text;
}

}  // namespace weft
