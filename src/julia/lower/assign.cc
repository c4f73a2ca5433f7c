// Assignments and declarations.
#include <algorithm>
#include <set>

#include "julia/lower/lowerer.h"

namespace weft::julia {

/// convert(T, value)::T.
FormId Lowerer::converted(FormId value, FormId type) {
  if (is_stable(type)) return form(FormKind::kTypeAssert, 0, {base_call("convert", {type, value}), type});
  const SlotId t = temporary();
  return form(FormKind::kTypeAssert, 0, {base_call("convert", {set_local(t, type), value}), local(t)});
}

FormId Lowerer::store_name(NodeId name, FormId value, NodeId type) {
  if (is_underscore(name)) return value;
  const VariableId v = variable_of(name);
  if (v < kNotAVariable) {
    if (const auto it = source_->declared_types.find(v); it != source_->declared_types.end()) {
      type = it->second;
      value = converted(value, lower(type));
    } else if (type != kNoNode) {
      value = converted(value, lower(type));
    }
    return set_local(slot_of(v), value);
  }
  const uint8_t flags = is_const_ ? Form::kConst : 0;
  const uint32_t g = global_index(name_of(name), false);
  if (type == kNoNode) return form(FormKind::kSetGlobal, g, {value}, flags);
  return form(FormKind::kSetGlobal, g, {value, lower(type)}, flags);
}

FormId Lowerer::store(NodeId target, FormId value) {
  target = tree().unparen(target);
  if (is_identifier(target)) return store_name(target, value);
  switch (kind(target)) {
    case Kind::kDeclare:
      if (!tree()[target].has(Node::kInfix)) return value;
      if (is_identifier(tree().unparen(child(target, 0))))
        return store_name(tree().unparen(child(target, 0)), value, child(target, 1));
      return store(child(target, 0), form(FormKind::kTypeAssert, 0, {value, lower(child(target, 1))}));
    case Kind::kSplat: return store(child(target, 0), value);
    case Kind::kTuple: return unpack(target, value, Use::kEffect);
    case Kind::kRef: {
      const auto ids = children(target).subspan(1);
      std::vector<FormId> before;
      FormId array = lower(child(target, 0));
      if (uses_index_words(ids)) array = stable(array, before);
      CallSite site;
      std::vector<FormId> all = indices(ids, array, site);
      all.insert(all.begin(), {array, value});
      before.push_back(call(global("setindex!", true), all, site));
      return block(before);
    }
    case Kind::kDot: {
      NodeId name = count(target) == 2 ? child(target, 1) : kNoNode;
      if (name != kNoNode && is(name, Kind::kQuoteExpr)) name = tree().unparen(child(name, 0));
      if (name == kNoNode || !is_identifier(name)) return refuse("a field's name that is computed: use setfield!");
      return form(FormKind::kSetField, symbol_index(name_of(name)), {lower(child(target, 0)), value});
    }
    case Kind::kMacroCall: return refuse("a macro at the left of an assignment");
    default: return refuse("an assignment to " + std::string(tree().text(target)));
  }
}

/// … whose value is that of the right side, unconverted.
FormId Lowerer::store_and_keep(NodeId target, FormId value, Use use) {
  target = tree().unparen(target);
  if (use == Use::kEffect) return store(target, value);
  const bool plain = is_plain_target(target) || (is_identifier(target) && !is_local(target));
  if (plain) return store(target, value);
  std::vector<FormId> forms;
  const FormId kept = stable(value, forms);
  forms.push_back(store(target, kept));
  forms.push_back(kept);
  return block(forms);
}

/// A local variable without a declared type.
bool Lowerer::is_plain_target(NodeId target) const {
  target = tree().unparen(target);
  if (!is_identifier(target)) return false;
  return is_underscore(target) || (is_local(target) && !source_->declared_types.contains(variable_of(target)));
}

FormId Lowerer::assign(NodeId id, Use use) {
  const NodeId target = tree().unparen(child(id, 0));
  if (is(target, Kind::kCurly)) return constant_alias(id);
  const bool is_const = std::exchange(is_const_, false);
  const NodeId right = child(id, 1);
  FormId result = kNoForm;
  if (is(target, Kind::kTuple)) {
    result = destructure(target, right, use, is_const);
  } else {
    const FormId value = lower(right);
    is_const_ = is_const;
    result = store_and_keep(target, value, use);
  }
  is_const_ = false;
  return result;
}

/// A{T} = B{T}.
FormId Lowerer::constant_alias(NodeId id) {
  const NodeId target = tree().unparen(child(id, 0));
  std::vector<FormId> variables;
  for (const NodeId c : children(target).subspan(1)) type_variable(c, variables);
  variables.insert(variables.begin(), lower(child(id, 1)));
  const FormId type = form(FormKind::kWhere, 0, variables);
  return form(FormKind::kSetGlobal, global_index(name_of(child(target, 0)), false), {type}, Form::kConst);
}

FormId Lowerer::destructure(NodeId target, NodeId value, Use use, bool is_const) {
  const auto targets = children(target);
  const NodeId right = tree().unparen(value);
  const auto is_splat = [&](NodeId n) { return is(n, Kind::kSplat) || is(n, Kind::kParameters); };
  const bool by_element = is(right, Kind::kTuple) && !dots_ && count(right) == targets.size() && !targets.empty() &&
                          std::ranges::none_of(targets, is_splat) && std::ranges::none_of(children(right), is_splat) &&
                          std::ranges::none_of(children(right), [&](NodeId n) { return is(n, Kind::kAssign); });
  if (!by_element) {
    const FormId v = lower(value);
    is_const_ = is_const;
    return unpack(target, v, use);
  }
  std::set<VariableId> distinct;
  for (const NodeId t : targets) {
    if (is_plain_target(t) && !is_underscore(tree().unparen(t))) distinct.insert(variable_of(tree().unparen(t)));
  }
  const bool last_directly = use == Use::kEffect && distinct.size() == targets.size();
  std::vector<FormId> forms, values;
  for (size_t i = 0; i < targets.size(); ++i) {
    FormId v = lower(child(right, i));
    if (last_directly && i + 1 == targets.size()) {
      forms.push_back(store(targets[i], v));
      break;
    }
    if (code_.forms[v].kind != FormKind::kConstant) {
      const SlotId t = temporary();
      forms.push_back(set_local(t, v));
      v = local(t);
    }
    values.push_back(v);
  }
  is_const_ = is_const;
  for (size_t i = 0; i < values.size(); ++i) forms.push_back(store(targets[i], values[i]));
  if (use == Use::kValue) forms.push_back(tuple(values));
  return block(forms);
}

/// The elements of a value, or with (; a, b) its fields.
FormId Lowerer::unpack(NodeId target, FormId value, Use use) {
  const auto targets = children(target);
  std::vector<FormId> forms;
  if (targets.size() == 1 && is(targets[0], Kind::kParameters)) {
    value = stable(value, forms);
    for (const NodeId t : children(targets[0])) {
      const NodeId name = is(t, Kind::kDeclare) ? child(t, 0) : t;
      if (!is_identifier(name)) return refuse("this destructuring of fields");
      forms.push_back(store(t, field(value, name_of(name))));
    }
    if (use == Use::kValue) forms.push_back(value);
    return block(forms);
  }
  UnpackForm unpack;
  std::vector<FormId> stores;
  for (size_t i = 0; i < targets.size(); ++i) {
    NodeId t = tree().unparen(targets[i]);
    if (is(t, Kind::kSplat)) {
      unpack.rest = static_cast<int>(i);
      t = tree().unparen(child(t, 0));
    }
    if (is_identifier(t) && is_underscore(t)) {
      unpack.slots.push_back(kNoForm);
    } else if (is_plain_target(t)) {
      unpack.slots.push_back(slot_of(variable_of(t)));
    } else {
      const SlotId slot = temporary();
      unpack.slots.push_back(slot);
      stores.push_back(store(t, local(slot)));
    }
  }
  code_.unpacks.push_back(std::move(unpack));
  const FormId taken = form(FormKind::kUnpack, static_cast<uint32_t>(code_.unpacks.size() - 1), {value});
  if (stores.empty()) return taken;
  if (use == Use::kValue) {
    const SlotId t = temporary();
    forms.push_back(set_local(t, taken));
    forms.insert(forms.end(), stores.begin(), stores.end());
    forms.push_back(local(t));
  } else {
    forms.push_back(taken);
    forms.insert(forms.end(), stores.begin(), stores.end());
  }
  return block(forms);
}

/// x += y: what the left side says is evaluated once.
FormId Lowerer::op_assign(NodeId id, Use use) {
  const NodeId target = tree().unparen(child(id, 0));
  const FormId op = operator_name(child(id, 1));
  std::vector<FormId> before;
  if (is(target, Kind::kRef)) {
    const auto ids = children(target).subspan(1);
    const FormId array = stable(lower(child(target, 0)), before);
    CallSite site;
    const std::vector<FormId> at = stable_indices(ids, array, site, before);
    std::vector<FormId> all{array};
    all.insert(all.end(), at.begin(), at.end());
    FormId value = call(op, {call(global("getindex", true), all, site), lower(child(id, 2))});
    if (use == Use::kValue) value = stable(value, before);
    all.insert(all.begin() + 1, value);
    before.push_back(call(global("setindex!", true), all, site));
    if (use == Use::kValue) before.push_back(value);
    return block(before);
  }
  if (is(target, Kind::kDot) && count(target) == 2) {
    NodeId name = child(target, 1);
    if (is(name, Kind::kQuoteExpr)) name = tree().unparen(child(name, 0));
    if (!is_identifier(name)) return refuse("a field's name that is computed: use setfield!");
    const FormId object = stable(lower(child(target, 0)), before);
    const FormId value = call(op, {field(object, name_of(name)), lower(child(id, 2))});
    before.push_back(form(FormKind::kSetField, symbol_index(name_of(name)), {object, value}));
    return block(before);
  }
  const NodeId name = is(target, Kind::kDeclare) ? tree().unparen(child(target, 0)) : target;
  if (!is_identifier(name)) return refuse("an update of " + std::string(tree().text(target)));
  return store_and_keep(target, call(op, {lower(name), lower(child(id, 2))}), use);
}

/// local, global, const.
FormId Lowerer::declaration(NodeId id, Use use) {
  std::vector<FormId> forms;
  for (const NodeId c : children(id)) {
    switch (kind(c)) {
      case Kind::kAssign:
        is_const_ |= is(id, Kind::kConst);
        forms.push_back(assign(c, use));
        break;
      case Kind::kGlobal:
      case Kind::kLocal:
      case Kind::kConst:
        is_const_ |= is(id, Kind::kConst);
        forms.push_back(declaration(c, use));
        break;
      case Kind::kDeclare: {
        const NodeId name = child(c, 0);
        if (is_identifier(name) && !is_local(name))
          forms.push_back(
              form(FormKind::kSetGlobal, global_index(name_of(name), false), {missing_part(), lower(child(c, 1))}));
        break;
      }
      case Kind::kIdentifier:
      case Kind::kVarName: break;
      default: forms.push_back(lower(c, use));
    }
    is_const_ = false;
  }
  if (forms.empty()) return form(FormKind::kNothing);
  return block(forms);
}

}  // namespace weft::julia
