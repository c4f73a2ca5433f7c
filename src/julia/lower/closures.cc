// Functions that are values: what they capture, their objects.
#include <algorithm>

#include "julia/lower/inner.h"

namespace weft::julia {

Symbol Lowerer::closure_name(Symbol function) {
  const std::string number = "#" + std::to_string(++*source_->closures);
  return function ? "#" + function.text() + number : number;
}

/// The variables of the code around that code under the roots uses. What is declared under one of `own` is its own, except
/// under `callee`, which names a function and is no use of it either.
Captures Lowerer::captures_of(const std::vector<NodeId>& roots, NodeId callee, VariableId self,
                              const std::vector<NodeId>& own) {
  Captures out;
  const std::vector<NodeId>& owned = own.empty() ? roots : own;
  const auto is_own = [&](NodeId declared) {
    if (callee != kNoNode && declared == inner_name(callee)) return false;
    return std::ranges::any_of(owned, [&](NodeId r) { return declared >= first_of(r) && declared <= r; });
  };
  const auto collect = [&](auto&& walk, NodeId id) -> void {
    if (id == callee && is_identifier(id)) return;
    if (is(id, Kind::kIdentifier)) {
      const VariableId v = source_->scopes[id];
      if (v >= kNotAVariable || v == self) return;
      if (is_own(source_->scopes.variables[v].declared)) return;
      if (std::ranges::find(out, v, &Capture::variable) != out.end()) return;
      const auto slot = slots_.find(v);
      const bool boxed =
          slot == slots_.end() ? source_->scopes.variables[v].is_boxed() : code_.slots[slot->second].is_boxed;
      out.push_back({v, boxed});
      if (const auto type = source_->declared_types.find(v); type != source_->declared_types.end())
        walk(walk, type->second);
      return;
    }
    for (const NodeId c : children(id)) walk(walk, c);
  };
  for (const NodeId r : roots) collect(collect, r);
  return out;
}

std::vector<SlotId> Lowerer::slots_of(const Captures& captures) {
  std::vector<SlotId> out;
  out.reserve(captures.size());
  for (const Capture& c : captures) out.push_back(slot_of(c.variable));
  return out;
}

FormId Lowerer::closure(NodeId id) {
  const NodeId outside = std::exchange(at_, id);
  const Signature s = signature(id);
  if (has_misplaced_vararg(s)) {
    at_ = outside;
    return refuse("invalid \"...\" on non-final argument");
  }
  const Captures captures = captures_of({id}, kNoNode, kNoVariable);
  const Symbol name = closure_name();
  const FormId f =
      closure_form(methods(s, MethodForm::Callee::kClosure, kNoForm, name, captures, kNoVariable), name, captures);
  at_ = outside;
  return f;
}

/// The definition of a method of a local function: the function with all its methods.
FormId Lowerer::local_function(NodeId id, VariableId v) {
  const SlotId slot = slot_of(v);
  if (const auto it = local_functions_.find(v); it != local_functions_.end())
    return set_local(slot, form(FormKind::kClosure, it->second));
  // What stands inside another function is of that function's code.
  std::vector<NodeId> definitions;
  for (NodeId n = extent_, first = first_of(extent_); n >= first && n != kNoNode; --n) {
    const bool is_definition = is(n, Kind::kFunction);
    if (n == extent_ || (!is_definition && !is(n, Kind::kLambda) && !is(n, Kind::kDo))) continue;
    if (is_definition) {
      const NodeId callee = signature(n).callee;
      if (callee != kNoNode && is_identifier(tree().unparen(callee)) && variable_of(tree().unparen(callee)) == v)
        definitions.push_back(n);
    }
    n = first_of(n);
  }
  std::ranges::reverse(definitions);
  // Nothing else assigns the variable: inside, it is the callee itself.
  const VariableId self = source_->scopes.variables[v].assignments == definitions.size() ? v : kNoVariable;
  Captures captures;
  for (const NodeId d : definitions) {
    for (const Capture& c : captures_of({d}, tree().unparen(signature(d).callee), self)) {
      if (std::ranges::find(captures, c.variable, &Capture::variable) == captures.end()) captures.push_back(c);
    }
  }
  const Symbol name = closure_name(source_->scopes.variables[v].name);
  std::vector<MethodForm> all;
  for (const NodeId d : definitions) {
    if (count(d) < 2) continue;  // function f end
    at_ = d;
    for (MethodForm& m : methods(signature(d), MethodForm::Callee::kClosure, kNoForm, name, captures, self))
      all.push_back(std::move(m));
  }
  at_ = id;
  const FormId object = closure_form(std::move(all), name, captures);
  local_functions_[v] = code_.forms[object].a;
  return set_local(slot, object);
}

FormId Lowerer::closure_form(std::vector<MethodForm> methods, Symbol name, const Captures& captures) {
  ClosureForm closure;
  closure.name = name;
  closure.captures = slots_of(captures);
  closure.varies = std::ranges::any_of(methods, [&](const MethodForm& m) { return depends_on_surroundings(m); });
  closure.methods = std::move(methods);
  code_.closures.push_back(std::move(closure));
  return form(FormKind::kClosure, static_cast<uint32_t>(code_.closures.size() - 1));
}

/// Whether the argument types use values of the code around, which may be others the next time.
bool Lowerer::depends_on_surroundings(const MethodForm& m) const {
  std::vector<SlotId> own;
  const auto reads = [&](auto&& self, FormId id) -> bool {
    const Form& f = code_.forms[id];
    if (f.kind == FormKind::kTypeVar || f.kind == FormKind::kSetLocal) own.push_back(f.a);
    // The variables of a kWhere stand behind its body.
    if (f.kind == FormKind::kWhere) {
      for (const FormId c : code_.children_of(id).subspan(1)) {
        if (self(self, c)) return true;
      }
    }
    if (f.kind == FormKind::kLocal) return std::ranges::find(own, f.a) == own.end();
    return std::ranges::any_of(code_.children_of(id), [&](FormId c) { return self(self, c); });
  };
  return std::ranges::any_of(m.type_variables, [&](FormId f) { return reads(reads, f); }) ||
         std::ranges::any_of(m.argument_types, [&](FormId f) { return reads(reads, f); });
}

FormId Lowerer::hidden_closure(NodeId node, const std::vector<NodeId>& roots, const std::vector<NodeId>& patterns,
                               const Writer& write, bool with_argument) {
  std::vector<NodeId> own = roots;
  own.insert(own.end(), patterns.begin(), patterns.end());
  const Captures captures = captures_of(roots, kNoNode, kNoVariable, own);
  MethodForm m;
  m.how = MethodForm::Callee::kClosure;
  m.name = closure_name();
  if (with_argument) {
    m.argument_types.push_back(constant(Value::of_type(core().any)));
    m.argument_names.push_back("#unused#");
  }
  const LoweredSourcePtr source = source_;
  const Symbol name = m.name;
  const NodeId constructed = constructed_type_, constructor = constructor_;
  const bool dots = dots_, views = views_, is_top_level = is_top_level_;
  const auto make = [=] {
    auto code = std::make_unique<Code>();
    code->source = source;
    code->name = name;
    Lowerer inner(source, *code);
    inner.extent_ = inner.at_ = node;
    inner.constructed_type_ = constructed;
    inner.constructor_ = constructor;
    inner.is_top_level_ = is_top_level;
    inner.dots_ = dots;
    inner.views_ = views;
    inner.add_slot(name);
    SlotId argument = kNoForm;
    if (with_argument) {
      const bool plain = patterns.size() == 1 && inner.is_identifier(patterns[0]) && inner.is_local(patterns[0]);
      const VariableId v = plain ? inner.variable_of(patterns[0]) : kNotAVariable;
      const bool boxed = plain && source->scopes.variables[v].is_boxed();
      argument = inner.add_slot(plain ? inner.name_of(patterns[0]) : Symbol("#unused#"), v, boxed);
      if (boxed) code->boxed_arguments.push_back(argument);
      code->arguments = 1;
    }
    for (const Capture& c : captures)
      code->captures.push_back(inner.add_slot(source->scopes.variables[c.variable].name, c.variable, c.is_boxed));
    code->body = write(inner, argument);
    return code;
  };
  m.body = std::make_shared<Body>(source_, node, make);
  std::vector<MethodForm> methods;
  methods.push_back(std::move(m));
  return closure_form(std::move(methods), name, captures);
}

/// () -> node.
FormId Lowerer::thunk(NodeId node) {
  return hidden_closure(
      node, {node}, {},
      [node](Lowerer& inner, SlotId) {
        std::vector<FormId> forms;
        inner.enter_scope(node, node, true, forms);
        forms.push_back(inner.lower(node));
        return inner.block(forms);
      },
      false);
}

}  // namespace weft::julia
