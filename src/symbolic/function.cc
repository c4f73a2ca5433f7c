// function(): a graph becomes a module, the module an executable. Batched functions.
#include <algorithm>
#include <map>
#include <mutex>

#include "base/format.h"
#include "ir/clone.h"
#include "symbolic/compiled_function.h"
#include "symbolic/lower.h"
#include "transform/vectorize.h"

namespace weft {

using namespace symbolic;

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

void check_donations(const CompiledFunction& f) {
  std::vector<size_t> inputs, outputs;
  for (const auto& [input, output] : f.options.donations) {
    const std::string which = "donation of input " + std::to_string(input) + " to output " + std::to_string(output);
    if (input >= f.inputs.size() || output >= f.outputs.size()) {
      fail("function", f.loc,
           which + ": there are " + std::to_string(f.inputs.size()) + " inputs and " +
               std::to_string(f.outputs.size()) + " outputs");
    }
    const Type given = Type::tensor(f.inputs[input].element, f.inputs[input].shape);
    if (given != f.outputs[output])
      fail("function", f.loc,
           which + ": got " + given.str() + " for " + f.outputs[output].str() + ", expected one type");
    if (std::ranges::count(inputs, input) + std::ranges::count(outputs, output) > 0)
      fail("function", f.loc, which + ": one of them has another donation already");
    inputs.push_back(input);
    outputs.push_back(output);
  }
}

/// Makes the executable of what is written.
void compile(CompiledFunction& f) {
  check_donations(f);
  CompileOptions compile;
  compile.donations = f.options.donations;
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
