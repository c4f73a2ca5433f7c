// Calls and types with parameters.
#include "julia/lower/lowerer.h"
#include "julia/syntax/literals.h"

namespace weft::julia {

void Lowerer::add_keyword(NodeId id, Arguments& to) {
  const auto add = [&](Symbol name, FormId value) {
    to.site.keywords.push_back(name);
    to.values.push_back(value);
  };
  if (is(id, Kind::kAssign)) {
    NodeId name = tree().unparen(child(id, 0));
    if (is(name, Kind::kQuoteExpr)) name = tree().unparen(child(name, 0));
    if (is_identifier(name)) return add(name_of(name), lower(child(id, 1)));
  } else if (is_identifier(id)) {
    return add(name_of(id), lower(id));
  } else if (is(id, Kind::kDot) && count(id) == 2 && is_identifier(child(id, 1))) {
    return add(name_of(child(id, 1)), lower(id));
  } else if (is(id, Kind::kSplat)) {
    return add(Symbol(), lower(child(id, 0)));
  } else if (is(id, Kind::kParens)) {
    return add_keyword(child(id, 0), to);
  } else if (is(id, Kind::kCall)) {
    return add(Symbol(), tuple(std::vector<FormId>{lower(id)}));  // :name => value
  }
  add(Symbol("#"), refuse("this keyword argument"));
}

void Lowerer::add_argument(NodeId id, Arguments& to) {
  switch (kind(id)) {
    case Kind::kParameters:
      for (const NodeId c : children(id)) add_keyword(c, to);
      return;
    case Kind::kAssign: return add_keyword(id, to);
    case Kind::kSplat: to.positional.push_back(form(FormKind::kSplat, 0, {lower(child(id, 0))})); return;
    case Kind::kDo: to.positional.insert(to.positional.begin(), closure(id)); return;
    default: to.positional.push_back(lower(id));
  }
}

Lowerer::Arguments Lowerer::arguments(std::span<const NodeId> ids) {
  Arguments a;
  for (const NodeId id : ids) add_argument(id, a);
  return a;
}

FormId Lowerer::call_with(FormId callee, Arguments a) {
  a.positional.insert(a.positional.end(), a.values.begin(), a.values.end());
  return call(callee, a.positional, std::move(a.site));
}

FormId Lowerer::lower_call(NodeId id) {
  const Node& n = tree()[id];
  const auto parts = children(id);
  if (n.has(Node::kPostfixOp)) {
    if (tree().text(parts[1]) == "'") return base_call("adjoint", {lower(parts[0])});
    return call(operator_name(parts[1]), {lower(parts[0])});
  }
  if (n.has(Node::kPrefixOp)) return call(operator_name(parts[0]), lower_all(parts.subspan(1)));
  if (n.has(Node::kInfix)) {
    const NodeId op = parts[1];
    if (const std::string_view t = tree().text(op); t == "^" && parts.size() == 3) {
      const FormId base = lower(parts[0]);
      if (const auto power = literal_power(op, parts[2], base, false)) return *power;
      return call(operator_name(op), {base, lower(parts[2])});
    } else if (t == ":") {
      std::vector<FormId> ends{lower(parts[0])};
      for (const NodeId p : parts.subspan(2)) ends.push_back(lower(p));
      return base_call(":", ends);
    }
    const FormId callee = operator_name(op);
    std::vector<FormId> operands{lower(parts[0])};
    for (const NodeId p : lower_all(parts.subspan(2))) operands.push_back(p);
    return call(callee, operands);
  }
  const NodeId callee = tree().unparen(parts[0]);
  const bool is_new = is_identifier(callee) && name_of(callee) == Symbol("new") && !is_local(callee);
  const bool is_new_of = is(callee, Kind::kCurly) && is_identifier(child(callee, 0)) &&
                         name_of(child(callee, 0)) == Symbol("new") && !is_local(child(callee, 0));
  if (constructor_ != kNoNode && (is_new || is_new_of)) return new_call(callee, parts.subspan(1));
  if (is_identifier(callee) && !is_local(callee)) {
    const std::string& name = name_of(callee).text();
    if (name == "ccall") return refuse("ccall: Weft runs without Julia's C libraries");
  }
  if (const auto f = eval_call(callee, parts.subspan(1))) return *f;
  const FormId f = operator_name(callee);
  return call_with(f, arguments(parts.subspan(1)));
}

/// new(…) and new{T}(…) of inner constructors.
FormId Lowerer::new_call(NodeId callee, std::span<const NodeId> arguments) {
  std::vector<FormId> parts;
  if (is(callee, Kind::kCurly)) {
    NodeId head = child(constructed_type_, 0);
    if (is(head, Kind::kSubtype)) head = child(head, 0);
    if (is(head, Kind::kCurly)) head = child(head, 0);
    parts.push_back(apply_type(global(name_of(head)), children(callee).subspan(1)));
  } else {
    parts.push_back(is_constructor_ ? local(0) : lower(constructor_));
  }
  for (const FormId a : lower_all(arguments)) parts.push_back(a);
  return form(FormKind::kNew, 0, parts);
}

FormId Lowerer::curly(NodeId id) { return apply_type(lower(child(id, 0)), children(id).subspan(1)); }

/// T{A, <:B}: bounds alone are variables of their own.
FormId Lowerer::apply_type(FormId type, std::span<const NodeId> parameters) {
  std::vector<FormId> forms{type}, variables;
  for (const NodeId p : parameters) {
    const bool bound =
        (is(p, Kind::kSubtype) || is(p, Kind::kSupertype)) && tree()[p].has(Node::kPrefixOp) && count(p) == 1;
    if (bound) {
      const SlotId slot = add_slot("#s" + std::to_string(variables.size() + 1));
      const FormId b = lower(child(p, 0));
      const bool upper = is(p, Kind::kSubtype);
      const FormId lower_bound = upper ? missing_part() : b;
      const FormId upper_bound = upper ? b : missing_part();
      variables.push_back(form(FormKind::kTypeVar, slot, {lower_bound, upper_bound}));
      forms.push_back(local(slot));
    } else if (is(p, Kind::kSplat)) {
      forms.push_back(form(FormKind::kSplat, 0, {lower(child(p, 0))}));
    } else {
      forms.push_back(lower(p));
    }
  }
  const FormId applied = base_call("apply_type", forms);
  if (variables.empty()) return applied;
  variables.insert(variables.begin(), applied);
  return form(FormKind::kWhere, 0, variables);
}

/// T, T<:U, T>:L, L<:T<:U of `where`: a kTypeVar.
FormId Lowerer::type_variable(NodeId id, std::vector<FormId>& to) {
  if (is(id, Kind::kBraces)) {
    for (const NodeId c : children(id)) type_variable(c, to);
    return kNoForm;
  }
  NodeId name = id, lower_bound = kNoNode, upper_bound = kNoNode;
  if (is(id, Kind::kComparison) && count(id) == 5) {
    name = child(id, 2);
    lower_bound = child(id, 0);
    upper_bound = child(id, 4);
    if (tree().text(child(id, 1)) == ">:") std::swap(lower_bound, upper_bound);
  } else if ((is(id, Kind::kSubtype) || is(id, Kind::kSupertype)) && count(id) == 2) {
    name = child(id, 0);
    (is(id, Kind::kSubtype) ? upper_bound : lower_bound) = child(id, 1);
  }
  if (!is_identifier(name) || !is_local(name)) {
    to.push_back(refuse("this variable of `where`"));
    return to.back();
  }
  const SlotId slot = slot_of(variable_of(name));
  const FormId lo = lower_bound == kNoNode ? missing_part() : lower(lower_bound);
  const FormId hi = upper_bound == kNoNode ? missing_part() : lower(upper_bound);
  to.push_back(form(FormKind::kTypeVar, slot, {lo, hi}));
  return to.back();
}

FormId Lowerer::where(NodeId id) {
  // A where B where C: C is outermost, and seen by B's bounds.
  std::vector<NodeId> levels;
  NodeId body = id;
  for (; is(body, Kind::kWhere); body = tree().unparen(child(body, 0))) levels.push_back(body);
  std::vector<FormId> variables;
  for (const NodeId level : levels) {
    for (const NodeId v : children(level).subspan(1)) type_variable(v, variables);
  }
  variables.insert(variables.begin(), lower(body));
  return form(FormKind::kWhere, 0, variables);
}

/// x^3 with a literal exponent is literal_pow(^, x, Val(3)).
std::optional<FormId> Lowerer::literal_power(NodeId op, NodeId exponent, FormId base, bool dotted) {
  if (!is(exponent, Kind::kInteger)) return std::nullopt;
  const IntegerLiteral n = integer_value(tree(), exponent);
  if (n.type != IntegerType::kInt64) return std::nullopt;
  const DataType* val = applied(core().val, {make_int(static_cast<int64_t>(n.bits))});
  const FormId power = global("literal_pow", true);
  const FormId value = constant(Value::singleton(val));
  if (dotted) return base_call("broadcasted", {power, operator_name(op), base, value});
  return call(power, {operator_name(op), base, value});
}

}  // namespace weft::julia
