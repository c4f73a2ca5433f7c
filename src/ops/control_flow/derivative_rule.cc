#include "ops/control_flow/derivative_rule.h"

#include "ops/families.h"
#include "ops/tangent_space.h"

namespace weft {
namespace {

constexpr std::string_view kJvp = "weft.jvp", kVjp = "weft.vjp", kCheckpoint = "weft.checkpoint";

[[noreturn]] void fail(const Function& f, std::string_view attribute, const std::string& what) {
  throw UserError("[" + std::string(attribute) + "] of @" + f.name() + ": " + what, f.loc());
}

/// The functions that `@name` or `[@"name", …]` names; the parser keeps it as text.
std::vector<std::string> symbols(const Function& f, std::string_view attribute, const Attr& value,
                                 const std::string& expected) {
  std::string text;
  if (const auto* opaque = value.get_if<OpaqueAttr>()) text = opaque->text;
  if (const auto* list = value.get_if<std::shared_ptr<const AttrList>>()) {
    for (const Attr& a : **list) {
      if (const auto* opaque = a.get_if<OpaqueAttr>()) text += opaque->text + " ";
    }
  }
  std::vector<std::string> names;
  for (size_t at = 0; (at = text.find('@', at)) != std::string::npos;) {
    const bool is_quoted = ++at < text.size() && text[at] == '"';
    at += is_quoted ? 1 : 0;
    const size_t end = std::min(text.find_first_of(is_quoted ? "\"" : " ,]", at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end;
  }
  const size_t count = expected.starts_with('[') ? 2 : 1;
  if (names.size() != count)
    fail(f, attribute, "got " + (text.empty() ? value.str() : text) + ", expected " + expected);
  return names;
}

Attr symbol_attr(const std::string& name) {
  bool is_plain = !name.empty() && (name[0] < '0' || name[0] > '9');
  for (const char c : name) {
    is_plain = is_plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                            c == '$' || c == '.');
  }
  return OpaqueAttr{is_plain ? "@" + name : "@\"" + name + "\""};
}

/// A rule, its types checked where `f` says what they are.
class RuleCheck {
 public:
  RuleCheck(const Function& f, const Module& module, std::string_view attribute, const std::string& name)
      : f_(f), attribute_(attribute), name_(name), rule_(module.find(name)) {
    if (rule_ == nullptr) fail(f, attribute, "there is no function @" + name);
  }
  const Function& rule() const { return *rule_; }

  void expect(const std::vector<Type>& got, const std::vector<Type>& wanted, const std::string& what) const {
    expect_count(got, wanted.size(), what);
    for (size_t i = 0; i < wanted.size(); ++i) expect_type(got, i, wanted[i], what);
  }
  void expect_prefix(const std::vector<Type>& got, const std::vector<Type>& wanted, const std::string& what) const {
    if (got.size() < wanted.size())
      fail(f_, attribute_,
           "number of " + what + "s of @" + name_ + ": got " + std::to_string(got.size()) + ", expected at least " +
               std::to_string(wanted.size()));
    for (size_t i = 0; i < wanted.size(); ++i) expect_type(got, i, wanted[i], what);
  }

 private:
  void expect_count(const std::vector<Type>& got, size_t wanted, const std::string& what) const {
    if (got.size() != wanted)
      fail(f_, attribute_,
           "number of " + what + "s of @" + name_ + ": got " + std::to_string(got.size()) + ", expected " +
               std::to_string(wanted));
  }
  void expect_type(const std::vector<Type>& got, size_t i, Type wanted, const std::string& what) const {
    if (!is_compatible(got[i], wanted))
      fail(f_, attribute_,
           "type of " + what + " " + std::to_string(i) + " of @" + name_ + ": got " + got[i].str() + ", expected " +
               wanted.str());
  }

  const Function& f_;
  std::string_view attribute_;
  const std::string& name_;
  const Function* rule_;
};

std::vector<Type> joined(std::vector<Type> a, const std::vector<Type>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::vector<std::string> DerivativeRule::functions() const {
  std::vector<std::string> out;
  for (const std::string* name : {&jvp, &forward, &backward}) {
    if (!name->empty()) out.push_back(*name);
  }
  return out;
}

DerivativeRule derivative_rule(const Function& f) {
  DerivativeRule rule;
  if (const Attr* jvp = f.attrs().find(kJvp)) rule.jvp = symbols(f, kJvp, *jvp, "@rule")[0];
  if (const Attr* vjp = f.attrs().find(kVjp)) {
    const std::vector<std::string> names = symbols(f, kVjp, *vjp, "[@forward, @backward]");
    rule.forward = names[0];
    rule.backward = names[1];
  }
  rule.checkpoint = f.attrs().has(kCheckpoint);
  return rule;
}

void set_derivative_rule(Function& f, const DerivativeRule& rule) {
  for (const std::string_view name : {kJvp, kVjp, kCheckpoint}) f.attrs().erase(name);
  if (!rule.jvp.empty()) f.attrs().set(kJvp, symbol_attr(rule.jvp));
  if (rule.has_vjp()) f.attrs().set(kVjp, AttrList{symbol_attr(rule.forward), symbol_attr(rule.backward)});
  if (rule.checkpoint) f.attrs().set(kCheckpoint, Attr());
}

std::vector<Type> tangent_types(const std::vector<Type>& types) {
  std::vector<Type> out;
  for (Type t : types) {
    if (has_tangent(t)) out.push_back(t);
  }
  return out;
}

void verify_derivative_rule(const Function& f, const Module& module) {
  const DerivativeRule rule = derivative_rule(f);
  if (rule.checkpoint && rule.is_custom())
    fail(f, kCheckpoint, "the function has a rule of its own, which says what is kept");
  const std::vector<Type> args = f.arg_types(), results = f.result_types();
  if (!rule.jvp.empty()) {
    const RuleCheck check(f, module, kJvp, rule.jvp);
    check.expect(check.rule().arg_types(), joined(args, tangent_types(args)), "argument");
    check.expect(check.rule().result_types(), joined(results, tangent_types(results)), "result");
  }
  if (!rule.has_vjp()) return;
  const RuleCheck forward(f, module, kVjp, rule.forward), backward(f, module, kVjp, rule.backward);
  forward.expect(forward.rule().arg_types(), args, "argument");
  std::vector<Type> kept = forward.rule().result_types();
  forward.expect_prefix(kept, results, "result");
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(results.size()));
  backward.expect(backward.rule().arg_types(), joined(kept, tangent_types(results)), "argument");
  backward.expect(backward.rule().result_types(), tangent_types(args), "result");
}

}  // namespace weft
