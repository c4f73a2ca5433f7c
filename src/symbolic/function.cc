// function(): a graph becomes a module, the module an executable; calls with locks, leases of result memory, and bound calls.
#include <algorithm>
#include <map>
#include <mutex>

#include "base/format.h"
#include "ir/target.h"
#include "symbolic/lower.h"
#include "text/print.h"

namespace weft {
namespace symbolic {

/// Memory of one call's results, with the tables of pointers that a call passes on.
struct ResultSet {
  std::vector<Tensor> tensors;
  std::vector<const void*> in;
  std::vector<void*> out;
};

struct CompiledFunction {
  struct Input {
    std::string name;
    ElementType element;
    Shape shape;
    Loc loc;
  };
  struct Bound {
    std::shared_ptr<VariableState> state;
    bool is_updated = false;
  };
  std::string name;
  Loc loc;
  std::shared_ptr<const Module> module;
  std::unique_ptr<Executable> executable;
  std::vector<Input> inputs;
  std::vector<Type> outputs;
  std::vector<Bound> variables;   // arguments after the inputs
  std::vector<size_t> updated;    // results after the outputs: positions in `variables`
  std::vector<Bound> lock_order;  // by address, so that no two calls wait for each other
  std::mutex mutex;
  std::vector<std::unique_ptr<ResultSet>> idle;

  std::unique_ptr<ResultSet> make_set() const;
  ResultSet* lease();
  void give_back(ResultSet* set);
  void check_argument(size_t i, const Tensor& t) const;
  bool overlaps_update(const Tensor& t) const;
  void invoke(const void* const* in, void* const* out);
};

namespace {

Tensor tensor_of(Type t) { return Tensor(t.element_type(), Shape(t.shape().begin(), t.shape().end())); }

/// Holds the variables of a call: shared for reading, alone for updating.
class VariableLocks {
 public:
  explicit VariableLocks(const std::vector<CompiledFunction::Bound>& variables) : variables_(variables) {
    for (const auto& v : variables_) v.is_updated ? v.state->mutex.lock() : v.state->mutex.lock_shared();
  }
  ~VariableLocks() {
    for (const auto& v : variables_) v.is_updated ? v.state->mutex.unlock() : v.state->mutex.unlock_shared();
  }
  VariableLocks(const VariableLocks&) = delete;
  VariableLocks& operator=(const VariableLocks&) = delete;

