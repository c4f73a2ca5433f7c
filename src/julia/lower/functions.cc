// Definitions of functions: signatures, the methods that they make.
#include <algorithm>

#include "julia/lower/inner.h"

namespace weft::julia {

void Lowerer::add_parameter(NodeId id, Signature& s, bool keyword) const {
  if (is(id, Kind::kParameters)) {
    for (const NodeId c : children(id)) add_parameter(c, s, true);
    return;
  }
  Parameter p;
  p.node = id;
  NodeId rest = id;
  const auto open_macro = [&] {
    // @nospecialize(x)
    while (is(rest, Kind::kMacroCall) && count(rest) == 2) rest = child(rest, 1);
  };
  open_macro();
  if (is(rest, Kind::kAssign)) {
    p.value = child(rest, 1);
    rest = child(rest, 0);
  }
  open_macro();
  if (is(rest, Kind::kSplat)) {
    p.is_vararg = true;
    rest = child(rest, 0);
  }
  if (is(rest, Kind::kDeclare)) {
    p.type = children(rest).back();
    rest = tree()[rest].has(Node::kInfix) ? child(rest, 0) : kNoNode;
  }
  p.pattern = rest == kNoNode ? kNoNode : tree().unparen(rest);
  (keyword ? s.keywords : s.parameters).push_back(p);
}

Signature Lowerer::signature(NodeId id) const {
  Signature s;
  s.node = id;
  if (count(id) > 1) s.body = child(id, 1);
  NodeId head = child(id, 0);
  std::vector<NodeId> variables;
  while (true) {
    const Node& n = tree()[head];
    if (n.kind == Kind::kWhere) {
      for (const NodeId v : children(head).subspan(1)) {
        if (is(v, Kind::kBraces)) {
          variables.insert(variables.end(), children(v).begin(), children(v).end());
        } else {
          variables.push_back(v);
        }
      }
    } else if (n.kind == Kind::kDeclare && n.has(Node::kInfix) && is(id, Kind::kFunction) &&
               !is_identifier(child(head, 0))) {
      s.return_type = child(head, 1);
    } else if (n.kind != Kind::kParens || n.count != 1) {
      break;
    }
    head = child(head, 0);
  }
  s.type_variables = std::move(variables);
  if (is(head, Kind::kCall)) {
    s.callee = tree().callee(head);
    for (const NodeId c : children(head)) {
      // -(x::T): the parentheses of an operator's only operand are those of the call.
      if (c != s.callee) add_parameter(tree().unparen(c), s, false);
    }
  } else if (is(head, Kind::kTuple)) {
    for (const NodeId c : children(head)) add_parameter(c, s, false);
  } else if (is(id, Kind::kFunction) && count(id) < 2) {
    s.callee = head;
  } else {
    add_parameter(head, s, false);
  }
  return s;
}

bool Lowerer::has_misplaced_vararg(const Signature& s) {
  return std::ranges::any_of(s.parameters,
                             [&](const Parameter& p) { return p.is_vararg && &p != &s.parameters.back(); });
}

FormId Lowerer::function(NodeId id) {
  const NodeId outside = std::exchange(at_, id);
  const Signature s = signature(id);
  FormId result = kNoForm;
  if (has_misplaced_vararg(s)) {
    result = refuse("invalid \"...\" on non-final argument");
    at_ = outside;
    return result;
  }
  const NodeId callee = s.callee == kNoNode ? kNoNode : tree().unparen(s.callee);
  if (callee == kNoNode) {
    result = closure(id);
  } else if (is_identifier(callee) && is_local(callee)) {
    result = local_function(id, variable_of(callee));
  } else {
    auto how = MethodForm::Callee::kValue;
    FormId f = kNoForm;
    Symbol name;
    if (is_identifier(callee)) {
      how = MethodForm::Callee::kName;
      name = name_of(callee);
      f = global(name);
    } else if (is_leaf(kind(callee))) {
      how = MethodForm::Callee::kName;
      name = std::string(tree().text(callee));
      f = global(name);
    } else if (is(callee, Kind::kMacroCall) && tree().text(callee) == "@main") {
      how = MethodForm::Callee::kName;
      name = "main";
      f = global(name);
    } else if (is(callee, Kind::kDeclare)) {
      how = MethodForm::Callee::kType;
    } else {
      if (is(callee, Kind::kDot) && count(callee) == 2) {
        const NodeId last =
            is(child(callee, 1), Kind::kQuoteExpr) ? tree().unparen(child(child(callee, 1), 0)) : child(callee, 1);
        if (is_identifier(last)) name = name_of(last);
      } else if (is(callee, Kind::kCurly) && is_identifier(child(callee, 0))) {
        name = name_of(child(callee, 0));
      }
    }
    if (!name) name = std::string(tree().text(callee));
    const Captures captures = captures_of({id}, s.callee, kNoVariable);
    std::vector<FormId> forms;
    for (MethodForm& m : methods(s, how, f, name, captures, kNoVariable)) {
      code_.methods.push_back(std::move(m));
      forms.push_back(form(FormKind::kMethod, static_cast<uint32_t>(code_.methods.size() - 1)));
    }
    // What runs a program calls the main that is marked so.
    if (is(callee, Kind::kMacroCall))
      forms.push_back(form(FormKind::kSetGlobal, global_index("@main", false), {global(name)}, Form::kConst));
    result = block(forms);
  }
  at_ = outside;
  return result;
}

/// The variables of `where` that the types of the arguments up to `given`, or the callee, speak of.
std::vector<NodeId> Lowerer::used_type_variables(const Signature& s, size_t given) const {
  std::vector<VariableId> used;
  const auto note = [&](auto&& self, NodeId id) -> void {
    if (is(id, Kind::kIdentifier) && source_->scopes[id] < kNotAVariable) used.push_back(source_->scopes[id]);
    for (const NodeId c : children(id)) self(self, c);
  };
  if (s.callee != kNoNode) note(note, s.callee);
  for (size_t i = 0; i < given; ++i) {
    if (s.parameters[i].type != kNoNode) note(note, s.parameters[i].type);
  }
  std::vector<bool> kept(s.type_variables.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < kept.size(); ++i) {
      const NodeId name = type_variable_name(s.type_variables[i]);
      if (kept[i] || !is_identifier(name) || std::ranges::find(used, variable_of(name)) == used.end()) continue;
      kept[i] = changed = true;
      note(note, s.type_variables[i]);
    }
  }
  std::vector<NodeId> out;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) out.push_back(s.type_variables[i]);
  }
  return out;
}

