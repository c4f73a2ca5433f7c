#include "julia/run/impl.h"
#include "julia/syntax/parse.h"
#include "tests/julia/records.h"
#include "tests/julia/score/case.h"

namespace weft::julia::score {

std::vector<std::string> assertion_parts(const std::string& source) {
  const Parsed parsed = parse(source);
  std::vector<std::string> out;
  if (!parsed.ok()) return out;
  const Tree& tree = parsed.tree;
  NodeId call = tree.root();
  while (tree.kind(call) != Kind::kMacroCall && tree.count(call) == 1) call = tree.child(call, 0);
  if (tree.kind(call) != Kind::kMacroCall) return out;
  for (size_t i = 1; i < tree.count(call); ++i) out.emplace_back(tree.text(tree.child(call, i)));
  return out;
}

namespace {

Verdict failed(const std::string& source, std::string expected, std::string got) {
  return {false, source, std::move(expected), std::move(got)};
}

/// `@test a ≈ b atol=c` holds when isapprox(a, b; atol=c) does.
std::string with_keywords(const std::vector<std::string>& parts) {
  std::string keywords;
  for (size_t i = 1; i < parts.size(); ++i) keywords += (i > 1 ? ", " : "") + parts[i];
  const Parsed parsed = parse(parts[0]);
  const Tree& tree = parsed.tree;
  NodeId call = tree.root();
  while (tree.kind(call) != Kind::kCall && tree.count(call) == 1) call = tree.child(call, 0);
  if (tree.kind(call) != Kind::kCall || tree.count(call) < 2) return parts[0];
  const NodeId callee = tree.callee(call);
  std::string arguments;
  for (const NodeId child : tree.children(call)) {
    if (child != callee) arguments += (arguments.empty() ? "" : ", ") + std::string(tree.text(child));
  }
  return "(" + std::string(tree.text(callee)) + ")(" + arguments + "; " + keywords + ")";
}

Verdict expect_true(Session& session, const std::string& source, const std::vector<std::string>& parts) {
  Evaluator& e = session.evaluator();
  try {
    const Value v = e.run(parts.size() == 1 ? parts[0] : with_keywords(parts), "none", e.main());
    if (v.is(core().bool_) && v.get<bool>()) return {.passed = true};
    return failed(source, "true", v.is_defined() ? show_text(v) : "no value");
  } catch (const Error& error) { return failed(source, "true", "ERROR: " + message_of(session, error)); }
}

/// What is thrown must be of the type, or equal to the exception, or contain the text.
bool is_as_expected(Session& session, const Value& expected, const Error& error) {
  Value got;
  try {
    got = exception_value();  // of the exception that is being handled
  } catch (const Error&) { return false; }
  if (expected.is_type()) return is_a(got, expected.as_type());
  if (expected.is(core().string)) return message_of(session, error).find(string_of(expected)) != std::string::npos;
  if (got.type() != expected.type()) return false;
  for (size_t i = 0; i < field_count(expected); ++i) {
    const Value a = get_field(got, i), b = get_field(expected, i);
    if (a.is_defined() != b.is_defined()) return false;
    if (a.is_defined() && !session.evaluator().is_equal(a, b)) return false;
  }
  return true;
}

Verdict expect_thrown(Session& session, const std::string& source, const std::vector<std::string>& parts) {
  Evaluator& e = session.evaluator();
  Value expected;
  try {
    expected = e.run(parts.at(0), "none", e.main());
  } catch (const Error& error) { return failed(source, parts[0], "ERROR: " + message_of(session, error)); }
  try {
    const Value v = e.run(parts.at(1), "none", e.main());
    return failed(source, parts[0], "no exception, but " + (v.is_defined() ? show_text(v) : "no value"));
  } catch (const Error& error) {
    if (is_as_expected(session, expected, error)) return {.passed = true};
    return failed(source, parts[0], "ERROR: " + message_of(session, error));
  }
}

/// What Zygote's assertions call to ask whether a gradient is right: the numbers of f against central differences.
constexpr const char* kGradientTest = R"(
function gradtest(f, xs::AbstractArray...)
    g(ys...) = sum(y -> sin(y), f(ys...))
    all(zip(eachindex(xs), gradient(g, xs...))) do (k, slopes)
        x, h = float(xs[k]), 1e-5
        moved(j, d) = (y = Array(x); y[j] += d; g(xs[1:k-1]..., y, xs[k+1:end]...))
        expected = reshape([(moved(j, h) - moved(j, -h)) / 2h for j in 1:length(x)], size(x))
        slopes === nothing ? all(iszero, expected) : isapprox(collect(slopes), expected; rtol = 1e-5, atol = 1e-5)
    end
end
gradtest(f, dims...) = gradtest(f, rand.(Float64, dims)...)
)";

}  // namespace

std::vector<Case> selftests() {
  std::vector<Case> out;
  for (const nlohmann::json& record : records("selftests.jsonl")) {
    Case c;
    c.id = record["id"];
    c.set = "selftests";
    c.suite = c.klass = record["klass"];
    const std::string repo = record["repo"];
    c.origin = repo + "/" + record["file"].get<std::string>();
    c.text = record["source"];
    // What the files of a package's tests begin with.
    std::vector<std::string> imports = {"using Test", "using Random", "using LinearAlgebra"};
    if (repo != "JuliaLang/julia") {
      const std::string package = repo.substr(repo.find('/') + 1);
      imports.push_back("using " + package.substr(0, package.find('.')));
    }
    if (repo == "FluxML/Zygote.jl") imports.insert(imports.end(), {"using Statistics", kGradientTest});
    if (c.origin.ends_with("test/ryu.jl")) imports.emplace_back("using Base: Ryu");
    c.run = [source = c.text, imports, throws = record["macro"] == "@test_throws"](Session& session) {
      for (const std::string& import : imports) session.prepare(import);
      const std::vector<std::string> parts = assertion_parts(source);
      if (parts.size() < (throws ? 2 : 1)) return failed(source, "a macro call", "something else");
      return throws ? expect_thrown(session, source, parts) : expect_true(session, source, parts);
    };
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace weft::julia::score