 private:
  const std::vector<CompiledFunction::Bound>& variables_;
};

}  // namespace

std::unique_ptr<ResultSet> CompiledFunction::make_set() const {
  auto set = std::make_unique<ResultSet>();
  set->in.resize(inputs.size());
  for (const Bound& v : variables) set->in.push_back(v.state->storage.raw());
  for (Type t : outputs) {
    set->tensors.push_back(tensor_of(t));
    set->out.push_back(set->tensors.back().raw());
  }
  for (size_t v : updated) set->out.push_back(variables[v].state->storage.raw());
  return set;
}

ResultSet* CompiledFunction::lease() {
  std::unique_ptr<ResultSet> set;
  {
    const std::lock_guard lock(mutex);
    if (!idle.empty()) {
      set = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (set == nullptr) return make_set().release();
  for (size_t i = 0; i < set->tensors.size(); ++i) {
    // Somebody still holds a tensor of an earlier call: that memory is theirs now.
    if (!set->tensors[i].buffer().unique()) set->tensors[i] = tensor_of(outputs[i]);
    set->out[i] = set->tensors[i].raw();
  }
  return set.release();
}

void CompiledFunction::give_back(ResultSet* set) {
  const std::lock_guard lock(mutex);
  idle.emplace_back(set);
}

void CompiledFunction::check_argument(size_t i, const Tensor& t) const {
  const Input& expected = inputs[i];
  if (t.element_type() == expected.element && t.shape() == expected.shape && t) return;
  const std::string label =
      "argument " + std::to_string(i) + (expected.name.empty() ? "" : " \"" + expected.name + "\"");
  fail(name, expected.loc,
       label + ": got " + (t ? Type::tensor(t.element_type(), t.shape()).str() : "an empty tensor handle") +
           ", expected " + Type::tensor(expected.element, expected.shape).str());
}

bool CompiledFunction::overlaps_update(const Tensor& t) const {
  const auto* begin = static_cast<const std::byte*>(t.raw());
  return std::ranges::any_of(updated, [&](size_t v) {
    const Tensor& s = variables[v].state->storage;
    const auto* first = static_cast<const std::byte*>(s.raw());
    return std::less<>()(begin, first + s.size_bytes()) && std::less<>()(first, begin + t.size_bytes());
  });
}

void CompiledFunction::invoke(const void* const* in, void* const* out) {
  const VariableLocks locks(lock_order);
  executable->invoke(in, out);
}

}  // namespace symbolic

using namespace symbolic;

// ---- calls ----------------------------------------------------------------------------------------------------------

Results::Results(std::shared_ptr<CompiledFunction> owner, ResultSet* set) : owner_(std::move(owner)), set_(set) {}
Results::Results(Results&& other) noexcept
    : owner_(std::move(other.owner_)), set_(std::exchange(other.set_, nullptr)) {}
Results& Results::operator=(Results&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(set_, other.set_);
  return *this;
}
Results::~Results() {
  if (set_ != nullptr) owner_->give_back(set_);
}
size_t Results::size() const { return set_ == nullptr ? 0 : set_->tensors.size(); }
const Tensor& Results::operator[](size_t i) const {
  if (i >= size()) {
    throw UserError("[results] there is no such output: got " + std::to_string(i) + ", expected an index below " +
                        std::to_string(size()),
                    owner_ ? owner_->loc : Loc{});
  }
  return set_->tensors[i];
}

Results CompiledGraph::call(std::span<const Tensor* const> args) const {
  if (state_ == nullptr) throw UserError("[call] an empty function is called: make it with function(...) first");
  CompiledFunction& f = *state_;
  if (args.size() != f.inputs.size()) {
    fail(f.name, f.loc,
         "number of arguments: got " + std::to_string(args.size()) + ", expected " + std::to_string(f.inputs.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) f.check_argument(i, *args[i]);
  Results results(state_, f.lease());
  ResultSet& set = *results.set_;
  std::vector<Tensor> copies;
  for (size_t i = 0; i < args.size(); ++i) {
    set.in[i] = args[i]->raw();
    if (!f.overlaps_update(*args[i])) continue;
    copies.push_back(args[i]->clone());  // the argument is a variable's own memory, which the call is about to change
    set.in[i] = copies.back().raw();
  }
  f.invoke(set.in.data(), set.out.data());
  return results;
}

BoundCall CompiledGraph::bind(std::vector<Tensor> args) const {
  if (state_ == nullptr) throw UserError("[bind] an empty function is bound: make it with function(...) first");
  CompiledFunction& f = *state_;
  if (args.size() != f.inputs.size()) {
    fail(f.name, f.loc,
         "number of arguments: got " + std::to_string(args.size()) + ", expected " + std::to_string(f.inputs.size()));
  }
  BoundCall bound;
  bound.function_ = state_;
  bound.results_ = Results(state_, f.lease());
  for (size_t i = 0; i < args.size(); ++i) {
    f.check_argument(i, args[i]);
    if (f.overlaps_update(args[i])) {
      fail(f.name, f.inputs[i].loc,
           "argument " + std::to_string(i) + " is the memory of a variable that the call updates: bind a clone of it");
    }
    bound.results_.set_->in[i] = args[i].raw();
  }
  bound.prepared_ = f.executable->bind(bound.results_.set_->in, bound.results_.set_->out);
  bound.args_ = std::move(args);
  return bound;
}

void BoundCall::run() {
  if (function_ == nullptr) throw UserError("[run] an empty call is run: make it with bind(...) first");
  const VariableLocks locks(function_->lock_order);
  prepared_->run();
}

std::string CompiledGraph::text() const { return state_ ? print_module(*state_->module) : ""; }
std::string CompiledGraph::explain() const { return state_ ? state_->executable->explain() : ""; }

// ---- compilation ----------------------------------------------------------------------------------------------------

namespace {

std::string place(const Loc& loc) {
  return loc.known() ? *loc.file + ":" + std::to_string(loc.line) : "an unknown line";
}

std::string label(std::string_view kind, const Node& n) {
  return (n.name.empty() ? "an unnamed " + std::string(kind) : std::string(kind) + " \"" + n.name + "\"") +
         " (made at " + place(n.loc) + ")";
}

void check_inputs(const std::vector<Expr>& inputs, const Loc& loc) {
  std::map<const Node*, size_t> seen;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string which = "input " + std::to_string(i);
    if (!inputs[i].has_value()) fail("function", loc, which + " is an empty expression: expected a placeholder");
    const Node& n = *inputs[i].node();
    if (n.kind != NodeKind::kPlaceholder) {
      fail("function", loc,
           which + " is not a placeholder: got " +
               (n.kind == NodeKind::kVariable ? label("variable", n) : "an expression made at " + place(n.loc)) +
               ", expected a placeholder");
    }
    if (const auto [it, is_new] = seen.emplace(&n, i); !is_new) {
      fail("function", loc,
           "inputs " + std::to_string(it->second) + " and " + std::to_string(i) + " are the same: got " +
               label("placeholder", n) + " twice, expected distinct placeholders");
    }
  }
}

void check_updates(const updates& changes, const Loc& loc) {
  std::map<const Node*, size_t> seen;
  for (size_t i = 0; i < changes.size(); ++i) {
    const auto& [variable, value] = changes[i];
    if (!variable.has_value() || !value.has_value())
      fail("function", loc, "update " + std::to_string(i) + " is empty: expected a variable and its new value");
    const Node& n = *variable.node();
    if (const auto [it, is_new] = seen.emplace(&n, i); !is_new) {
      fail("function", loc,
           "updates " + std::to_string(it->second) + " and " + std::to_string(i) + " are of one variable: got " +
               label("variable", n) + " with the values made at " + place(changes[it->second].value.node()->loc) +
               " and " + place(value.node()->loc) + ", expected one update for each variable");
    }
    if (type_of(value) != type_of(variable)) {
      fail("function", value.node()->loc,
           "the update of " + label("variable", n) + " has another type: got " + describe(value) + ", expected " +
               describe(variable));
    }
  }
}

}  // namespace

CompiledGraph function(std::vector<Expr> inputs, std::vector<Expr> outputs, updates changes, FunctionOptions options,
                       std::source_location where) {
  const Loc loc = to_loc(where);
  check_inputs(inputs, loc);
  check_updates(changes, loc);
  // Updates first: a gradient that brings the loss along spares computing it again.
  std::vector<Expr> roots;
  for (const Update& u : changes) roots.push_back(u.value);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].has_value())
      fail("function", loc,
           "output " + std::to_string(i) + " is an empty expression: expected one made by an operation");
    roots.push_back(outputs[i]);
  }

