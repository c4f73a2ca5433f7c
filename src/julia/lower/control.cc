// Branches, loops, let, try.
#include <algorithm>

#include "julia/lower/lowerer.h"

namespace weft::julia {

FormId Lowerer::if_form(NodeId id, Use use) {
  const FormId condition = lower(child(id, 0));
  const FormId then = lower(child(id, 1), use);
  if (count(id) < 3) return form(FormKind::kIf, 0, {condition, then});
  return form(FormKind::kIf, 0, {condition, then, lower(child(id, 2), use)});
}

FormId Lowerer::while_form(NodeId id) {
  const FormId condition = lower(child(id, 0));
  loops_.push_back(1);
  std::vector<FormId> body;
  enter_scope(id, child(id, 1), false, body);
  body.push_back(effect(child(id, 1)));
  loops_.pop_back();
  return form(FormKind::kWhile, 0, {condition, block(body)});
}

FormId Lowerer::for_form(NodeId id) { return for_clause(id, 0); }

FormId Lowerer::for_clause(NodeId id, size_t clause) {
  const NodeId iteration = child(id, 0);
  const NodeId in = child(iteration, clause);
  if (count(in) < 2) return refuse("this iteration");
  const FormId iterable = lower(child(in, 1));
  NodeId variable = child(in, 0);
  const bool outer = is(variable, Kind::kOuter);
  if (outer) variable = child(variable, 0);
  const bool plain = !outer && is_identifier(variable) && is_local(variable);
  const SlotId slot = plain ? slot_of(variable_of(variable)) : temporary();
  std::vector<FormId> body;
  if (!plain) body.push_back(store(variable, local(slot)));
  if (clause + 1 < count(iteration)) {
    body.push_back(for_clause(id, clause + 1));
  } else {
    loops_.push_back(static_cast<uint32_t>(count(iteration)));
    enter_scope(id, child(id, 1), false, body);
    body.push_back(effect(child(id, 1)));
    loops_.pop_back();
  }
  return form(FormKind::kFor, slot, {iterable, block(body)});
}

FormId Lowerer::jump(NodeId id) {
  if (loops_.empty()) return refuse("a jump outside of loops");
  if (is(id, Kind::kContinue)) return form(FormKind::kContinue);
  return form(FormKind::kBreak, loops_.back() - 1);
}

FormId Lowerer::return_form(NodeId id) {
  FormId value = count(id) == 0 ? form(FormKind::kNothing) : lower(child(id, 0));
  if (return_type_) value = converted(value, local(*return_type_));
  return form(FormKind::kReturn, 0, {value});
}

FormId Lowerer::let_form(NodeId id, Use use) {
  std::vector<FormId> forms;
  const auto enter = [&](NodeId name) {
    if (is_identifier(name) && is_local(name)) forms.push_back(form(FormKind::kNewLocal, slot_of(variable_of(name))));
  };
  const auto enter_all = [&](auto&& self, NodeId target) -> void {
    if (is_identifier(target)) return enter(target);
    if (is(target, Kind::kDeclare)) return self(self, child(target, 0));
    for (const NodeId c : children(target)) self(self, c);
  };
  for (const NodeId b : children(child(id, 0))) {
    at_ = b;
    if (is(b, Kind::kAssign)) {
      // The value is that of the scope before: the new variable may have its name.
      const NodeId target = child(b, 0);
      const FormId value = lower(child(b, 1));
      if (is_stable(value)) {
        enter_all(enter_all, target);
        forms.push_back(store(target, value));
      } else {
        const SlotId t = temporary();
        forms.push_back(set_local(t, value));
        enter_all(enter_all, target);
        forms.push_back(store(target, local(t)));
      }
    } else if (is(b, Kind::kFunction)) {
      const NodeId callee = tree().callee(tree().signature_call(b));
      if (callee != kNoNode) enter(callee);
      forms.push_back(function(b));
    } else if (is(b, Kind::kDeclare) || is_identifier(b)) {
      enter(is(b, Kind::kDeclare) ? child(b, 0) : b);
    } else {
      forms.push_back(effect(b));
    }
  }
  at_ = id;
  const NodeId body = child(id, 1);
  enter_scope(id, body, false, forms);
  forms.push_back(lower(body, use));
  return block(forms);
}

FormId Lowerer::try_form(NodeId id, Use use) {
  const auto scope = [&](NodeId part, NodeId body, Use of) {
    std::vector<FormId> forms;
    enter_scope(part, body, false, forms);
    forms.push_back(lower(body, of));
    return block(forms);
  };
  FormId parts[4] = {kNoForm, kNoForm, kNoForm, kNoForm};
  uint32_t slot = kNoForm;
  for (const NodeId part : children(id)) {
    switch (kind(part)) {
      case Kind::kCatch: {
        const NodeId variable = child(part, 0);
        if (is_identifier(variable) && is_local(variable)) slot = slot_of(variable_of(variable));
        parts[1] = scope(part, child(part, 1), use);
        break;
      }
      case Kind::kElse: parts[2] = scope(part, child(part, 0), use); break;
      case Kind::kFinally: parts[3] = scope(part, child(part, 0), Use::kEffect); break;
      default: parts[0] = scope(part, part, use);
    }
  }
  for (FormId& p : parts) {
    if (p == kNoForm) p = missing_part();
  }
  return form(FormKind::kTry, slot, {parts[0], parts[1], parts[2], parts[3]});
}

/// Variables of the node's scopes that are declared in `body` begin anew. In a fresh frame only boxes need that.
void Lowerer::enter_scope(NodeId scope, NodeId body, bool fresh_frame, std::vector<FormId>& to) {
  const auto it = source_->scopes_of.find(scope);
  if (it == source_->scopes_of.end()) return;
  const NodeId first = first_of(body);
  for (const ScopeId s : it->second) {
    for (const VariableId v : source_->scopes.scopes[s].variables) {
      const Variable& variable = source_->scopes.variables[v];
      if (variable.role != Role::kLocal || variable.declared < first || variable.declared > body) continue;
      const bool boxed = variable.is_boxed();
      if (!boxed && (fresh_frame || is_assigned_first(v, body))) continue;
      const SlotId slot = slot_of(v);
      if (boxed && !code_.slots[slot].is_boxed) continue;  // a local function that is its own slot 0
      to.push_back(form(FormKind::kNewLocal, slot));
    }
  }
}

/// Whether nothing can read the variable before a statement of the block itself has given it a value.
bool Lowerer::is_assigned_first(VariableId v, NodeId body) const {
  const NodeId declared = source_->scopes.variables[v].declared;
  if (!is(body, Kind::kBlock)) return false;
  const auto statements = children(body);
  const auto it = std::ranges::lower_bound(statements, declared);
  if (it == statements.end()) return false;
  NodeId statement = *it;
  if (is(statement, Kind::kLocal) && count(statement) == 1) statement = child(statement, 0);
  if (!is(statement, Kind::kAssign)) return false;
  const NodeId target = child(statement, 0);
  if (declared > target || declared < first_of(target)) return false;
  if (!is_identifier(target) && !is(target, Kind::kTuple)) return false;
  // The nodes of the statements before and of this one's value.
  for (NodeId n = first_of(body); n < *it; ++n) {
    if (n != declared && is(n, Kind::kIdentifier) && source_->scopes[n] == v) return false;
  }
  return true;
}

}  // namespace weft::julia
