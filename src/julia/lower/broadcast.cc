// Dots: f.(x), a .+ b, x .= y. Dotted calls inside each other become one lazy object.
#include "julia/lower/lowerer.h"

namespace weft::julia {

FormId Lowerer::broadcast(NodeId id) {
  const NodeId outside = at_;
  at_ = id;
  const FormId f = base_call("materialize", {broadcasted(id)});
  at_ = outside;
  return f;
}

FormId Lowerer::broadcasted(NodeId id) {
  if (!is_dotted(id)) return lower(id);
  id = tree().unparen(id);
  const Node& n = tree()[id];
  const auto parts = children(id);
  if (n.kind == Kind::kDotAndAnd || n.kind == Kind::kDotOrOr || n.kind == Kind::kAndAnd || n.kind == Kind::kOrOr) {
    const bool is_and = n.kind == Kind::kDotAndAnd || n.kind == Kind::kAndAnd;
    return base_call("broadcasted",
                     {global(is_and ? "andand" : "oror", true), broadcasted(parts[0]), broadcasted(parts[1])});
  }
  if (n.kind == Kind::kComparison) {
    FormId left = broadcasted(parts[0]);
    FormId result = kNoForm;
    std::vector<FormId> before;
    for (size_t i = 1; i + 1 < parts.size(); i += 2) {
      const FormId op = operator_name(parts[i]);
      FormId right = broadcasted(parts[i + 1]);
      if (i + 2 < parts.size()) right = stable(right, before);
      const bool dotted = dots_ || is(parts[i], Kind::kDot);
      const FormId one = dotted ? base_call("broadcasted", {op, left, right}) : call(op, {left, right});
      result = result == kNoForm ? one : base_call("broadcasted", {global("&", true), result, one});
      left = right;
    }
    before.push_back(result);
    return block(before);
  }
  if (n.kind == Kind::kJuxtapose) {
    std::vector<FormId> all{global("*")};
    for (const NodeId p : parts) all.push_back(broadcasted(p));
    return base_call("broadcasted", all);
  }
  std::vector<FormId> all;
  if (n.has(Node::kInfix)) {
    if (parts.size() == 3 && tree().text(parts[1]).ends_with("^")) {
      const FormId base = broadcasted(parts[0]);
      if (const auto power = literal_power(parts[1], parts[2], base, true)) return *power;
      return base_call("broadcasted", {operator_name(parts[1]), base, broadcasted(parts[2])});
    }
    // a .+ b .+ c is one call of three only for + and *, as without dots.
    all.push_back(operator_name(parts[1]));
    all.push_back(broadcasted(parts[0]));
    for (const NodeId p : parts.subspan(2)) all.push_back(broadcasted(p));
    return base_call("broadcasted", all);
  }
  if (n.has(Node::kPrefixOp)) return base_call("broadcasted", {operator_name(parts[0]), broadcasted(parts[1])});
  if (n.has(Node::kPostfixOp)) return base_call("broadcasted", {global("adjoint", true), broadcasted(parts[0])});
  all.push_back(operator_name(parts[0]));
  std::vector<NodeId> keywords;
  for (const NodeId p : parts.subspan(1)) {
    if (is(p, Kind::kParameters)) {
      keywords.insert(keywords.end(), children(p).begin(), children(p).end());
    } else if (is(p, Kind::kAssign)) {
      keywords.push_back(p);
    } else if (is(p, Kind::kSplat)) {
      all.push_back(form(FormKind::kSplat, 0, {lower(child(p, 0))}));
    } else if (is(p, Kind::kDo)) {
      all.insert(all.begin() + 1, closure(p));
    } else {
      all.push_back(broadcasted(p));
    }
  }
  if (keywords.empty()) return base_call("broadcasted", all);
  all.insert(all.begin(), named_tuple(keywords));
  return base_call("broadcasted_kwsyntax", all);
}

/// What x .= y writes to. `current`, when given, becomes its value before.
FormId Lowerer::dot_destination(NodeId target, std::vector<FormId>& before, FormId* current) {
  target = tree().unparen(target);
  if (is(target, Kind::kRef)) {
    const bool dots = std::exchange(dots_, false);
    FormId array = lower(child(target, 0));
    const auto ids = children(target).subspan(1);
    if (current != nullptr || uses_index_words(ids)) array = stable(array, before);
    CallSite site;
    std::vector<FormId> all = current != nullptr ? stable_indices(ids, array, site, before) : indices(ids, array, site);
    all.insert(all.begin(), array);
    if (current != nullptr) *current = base_call("getindex", all);
    dots_ = dots;
    return base_call("dotview", all);
  }
  FormId whole = lower(target);
  if (current != nullptr) {
    whole = stable(whole, before);
    *current = whole;
  }
  return whole;
}

FormId Lowerer::broadcast_assign(NodeId id) {
  const Node& n = tree()[id];
  const bool with_operator = n.kind == Kind::kDotOpAssign || n.kind == Kind::kOpAssign;
  std::vector<FormId> before;
  FormId current = kNoForm;
  const FormId destination = dot_destination(child(id, 0), before, with_operator ? &current : nullptr);
  FormId value = kNoForm;
  if (with_operator) {
    const FormId op = operator_name(child(id, 1));
    value = base_call("broadcasted", {op, current, broadcasted(child(id, 2))});
  } else {
    const NodeId right = child(id, 1);
    value = is_dotted(right) ? broadcasted(right) : base_call("broadcasted", {global("identity", true), lower(right)});
  }
  before.push_back(base_call("materialize!", {destination, value}));
  return block(before);
}

}  // namespace weft::julia
