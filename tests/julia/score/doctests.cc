#include <algorithm>
#include <map>
#include <regex>

#include "tests/julia/records.h"
#include "tests/julia/score/case.h"

namespace weft::julia::score {
namespace {

struct Step {
  std::string input, output;
};

struct Block {
  std::vector<std::string> setups;
  std::vector<Step> steps;
  std::vector<std::pair<std::regex, std::string>> filters;
};

std::string text_or_empty(const nlohmann::json& j) { return j.is_string() ? j.get<std::string>() : ""; }

/// `:(using A)` or `quote … end`: the code inside.
std::string unquoted(const std::string& text) {
  if (text.starts_with(":(") && text.ends_with(")")) return text.substr(2, text.size() - 3);
  if (text.starts_with("quote") && text.ends_with("end")) return text.substr(5, text.size() - 8);
  return text;
}

/// r"…" and r"…" => s"…" of a text; what C++ cannot read is left out.
std::vector<std::pair<std::regex, std::string>> filters_of(const std::string& text) {
  static const std::regex each(R"re(r"((?:[^"\\]|\\.)*)"[a-z]*(?:\s*=>\s*s"((?:[^"\\]|\\.)*)")?)re");
  std::vector<std::pair<std::regex, std::string>> out;
  for (std::sregex_iterator m(text.begin(), text.end(), each), end; m != end; ++m) {
    std::string replacement = (*m)[2];
    std::ranges::replace(replacement, '\\', '$');  // s"\1": $1
    try {
      out.emplace_back(std::regex((*m)[1].str()), replacement);
    } catch (const std::regex_error&) {}
  }
  return out;
}

std::string filtered(std::string text, const Block& block) {
  for (const auto& [pattern, replacement] : block.filters) text = std::regex_replace(text, pattern, replacement);
  return text;
}

/// Without blanks at the ends of lines.
std::string right_trimmed(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
    while (at > 0 && text[at - 1] == ' ') text.erase(--at, 1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\t')) text.pop_back();
  return text;
}

/// Ends in a semicolon, but for a comment.
bool is_silent(const std::string& input) {
  const size_t line = input.rfind('\n') + 1;
  std::string last = input.substr(line);
  last = right_trimmed(last.substr(0, last.find('#')));
  return last.ends_with(";");
}

/// What the prompt prints for an input.
std::string answer(Session& session, const std::string& input, bool& is_error) {
  Evaluator& e = session.evaluator();
  session.take_output();
  try {
    const Value v = e.run(input, "none", e.main());
    std::string out = session.take_output();
    Binding& ans = own_binding(e.main(), "ans");
    ans.value = v;
    if (v.is_defined() && !v.is(core().nothing) && !is_silent(input)) {
      display(out, v, e.show_context());
      out.insert(0, session.take_output());
    }
    return right_trimmed(out);
  } catch (const Error& error) {
    is_error = true;
    return right_trimmed(session.take_output() + "ERROR: " + message_of(session, error));
  }
}

/// An error's text is given up to where the stack trace begins.
bool agrees(const Block& block, const std::string& got, const std::string& expected, bool is_error) {
  if (!is_error) return right_trimmed(filtered(got, block)) == right_trimmed(filtered(expected, block));
  std::string head = expected;
  for (const char* mark : {"\n[...]", "\nStacktrace:"}) head = head.substr(0, head.find(mark));
  return !head.empty() && filtered(got, block).starts_with(filtered(head, block));
}

Verdict run_block(Session& session, const std::vector<std::shared_ptr<const Block>>& before, const Block& block) {
  const auto set_up = [&](const Block& b) {
    for (const std::string& setup : b.setups) session.prepare(setup);
  };
  bool ignored = false;
  for (const auto& b : before) {
    set_up(*b);
    for (const Step& step : b->steps) answer(session, step.input, ignored);
  }
  set_up(block);
  for (const Step& step : block.steps) {
    bool is_error = false;
    const std::string got = answer(session, step.input, is_error);
    if (!agrees(block, got, step.output, is_error)) return {false, step.input, step.output, got};
  }
  return {.passed = true};
}

}  // namespace

std::vector<Case> doctests() {
  std::map<std::string, std::vector<std::shared_ptr<const Block>>> sessions;
  std::vector<Case> out;
  for (const nlohmann::json& record : records("doctests.jsonl")) {
    auto block = std::make_shared<Block>();
    const std::string repo = record["repo"], file = record["file"];
    // Pages of the package's own documentation begin with it.
    if (repo == "JuliaLang/LinearAlgebra.jl") block->setups.emplace_back("using LinearAlgebra");
    if (file.starts_with("stdlib/Random/")) block->setups.emplace_back("using Random");
    for (const char* key : {"page_setup", "setup"}) {
      if (record[key].is_string()) block->setups.push_back(unquoted(record[key]));
    }
    for (const nlohmann::json& step : record["steps"])
      block->steps.push_back({step["input"], text_or_empty(step["output"])});
    block->filters = filters_of(text_or_empty(record["filters"]));

    Case c;
    c.id = record["id"];
    c.set = "doctests";
    c.suite = record["suite"];
    c.klass = record["klass"];
    c.origin = repo + "/" + file;
    if (!record["session_ok"].get<bool>()) c.skipped = "depends on state outside the record";
    for (const Step& step : block->steps) c.text += step.input + "\n";
    std::vector<std::shared_ptr<const Block>> before;
    if (record["label"].is_string()) {
      auto& together = sessions[c.origin + ":" + record["label"].get<std::string>()];
      before = together;
      together.push_back(block);
    }
    c.run = [before, block](Session& session) { return run_block(session, before, *block); };
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace weft::julia::score
