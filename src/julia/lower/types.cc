// struct, abstract type, primitive type.
#include <algorithm>

#include "julia/lower/lowerer.h"
#include "julia/syntax/literals.h"

namespace weft::julia {

/// Name, variables and supertype of Name{T} <: Super. The name's node.
NodeId Lowerer::type_head(NodeId head, StructForm& to) {
  NodeId super = kNoNode;
  if (is(head, Kind::kSubtype) && count(head) == 2) {
    super = child(head, 1);
    head = child(head, 0);
  }
  if (is(head, Kind::kCurly)) {
    for (const NodeId c : children(head).subspan(1)) type_variable(c, to.type_variables);
    head = child(head, 0);
  }
  if (super != kNoNode) to.super = lower(super);
  to.name = is_identifier(head) ? name_of(head) : Symbol(tree().text(head));
  return head;
}

FormId Lowerer::struct_form(NodeId id, bool with_keywords) {
  StructForm type;
  type.is_mutable = tree()[id].has(Node::kForm);
  type_head(child(id, 0), type);
  std::vector<NodeId> defaults, constructors;
  const auto add_field = [&](NodeId field) {
    bool is_const = false;
    NodeId value = kNoNode;
    for (;;) {
      if (is(field, Kind::kConst)) {
        is_const = true;
        field = child(field, 0);
      } else if (is(field, Kind::kAssign)) {
        value = child(field, 1);
        field = child(field, 0);
      } else {
        break;
      }
    }
    const NodeId name = is(field, Kind::kDeclare) ? child(field, 0) : field;
    if (!is_identifier(name)) return false;
    type.field_names.push_back(name_of(name));
    type.field_types.push_back(name == field ? constant(Value::of_type(core().any)) : lower(child(field, 1)));
    type.field_is_const.push_back(is_const);
    defaults.push_back(value);
    return true;
  };
  std::vector<NodeId> others;
  for (NodeId statement : children(child(id, 1))) {
    if (is(statement, Kind::kDoc)) statement = child(statement, 1);
    if (is(statement, Kind::kStringLiteral)) continue;
    if (is(statement, Kind::kMacroCall) && count(statement) == 2 && is(child(statement, 1), Kind::kFunction))
      statement = child(statement, 1);  // @inline Name(…) = …
    if (is(statement, Kind::kFunction)) {
      constructors.push_back(statement);
    } else if (!add_field(statement)) {
      others.push_back(statement);
    }
  }
  type.has_constructors = !constructors.empty();
  type.fields_left_out = count_left_out(child(id, 1), static_cast<int>(type.field_names.size()));
  const NodeId outside = std::exchange(constructed_type_, id);
  const NodeId constructor = std::exchange(constructor_, kNoNode);
  std::vector<FormId> inner;
  for (const NodeId c : constructors) inner.push_back(function(c));
  constructed_type_ = outside;
  constructor_ = constructor;
  for (const NodeId o : others) {
    const bool checks = with_keywords && is(o, Kind::kMacroCall);  // @assert among the fields of @with_kw
    inner.push_back(refuse(checks ? "checks among the fields of a struct: write them in a constructor"
                                  : "this statement inside a struct"));
  }
  if (!inner.empty()) type.inner = block(inner);
  const bool any_default = std::ranges::any_of(defaults, [](NodeId d) { return d != kNoNode; });
  if (any_default && !with_keywords) return refuse("default values of fields: put @kwdef before the struct");
  std::vector<FormId> after;
  if (with_keywords && !type.field_names.empty()) after.push_back(keyword_constructors(id, type, defaults));
  code_.structs.push_back(std::move(type));
  const FormId definition = form(FormKind::kStruct, static_cast<uint32_t>(code_.structs.size() - 1));
  if (after.empty()) return definition;
  return block(std::vector<FormId>{definition, after[0], form(FormKind::kNothing)});
}

/// Name(; field = default, …) and Name{T}(; …) where T.
FormId Lowerer::keyword_constructors(NodeId id, const StructForm& type, const std::vector<NodeId>& defaults) {
  NodeId head = child(id, 0);
  if (is(head, Kind::kSubtype)) head = child(head, 0);
  std::vector<NodeId> variables;
  if (is(head, Kind::kCurly)) variables.assign(children(head).begin() + 1, children(head).end());
  const auto add = [&](FormId callee, bool with_variables) {
    MethodForm m;
    m.how = MethodForm::Callee::kValue;
    m.callee = callee;
    m.name = type.name;
    if (with_variables) m.type_variables = type.type_variables;
    for (const Symbol f : type.field_names) m.keywords.push_back(f);
    const LoweredSourcePtr source = source_;
    const auto make = [source, id, variables, with_variables, defaults, name = type.name, fields = type.field_names] {
      auto code = std::make_unique<Code>();
      code->source = source;
      code->name = name;
      Lowerer inner(source, *code);
      inner.extent_ = inner.at_ = id;
      inner.add_slot("#self#");
      for (const Symbol f : fields) code->keywords.push_back({f, inner.add_slot(f), kNoForm, kNoForm});
      for (const NodeId v : with_variables ? variables : std::vector<NodeId>()) {
        const NodeId n = inner.type_variable_name(v);
        code->type_parameters.push_back(inner.add_slot(inner.name_of(n), inner.variable_of(n)));
      }
      std::vector<FormId> values;
      for (size_t i = 0; i < fields.size(); ++i) {
        if (defaults[i] != kNoNode) {
          const FormId value = inner.lower(defaults[i]);
          code->keywords[i].default_value = value;
        }
        inner.field_slots_[fields[i]] = code->keywords[i].slot;
        values.push_back(inner.local(code->keywords[i].slot));
      }
      code->body = inner.call(inner.local(0), values);
      return code;
    };
    m.body = std::make_shared<Body>(source_, id, make);
    code_.methods.push_back(std::move(m));
    return form(FormKind::kMethod, static_cast<uint32_t>(code_.methods.size() - 1));
  };
  std::vector<FormId> forms{add(global(type.name), false)};
  if (!variables.empty()) {
    std::vector<FormId> applied{global(type.name)};
    for (const NodeId v : variables) applied.push_back(local(slot_of(variable_of(type_variable_name(v)))));
    forms.push_back(add(base_call("apply_type", applied), true));
  }
  return block(forms);
}

/// How many fields the shortest `new` leaves undefined.
int Lowerer::count_left_out(NodeId id, int fields) const {
  int most = 0;
  if (is(id, Kind::kCall)) {
    NodeId callee = child(id, 0);
    if (is(callee, Kind::kCurly)) callee = child(callee, 0);
    if (is_identifier(callee) && name_of(callee) == Symbol("new")) {
      const auto arguments = children(id).subspan(1);
      const bool splat = std::ranges::any_of(arguments, [&](NodeId a) { return is(a, Kind::kSplat); });
      if (!splat) most = std::max(0, fields - static_cast<int>(arguments.size()));
    }
  }
  for (const NodeId c : children(id)) most = std::max(most, count_left_out(c, fields));
  return most;
}

FormId Lowerer::abstract_form(NodeId id) {
  StructForm type;
  type_head(child(id, 0), type);
  if (is(id, Kind::kPrimitive)) {
    const NodeId bits = tree().unparen(child(id, 1));
    if (!is(bits, Kind::kInteger)) return refuse("a primitive type whose size is no literal");
    type.bits = static_cast<int>(integer_value(tree(), bits).bits);
  }
  code_.structs.push_back(std::move(type));
  const auto at = static_cast<uint32_t>(code_.structs.size() - 1);
  return form(is(id, Kind::kPrimitive) ? FormKind::kPrimitive : FormKind::kAbstract, at);
}

}  // namespace weft::julia
