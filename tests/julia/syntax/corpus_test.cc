// Julia's own parser tests, where they are at hand: tests/julia/records.h. Skipped without them.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <regex>

#include "julia/syntax/parse.h"
#include "julia/syntax/parser.h"
#include "julia/syntax/sexpr.h"
#include "tests/julia/records.h"

namespace weft::julia {
namespace {

using Json = nlohmann::json;

std::string from_hex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

using Production = void (*)(Parser&);
const std::map<std::string, Production>& productions() {
  static const std::map<std::string, Production> table = {
      {"parse_toplevel", [](Parser& p) { p.toplevel(); }},
      {"parse_stmts", [](Parser& p) { p.statements(); }},
      {"parse_stmts+kinds", [](Parser& p) { p.statements(); }},
      {"parse_block", [](Parser& p) { p.block(); }},
      {"parse_docstring", [](Parser& p) { p.docstring(); }},
      {"parse_eq", [](Parser& p) { p.eq(); }},
      {"parse_pair", [](Parser& p) { p.pair(); }},
      {"parse_cond", [](Parser& p) { p.conditional(); }},
      {"parse_arrow", [](Parser& p) { p.arrow(); }},
      {"parse_or", [](Parser& p) { p.lazy_or(); }},
      {"parse_and", [](Parser& p) { p.lazy_and(); }},
      {"parse_comparison", [](Parser& p) { p.comparison(); }},
      {"parse_pipe_lt", [](Parser& p) { p.pipe_left(); }},
      {"parse_range", [](Parser& p) { p.range(); }},
      {"parse_invalid_ops", [](Parser& p) { p.invalid_operators(); }},
      {"parse_expr", [](Parser& p) { p.sum(); }},
      {"parse_term", [](Parser& p) { p.term(); }},
      {"parse_rational", [](Parser& p) { p.rational(); }},
      {"parse_shift", [](Parser& p) { p.shift(); }},
      {"parse_unary_subtype", [](Parser& p) { p.unary_subtype(); }},
      {"parse_juxtapose", [](Parser& p) { p.juxtapose(); }},
      {"parse_unary", [](Parser& p) { p.unary(); }},
      {"parse_factor", [](Parser& p) { p.factor(); }},
      {"parse_unary_prefix", [](Parser& p) { p.unary_prefix(); }},
      {"parse_call", [](Parser& p) { p.call(); }},
      {"parse_resword", [](Parser& p) { p.keyword_form(); }},
      {"parse_if_elseif", [](Parser& p) { p.if_elseif(); }},
      {"parse_try", [](Parser& p) { p.try_form(); }},
      {"parse_imports", [](Parser& p) { p.imports(); }},
      {"parse_iteration_specs", [](Parser& p) { p.iteration_specs(); }},
      {"parse_atom", [](Parser& p) { p.atom(); }},
      {"parse_paren", [](Parser& p) { p.paren(); }},
  };
  return table;
}

/// Cases that are about an older grammar: Weft reads Julia 1.12 whatever version a case asks for.
const std::map<std::string, const char*>& declared_exceptions() {
  static const std::map<std::string, const char*> table = {
      {"1950a70d6720 1.6", ".|| came with Julia 1.7"},
      {"09f7db90d855 1.6", ".&& came with Julia 1.7"},
      {"ae076ac8cbeb 1.6", "arrays of any rank came with Julia 1.7"},
      {"103f94f2dbe8 1.7", "else of try came with Julia 1.8"},
      {"250f1b5e9a5f 1.5", "renaming by as came with Julia 1.6"},
      {"2f9c0117d0dd 1.7", "[;;] came with Julia 1.8"},
  };
  return table;
}

TEST(SyntaxCorpus, TreesAreThoseOfTheCases) {
  const std::vector<Json> cases = records("syntax_cases.jsonl");
  if (cases.empty()) GTEST_SKIP() << "no cases at hand";
  size_t passed = 0, excepted = 0;
  for (const Json& r : cases) {
    const std::string production = r["production"], expected = r["expected"], id = r["id"];
    const std::string input = r["input"].is_null() ? from_hex(r["input_hex"]) : r["input"].get<std::string>();
    ASSERT_TRUE(productions().contains(production)) << production;
    Tree tree(input);
    std::vector<Diagnostic> diagnostics;
    Parser parser(tree, diagnostics);
    productions().at(production)(parser);
    const std::string got = sexpr(tree, parser.finish(), production.ends_with("+kinds"));
    const bool same = r["expect_kind"] == "regex" ? std::regex_search(got, std::regex(expected)) : got == expected;
    if (declared_exceptions().contains(id + " " + r["version"].get<std::string>())) {
      ++excepted;
      EXPECT_FALSE(same) << id << " passes: it is no exception any more";
      continue;
    }
    passed += same ? 1 : 0;
    EXPECT_TRUE(same) << id << " " << production << " v" << r["version"] << "\n  input:    " << input
                      << "\n  got:      " << got << "\n  expected: " << expected;
  }
  std::cout << passed << " of " << cases.size() << " cases, " << excepted << " declared exceptions\n";
}

/// What Julia 1.12 says of an input, as the file's own test asks: the first diagnostic of it.
TEST(SyntaxCorpus, DiagnosticsAreThoseOfTheCases) {
  const std::vector<Json> cases = records("syntax_diagnostics.jsonl");
  if (cases.empty()) GTEST_SKIP() << "no diagnostics at hand";
  size_t spans = 0, messages = 0;
  for (const Json& r : cases) {
    const auto input = r["input"].get<std::string>(), opts = r["opts"].get<std::string>();
    Tree tree(input);
    std::vector<Diagnostic> diagnostics;
    Parser parser(tree, diagnostics);
    if (opts.find("rule=:statement") != std::string::npos) {
      parser.statements();
    } else if (opts.find("rule=:atom") != std::string::npos) {
      parser.atom();
    } else {
      parser.toplevel();
    }
    parser.finish();
    if (diagnostics.empty()) {
      ADD_FAILURE() << "nothing said of " << input << ", expected: " << r["message"];
      continue;
    }
    const Diagnostic& d = diagnostics[0];
    const bool one = diagnostics.size() == 1 || opts.find("only_first") != std::string::npos;
    const bool same_span = d.begin + 1 == r["first_byte"] && d.end == r["last_byte"];
    const bool same_level = (d.level == Diagnostic::kError) == (r["level"] == "error");
    spans += same_span ? 1 : 0;
    messages += d.message == r["message"] ? 1 : 0;
    EXPECT_TRUE(one && same_span && same_level && d.message == r["message"])
        << input << "\n  got " << diagnostics.size() << ": " << d.begin + 1 << ".." << d.end << " " << d.message
        << "\n  expected " << r["first_byte"] << ".." << r["last_byte"] << " " << r["message"];
  }
  std::cout << spans << " spans and " << messages << " messages of " << cases.size() << "\n";
}

}  // namespace
}  // namespace weft::julia