NodeId Lowerer::type_variable_name(NodeId id) const {
  if (is(id, Kind::kComparison) && count(id) == 5) return child(id, 2);
  if ((is(id, Kind::kSubtype) || is(id, Kind::kSupertype)) && count(id) == 2) return child(id, 0);
  return id;
}

std::vector<MethodForm> Lowerer::methods(const Signature& s, MethodForm::Callee how, FormId callee, Symbol name,
                                         const Captures& captures, VariableId self) {
  MethodForm whole;
  whole.how = how;
  whole.name = name;
  if (s.body == kNoNode) {
    whole.callee = callee == kNoForm ? lower(s.callee) : callee;
    return {whole};
  }
  for (const NodeId v : s.type_variables) type_variable(v, whole.type_variables);
  const NodeId head = s.callee == kNoNode ? kNoNode : tree().unparen(s.callee);
  if (how == MethodForm::Callee::kType) {
    whole.callee = lower(children(head).back());
  } else if (how == MethodForm::Callee::kValue) {
    whole.callee = lower(head);
  } else {
    whole.callee = callee;
  }
  size_t required = 0, optional = 0;  // the arguments that must be there; those that are no vararg
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    NodeId type = p.type;
    if (!p.is_vararg && p.value == kNoNode) required = i + 1;
    const NodeId head_of = type != kNoNode && is(type, Kind::kCurly) ? child(type, 0) : type;
    const bool as_type = type != kNoNode && is_identifier(head_of) && name_of(head_of) == Symbol("Vararg");
    if (p.is_vararg || as_type) {
      whole.has_vararg = true;
      if (as_type) {
        if (count(type) > 2) whole.vararg_count = lower(child(type, 2));
        type = count(type) > 1 ? child(type, 1) : kNoNode;
        required = std::min(required, i);
      }
    } else {
      optional = i + 1;
    }
    whole.argument_types.push_back(type == kNoNode ? constant(Value::of_type(core().any)) : lower(type));
    const bool named = p.pattern != kNoNode && is_identifier(p.pattern);
    whole.argument_names.push_back(named ? name_of(p.pattern) : Symbol("#unused#"));
  }
  for (const Parameter& k : s.keywords) {
    const bool named = k.pattern != kNoNode && is_identifier(k.pattern);
    const std::string text = named ? name_of(k.pattern).text() : "#unused#";
    whole.keywords.push_back(k.is_vararg ? text + "..." : text);
  }
  if (how != MethodForm::Callee::kClosure) whole.captures = slots_of(captures);
  std::vector<MethodForm> out;
  const auto add = [&](size_t given, std::vector<NodeId> variables) {
    MethodForm m = whole;
    Inner inner;
    inner.signature = s;
    inner.signature.type_variables = std::move(variables);
    inner.name = name;
    inner.given = given;
    inner.captures = captures;
    inner.self = self;
    inner.constructed_type = constructed_type_;
    inner.dots = dots_;
    inner.views = views_;
    inner.is_constructor = constructed_type_ != kNoNode && constructor_ == kNoNode && head != kNoNode;
    inner.constructor = inner.is_constructor ? head : constructor_;
    if (given < s.parameters.size()) {
      m.has_vararg = false;
      m.vararg_count = kNoForm;
      m.argument_types.resize(given);
      m.argument_names.resize(given);
      m.type_variables.clear();
      for (const NodeId v : inner.signature.type_variables) {
        const auto at = std::ranges::find(s.type_variables, v) - s.type_variables.begin();
        m.type_variables.push_back(whole.type_variables[static_cast<size_t>(at)]);
      }
    }
    const LoweredSourcePtr source = source_;
    m.body = std::make_shared<Body>(source, s.node, [source, inner] { return make_body(source, inner); });
    out.push_back(std::move(m));
  };
  for (size_t given = required; given < optional; ++given) add(given, used_type_variables(s, given));
  add(s.parameters.size(), s.type_variables);
  return out;
}

}  // namespace weft::julia
