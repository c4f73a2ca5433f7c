// The macros of package Test: calls of its functions with the text of what they check.
#include <algorithm>

#include "julia/host/number.h"
#include "julia/lower/lowerer.h"

namespace weft::julia {

FormId Lowerer::report_call(FormId callee, NodeId id, Arguments a) {
  a.positional.push_back(text_constant(source_->name));
  a.positional.push_back(constant(number(int64_t{source_->line_of(id)})));
  return call_with(callee, std::move(a));
}

/// @test f(a, b), a == b: the operands are evaluated apart, so that a failure can show them.
FormId Lowerer::test_value(NodeId id, Nodes arguments, Symbol function) {
  const NodeId ex = tree().unparen(arguments[0]);
  Arguments a;
  std::vector<NodeId> keywords;  // of the call: @test a ≈ b atol=1
  for (const NodeId k : arguments.subspan(1)) {
    if (!is(k, Kind::kAssign) || !is_identifier(child(k, 0))) continue;
    const std::string& name = name_of(child(k, 0)).text();
    if (name == "broken" || name == "skip") {
      add_keyword(k, a);
    } else {
      keywords.push_back(k);
    }
  }
  const FormId text = text_constant(expression_text(tree(), ex));
  NodeId callee = kNoNode;
  std::vector<NodeId> operands;
  if (is(ex, Kind::kCall) && !(tree()[ex].flags & (Node::kPrefixOp | Node::kPostfixOp))) {
    callee = tree().callee(ex);
    for (const NodeId c : children(ex)) {
      if (c == callee) continue;
      if (is(c, Kind::kParameters)) {
        keywords.insert(keywords.end(), children(c).begin(), children(c).end());
      } else if (is(c, Kind::kAssign)) {
        keywords.push_back(c);
      } else {
        operands.push_back(c);
      }
    }
  } else if (is(ex, Kind::kComparison) && count(ex) == 3) {
    callee = child(ex, 1);
    operands = {child(ex, 0), child(ex, 2)};
  } else if (is(ex, Kind::kSubtype) && count(ex) == 2) {
    operands = {child(ex, 0), child(ex, 1)};
  }
  const bool plain = function == Symbol("_test") && !operands.empty() && (callee == kNoNode || is_identifier(callee)) &&
                     std::ranges::none_of(operands, [&](NodeId o) { return is(o, Kind::kDo); });
  if (!plain) {
    a.positional = {thunk(ex), text};
    return report_call(package_function("Test", function), id, std::move(a));
  }
  const Symbol name = callee == kNoNode ? Symbol("<:") : name_of(callee);
  const FormId f = callee == kNoNode ? global(name) : operator_name(callee);
  const auto write = [operands](Lowerer& inner, SlotId) {
    std::vector<FormId> values;
    for (const NodeId o : operands) {
      values.push_back(inner.is(o, Kind::kSplat) ? inner.form(FormKind::kSplat, 0, {inner.lower(inner.child(o, 0))})
                                                 : inner.lower(o));
    }
    return inner.tuple(values);
  };
  a.positional = {f, text_constant(name.text()), hidden_closure(ex, operands, {}, write, false), text};
  if (!keywords.empty()) {
    const auto write_keywords = [keywords](Lowerer& inner, SlotId) { return inner.named_tuple(keywords); };
    a.site.keywords.push_back("kw");
    a.values.push_back(hidden_closure(ex, keywords, {}, write_keywords, false));
  }
  return report_call(package_function("Test", "_test_call"), id, std::move(a));
}

std::optional<FormId> Lowerer::test_macro(const std::string& name, NodeId id, Nodes arguments) {
  if (arguments.empty()) return std::nullopt;
  const auto text_of = [&](NodeId n) { return text_constant(expression_text(tree(), n)); };
  Arguments a;
  if (name == "test") return test_value(id, arguments, "_test");
  if (name == "test_broken") return test_value(id, arguments, "_test_broken");
  if (name == "test_skip") {
    a.positional = {text_of(arguments[0])};
    return report_call(package_function("Test", "_test_skip"), id, std::move(a));
  }
  if (name == "test_throws" && arguments.size() > 1) {
    a.positional = {thunk(arguments[0]), thunk(arguments[1]), text_of(arguments[0]), text_of(arguments[1])};
    return report_call(package_function("Test", "_test_throws"), id, std::move(a));
  }
  if (name == "test_logs" || name == "test_warn") {
    std::vector<FormId> patterns;
    for (const NodeId p : arguments.first(arguments.size() - 1)) {
      if (is(p, Kind::kAssign)) {
        add_keyword(p, a);
      } else {
        patterns.push_back(lower(p));
      }
    }
    a.positional = {thunk(arguments.back()), tuple(patterns), text_of(arguments.back())};
    return report_call(package_function("Test", "_test_logs"), id, std::move(a));
  }
  if (name == "test_nowarn" || name == "inferred" || name == "test_deprecated") return lower(arguments.back());
  if (name == "testset") return test_set(id, arguments);
  return std::nullopt;
}

FormId Lowerer::test_set(NodeId id, Nodes arguments) {
  const NodeId body = arguments.back();
  NodeId description = kNoNode;
  for (const NodeId a : arguments.first(arguments.size() - 1)) {
    if (is(a, Kind::kAssign)) continue;
    if (is(a, Kind::kStringLiteral) || is(a, Kind::kMacroCall)) description = a;
  }
  const auto run = [&](NodeId code) {
    Arguments a;
    for (const NodeId k : arguments) {
      if (is(k, Kind::kAssign)) add_keyword(k, a);
    }
    const FormId text = description != kNoNode  ? lower(description)
                        : is(code, Kind::kCall) ? text_constant(expression_text(tree(), code))
                                                : text_constant("test set");
    a.positional = {thunk(code), text};
    return report_call(package_function("Test", "_testset"), id, std::move(a));
  };
  if (!is(body, Kind::kFor)) return run(body);
  // One test set for each round.
  std::vector<FormId> forms;
  const SlotId results = temporary();
  forms.push_back(set_local(results, base_call("getindex", {global("Any", true)})));
  const auto clause = [&](auto&& self, size_t at) -> FormId {
    const NodeId in = child(child(body, 0), at);
    const FormId iterable = lower(child(in, 1));
    const NodeId variable = child(in, 0);
    const bool plain = is_identifier(variable) && is_local(variable);
    const SlotId slot = plain ? slot_of(variable_of(variable)) : temporary();
    std::vector<FormId> round;
    if (!plain) round.push_back(store(variable, local(slot)));
    round.push_back(at + 1 < count(child(body, 0)) ? self(self, at + 1)
                                                   : base_call("push!", {local(results), run(child(body, 1))}));
    return form(FormKind::kFor, slot, {iterable, block(round)});
  };
  forms.push_back(clause(clause, 0));
  forms.push_back(local(results));
  return block(forms);
}

}  // namespace weft::julia
