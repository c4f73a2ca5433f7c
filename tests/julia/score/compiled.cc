// The same assertions by compiled code: each becomes a function of the numbers in it, which are its arguments when it runs.
#include "julia/infer/border/just_in_time.h"
#include "julia/syntax/parse.h"
#include "tests/julia/records.h"
#include "tests/julia/score/case.h"

namespace weft::julia::score {
namespace {

struct Lifted {
  std::string body, parameters, arguments;
};

/// Number literals become parameters but for those that are part of a type, a power or what a macro is given: they are of the source.
void lift(const Tree& tree, NodeId id, std::vector<NodeId>& literals) {
  const Kind kind = tree.kind(id);
  if (kind == Kind::kCurly || kind == Kind::kMacroCall || kind == Kind::kQuoteExpr || kind == Kind::kStringLiteral)
    return;
  if ((is_integer(kind) || kind == Kind::kFloat || kind == Kind::kFloat32) && kind != Kind::kBool) {
    literals.push_back(id);
    return;
  }
  const bool is_power = (kind == Kind::kCall || kind == Kind::kDotCall) && tree[id].has(Node::kInfix) &&
                        tree.text(tree.callee(id)) == "^";
  const auto children = tree.children(id);
  for (size_t i = 0; i < children.size(); ++i) {
    if (is_power && i + 1 == children.size()) break;
    lift(tree, children[i], literals);
  }
}

Lifted lifted(const std::string& expression) {
  const Parsed parsed = parse(expression);
  std::vector<NodeId> literals;
  lift(parsed.tree, parsed.tree.root(), literals);
  std::ranges::sort(literals, {}, [&](NodeId id) { return parsed.tree[id].begin; });
  Lifted out;
  size_t at = 0;
  for (size_t i = 0; i < literals.size(); ++i) {
    const Node& n = parsed.tree[literals[i]];
    const std::string name = "lit" + std::to_string(i);
    // 2x is 2 * x.
    const char next = n.end < expression.size() ? expression[n.end] : ' ';
    const bool is_juxtaposed = std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '(';
    out.body += expression.substr(at, n.begin - at) + "(" + name + ")" + (is_juxtaposed ? "*" : "");
    out.parameters += (i > 0 ? ", " : "") + name;
    out.arguments += (i > 0 ? ", " : "") + expression.substr(n.begin, n.end - n.begin);
    at = n.end;
  }
  out.body += expression.substr(at);
  return out;
}

Verdict run_compiled(Session& session, const std::string& expression) {
  Evaluator& e = session.evaluator();
  std::string why = "nothing was compiled";
  const Lifted l = lifted(expression);
  const auto is_true = [](const Value& v) { return v.is(core().bool_) && v.get<bool>(); };
  const auto call = [&] { return e.run("lifted_case(" + l.arguments + ")", "none", e.main()); };
  try {
    e.run("lifted_case(" + l.parameters + ") = " + l.body, "none", e.main());
    std::string got;
    {
      JustInTime compiler(e, CompileMode::kAlways, "eval");
      compiler.refused = [&](const std::string&, const std::string& reason) {
        if (why == "nothing was compiled") why = reason;
      };
      const Value v = call();
      if (is_true(v) && compiler.counts().calls == 0)
        return {false, expression, "compiled", why.substr(0, why.find('\n'))};
      if (is_true(v)) return {.passed = true};
      got = v.is_defined() ? show_text(v) : "no value";
    }
    // Where numbers are arguments an index is no constant, and a derivative by what it leaves out is zero instead of nothing.
    if (!is_true(call())) return {false, expression, "true", "HOST: as a function of its numbers"};
    return {false, expression, "true", "WRONG: " + got};
  } catch (const Error& error) { return {false, expression, "true", "ERROR: " + message_of(session, error)}; }
}

}  // namespace

std::vector<Case> compiled_cases() {
  std::vector<Case> out;
  for (const nlohmann::json& record : records("selftests.jsonl")) {
    if (record["macro"] != "@test" || record["klass"] != "numeric") continue;
    const std::vector<std::string> parts = assertion_parts(record["source"]);
    if (parts.size() != 1) continue;
    Case c;
    c.id = record["id"];
    c.set = "compiled";
    c.suite = c.klass = record["klass"];
    c.origin = record["repo"].get<std::string>() + "/" + record["file"].get<std::string>();
    c.text = record["source"];
    c.run = [expression = parts[0]](Session& session) {
      for (const char* import :
           {"using Test", "using Random", "using LinearAlgebra", "using Statistics", "using Zygote"})
        session.prepare(import);
      Evaluator& e = session.evaluator();
      // Only what holds in the host says anything about compiled code.
      try {
        const Value v = e.run(expression, "none", e.main());
        if (!v.is(core().bool_) || !v.get<bool>()) return Verdict{false, expression, "true", "HOST"};
      } catch (const Error&) { return Verdict{false, expression, "true", "HOST"}; }
      return run_compiled(session, expression);
    };
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace weft::julia::score