  auto state = std::make_shared<CompiledFunction>();
  state->name = options.name;
  state->loc = loc;
  Module module;
  Graph graph(module, options.name, roots);
  auto main = std::make_unique<Function>(options.name);
  main->set_loc(loc);
  std::map<const Node*, size_t> variable_index;
  const auto variable_argument = [&](const Node& n) {
    const auto [it, is_new] = variable_index.emplace(&n, state->variables.size());
    if (is_new) state->variables.push_back({n.variable, false});
    return is_new ? main->add_arg(main->body(), n.types[0], n.loc) : main->args()[inputs.size() + it->second];
  };
  Lowerer lowerer(
      graph, *main, [](const Node&) { return true; },
      [&](const Ref& r) -> Value {
        const Node& n = *r.node;
        if (n.kind == NodeKind::kVariable) return variable_argument(n);
        if (n.kind == NodeKind::kPlaceholder) {
          fail("function", loc,
               "the program needs " + label("placeholder", n) + ", which is not among the inputs: add it to them");
        }
        fail("function", n.loc,
             "an argument of a loop body (made at " + place(n.loc) +
                 ") is used outside of it: return it from the body instead");
      });
  for (const Expr& e : inputs) {
    const Node& n = *e.node();
    lowerer.bind(e, main->add_arg(main->body(), n.types[0], n.loc));
    state->inputs.push_back({n.name, e.element_type(), e.shape(), n.loc});
  }
  for (const Expr& e : roots) lowerer.lower(e);
  std::vector<Expr> results = outputs;
  for (const Update& u : changes) {
    results.push_back(u.value);
    const Node& n = *u.variable.node();
    variable_argument(n);
    state->variables[variable_index.at(&n)].is_updated = true;
    state->updated.push_back(variable_index.at(&n));
  }
  lowerer.close(results);
  module.add(std::move(main));
  state->module = reachable(module, options.name);

  CompileOptions compile;
  compile.partitions = options.partitions;
  compile.contract = options.contract;
  compile.memory_limit = options.memory_limit;
  for (size_t i = 0; i < state->updated.size(); ++i)
    compile.donations.emplace_back(inputs.size() + state->updated[i], outputs.size() + i);
  for (const Expr& e : outputs) state->outputs.push_back(type_of(e));
  state->lock_order = state->variables;
  std::ranges::sort(state->lock_order, std::less<>(), [](const CompiledFunction::Bound& b) { return b.state.get(); });
  state->executable = get_target(options.target).compile(state->module, options.name, compile);

  CompiledGraph compiled;
  compiled.state_ = std::move(state);
  return compiled;
}

}  // namespace weft
