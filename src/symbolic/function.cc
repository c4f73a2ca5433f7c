// function(): a graph becomes a module, the module an executable; calls with locks, leases of result memory, and bound calls.
#include <algorithm>
#include <map>
#include <mutex>

#include "base/format.h"
#include "ir/clone.h"
#include "ir/target.h"
#include "symbolic/lower.h"
#include "text/print.h"
#include "transform/vectorize.h"

namespace weft {
namespace symbolic {

/// Memory of one call's results, with the tables of pointers that a call passes on.
struct ResultSet {
  std::vector<Tensor> tensors;
  std::vector<const void*> in;
  std::vector<void*> out;
};

/// A function over examples: compiled once for each number of them.
struct Batches {
  std::shared_ptr<CompiledFunction> one;
  std::vector<int64_t> axes;  // of the examples, one for each input; -1: none
  Loc loc;
  std::mutex mutex;
  std::vector<std::pair<int64_t, CompiledGraph>> compiled;  // by number, the one used last at the end

  static constexpr size_t kKept = 16;
  int64_t examples(std::span<const Tensor* const> args) const;
  CompiledGraph of(int64_t examples);
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
  FunctionOptions options;
  std::unique_ptr<Batches> batches;  // then nothing but inputs and outputs below is set
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
  void check_count(size_t args) const;
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

void CompiledFunction::check_count(size_t args) const {
  if (args != inputs.size()) {
    fail(name, loc, "number of arguments: got " + std::to_string(args) + ", expected " + std::to_string(inputs.size()));
  }
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
  f.check_count(args.size());
  if (f.batches != nullptr) return f.batches->of(f.batches->examples(args)).call(args);
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
  f.check_count(args.size());
  if (f.batches != nullptr) {
    std::vector<const Tensor*> table;
    for (const Tensor& t : args) table.push_back(&t);
    return f.batches->of(f.batches->examples(table)).bind(std::move(args));
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

std::string CompiledGraph::text() const {
  if (state_ == nullptr) return "";
  return state_->batches != nullptr ? CompiledGraph(state_->batches->one).text() : print_module(*state_->module);
}
std::string CompiledGraph::explain() const {
  if (state_ == nullptr) return "";
  if (state_->batches == nullptr) return state_->executable->explain();
  const std::lock_guard lock(state_->batches->mutex);
  std::string out;
  for (const auto& [examples, graph] : state_->batches->compiled)
    out += "for " + std::to_string(examples) + " examples:\n" + graph.explain();
  return out;
}

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

/// Makes the executable of what is written.
void compile(CompiledFunction& f) {
  CompileOptions compile;
  compile.partitions = f.options.partitions;
  compile.contract = f.options.contract;
  compile.memory_limit = f.options.memory_limit;
  for (size_t i = 0; i < f.updated.size(); ++i)
    compile.donations.emplace_back(f.inputs.size() + f.updated[i], f.outputs.size() + i);
  f.lock_order = f.variables;
  std::ranges::sort(f.lock_order, std::less<>(), [](const CompiledFunction::Bound& b) { return b.state.get(); });
  std::string target = f.options.target;
  if (f.options.devices < 0) {
    fail("function", f.loc,
         "devices: got " + std::to_string(f.options.devices) + ", expected 1 or more, or 0 for as many as meshes have");
  }
  if (f.options.devices > 0 && target.starts_with("pjrt:")) {
    target += ",devices=" + std::to_string(f.options.devices);
  } else if (f.options.devices > 1) {
    fail("function", f.loc,
         "devices: got " + std::to_string(f.options.devices) + " on target " + target +
             ", which is one device; expected target \"pjrt:…\"");
  }
  f.executable = get_target(target).compile(f.module, f.options.name, compile);
}

}  // namespace

// ---- examples -------------------------------------------------------------------------------------------------------

int64_t symbolic::Batches::examples(std::span<const Tensor* const> args) const {
  int64_t n = -1;
  for (size_t i = 0; i < args.size(); ++i) {
    if (axes[i] < 0) {
      one->check_argument(i, *args[i]);
      continue;
    }
    const CompiledFunction::Input& expected = one->inputs[i];
    Shape rest = args[i]->shape();
    const bool has_axis = rest.size() == expected.shape.size() + 1;
    const int64_t here = has_axis ? rest[static_cast<size_t>(axes[i])] : 0;
    if (has_axis) rest.erase(rest.begin() + axes[i]);
    if (!*args[i] || args[i]->element_type() != expected.element || rest != expected.shape || (n >= 0 && here != n)) {
      fail(one->name, loc,
           "argument " + std::to_string(i) + ": got " +
               (*args[i] ? Type::tensor(args[i]->element_type(), args[i]->shape()).str() : "an empty tensor handle") +
               ", expected " + (n >= 0 ? std::to_string(n) + " examples" : "examples along an axis put") + " at axis " +
               std::to_string(axes[i]) + " of " + Type::tensor(expected.element, expected.shape).str());
    }
    n = here;
  }
  return n;
}

CompiledGraph symbolic::Batches::of(int64_t examples) {
  const std::lock_guard lock(mutex);
  const auto it = std::ranges::find(compiled, examples, &std::pair<int64_t, CompiledGraph>::first);
  if (it != compiled.end()) {
    std::rotate(it, it + 1, compiled.end());
    return compiled.back().second;
  }
  if (compiled.size() == kKept) compiled.erase(compiled.begin());
  auto made = std::make_shared<CompiledFunction>();
  made->name = one->name;
  made->loc = loc;
  made->options = one->options;
  made->inputs = one->inputs;
  made->variables = one->variables;
  std::vector<int64_t> lanes = axes;
  lanes.resize(axes.size() + one->variables.size(), kUniform);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] >= 0) made->inputs[i].shape.insert(made->inputs[i].shape.begin() + axes[i], examples);
  }
  const std::shared_ptr<Module> module = clone_module(*one->module);
  made->outputs = vectorize(*module, one->options.name, lanes, examples, {.name = one->options.name}).result_types();
  made->module = module;
  compile(*made);
  return compiled.emplace_back(examples, CompiledGraph(made)).second;
}

CompiledGraph CompiledGraph::batched(std::vector<int64_t> axes, std::source_location where) const {
  const Loc loc = to_loc(where);
  if (state_ == nullptr) fail("batched", loc, "an empty function is batched: make it with function(...) first");
  if (state_->batches != nullptr)
    fail("batched", loc, "a batched function is batched: batch the function of one example in a function of its own");
  if (!state_->updated.empty()) {
    fail("batched", loc,
         "the function updates the variable \"" + state_->variables[state_->updated[0]].state->name +
             "\": expected one that updates none, since every example would write it");
  }
  const size_t n = state_->inputs.size();
  if (axes.empty()) axes.assign(n, 0);
  if (axes.size() != n) {
    fail("batched", loc,
         "axes: got " + std::to_string(axes.size()) + ", expected one for each of " + std::to_string(n) + " arguments");
  }
  for (size_t i = 0; i < n; ++i) {
    const auto rank = static_cast<int64_t>(state_->inputs[i].shape.size());
    if (axes[i] < -1 || axes[i] > rank) {
      fail("batched", loc,
           "axis of argument " + std::to_string(i) + ": got " + std::to_string(axes[i]) + ", expected 0 to " +
               std::to_string(rank) + ", or -1 for one value for all examples");
    }
  }
  if (std::ranges::all_of(axes, [](int64_t a) { return a < 0; }))
    fail("batched", loc, "no argument has examples: expected an axis of 0 or more for one of them");
  auto made = std::make_shared<CompiledFunction>();
  made->name = state_->name;
  made->loc = loc;
  made->inputs = state_->inputs;
  made->batches = std::make_unique<Batches>();
  made->batches->one = state_;
  made->batches->axes = std::move(axes);
  made->batches->loc = loc;
  return CompiledGraph(std::move(made));
}

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
  state->options = options;
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

  for (const Expr& e : outputs) state->outputs.push_back(type_of(e));
  compile(*state);
  return CompiledGraph(std::move(state));
}

}  // namespace weft
