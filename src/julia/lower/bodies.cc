// The code of functions' bodies.
#include <algorithm>

#include "julia/lower/inner.h"

namespace weft::julia {

std::unique_ptr<Code> Lowerer::make_body(const LoweredSourcePtr& source, const Inner& inner) {
  auto code = std::make_unique<Code>();
  code->source = source;
  code->name = inner.name;
  Lowerer lowerer(source, *code);
  lowerer.begin_body(inner);
  if (inner.given < inner.signature.parameters.size()) {
    lowerer.shorter_method_body(inner);
  } else {
    lowerer.method_body(inner);
  }
  return code;
}

/// The slots that a call fills.
void Lowerer::begin_body(const Inner& inner) {
  const Signature& s = inner.signature;
  extent_ = at_ = s.node;
  constructed_type_ = inner.constructed_type;
  dots_ = inner.dots;
  views_ = inner.views;
  constructor_ = inner.constructor;
  is_constructor_ = inner.is_constructor;
  const NodeId callee = s.callee == kNoNode ? kNoNode : tree().unparen(s.callee);
  const auto add = [&](NodeId pattern) {
    if (pattern == kNoNode || !is_identifier(pattern) || is_underscore(pattern) || !is_local(pattern))
      return add_slot("#unused#");
    const VariableId v = variable_of(pattern);
    const bool boxed = source_->scopes.variables[v].is_boxed();
    const SlotId slot = add_slot(name_of(pattern), v, boxed);
    if (boxed) code_.boxed_arguments.push_back(slot);
    return slot;
  };
  if (callee != kNoNode && is(callee, Kind::kDeclare) && tree()[callee].has(Node::kInfix)) {
    add(child(callee, 0));
  } else {
    add_slot(inner.name, inner.self);
  }
  code_.arguments = static_cast<uint32_t>(inner.given);
  for (size_t i = 0; i < inner.given; ++i) add(s.parameters[i].pattern);
  if (inner.given == s.parameters.size() && inner.given > 0) {
    const Parameter& last = s.parameters.back();
    const NodeId head = last.type != kNoNode && is(last.type, Kind::kCurly) ? child(last.type, 0) : last.type;
    code_.has_vararg = last.is_vararg || (head != kNoNode && is_identifier(head) && name_of(head) == Symbol("Vararg"));
  }
  if (inner.given == s.parameters.size()) {
    for (const Parameter& k : s.keywords) {
      const SlotId slot = add(k.pattern);
      if (k.is_vararg) {
        code_.rest_keywords = slot;
      } else {
        code_.keywords.push_back({code_.slots[slot].name, slot, kNoForm, kNoForm});
      }
    }
  } else if (!s.keywords.empty()) {
    code_.rest_keywords = add_slot("#keywords");
  }
  for (const NodeId v : s.type_variables) {
    const NodeId name = type_variable_name(v);
    code_.type_parameters.push_back(is_identifier(name) && is_local(name) ? add_slot(name_of(name), variable_of(name))
                                                                          : add_slot("#unused#"));
  }
  for (const Capture& c : inner.captures)
    code_.captures.push_back(add_slot(source_->scopes.variables[c.variable].name, c.variable, c.is_boxed));
}

void Lowerer::method_body(const Inner& inner) {
  const Signature& s = inner.signature;
  size_t next = 0;
  for (const Parameter& k : s.keywords) {
    if (k.is_vararg) continue;
    const FormId type = k.type == kNoNode ? kNoForm : lower(k.type);
    const FormId value = k.value == kNoNode ? kNoForm : lower(k.value);
    code_.keywords[next].type = type;
    code_.keywords[next].default_value = value;
    ++next;
  }
  std::vector<FormId> forms;
  if (s.return_type != kNoNode) {
    return_type_ = add_slot("#return type");
    forms.push_back(set_local(*return_type_, lower(s.return_type)));
  }
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    const NodeId pattern = s.parameters[i].pattern;
    if (pattern != kNoNode && !is_identifier(pattern))
      forms.push_back(store(pattern, local(static_cast<SlotId>(i + 1))));
  }
  enter_scope(s.node, s.body, true, forms);
  FormId value = lower(s.body);
  if (return_type_) value = converted(value, local(*return_type_));
  forms.push_back(value);
  at_ = s.node;
  code_.body = block(forms);
}

/// f(x) of f(x, y = 1; k...): calls f(x, 1; k...).
void Lowerer::shorter_method_body(const Inner& inner) {
  const Signature& s = inner.signature;
  std::vector<FormId> forms, arguments;
  for (size_t i = 0; i < inner.given; ++i) arguments.push_back(local(static_cast<SlotId>(i + 1)));
  for (size_t i = inner.given; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    if (p.value == kNoNode) break;  // the vararg
    FormId value = lower(p.value);
    if (p.pattern != kNoNode && is_identifier(p.pattern) && is_local(p.pattern)) {
      const SlotId slot = slot_of(variable_of(p.pattern));
      if (code_.slots[slot].is_boxed) forms.push_back(form(FormKind::kNewLocal, slot));
      forms.push_back(set_local(slot, value));
      value = local(slot);
    }
    arguments.push_back(value);
  }
  CallSite site;
  if (code_.rest_keywords != kNoForm) {
    site.keywords.push_back(Symbol());
    arguments.push_back(local(code_.rest_keywords));
  }
  forms.push_back(call(local(0), arguments, site));
  code_.body = block(forms);
}

}  // namespace weft::julia
