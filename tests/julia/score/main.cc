// weft_julia_score: how much of the public examples and assertions about Julia the evaluator gives as Julia does.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>

#include "base/temporary_folder.h"
#include "julia/run/large_stack.h"
#include "tests/julia/score/report.h"
#include "tests/julia/score/workers.h"

namespace weft::julia::score {
namespace {

constexpr int kSkipped = 77;  // as ctest knows it

constexpr const char* kUsage =
    R"(usage: weft_julia_score [options] [FOLDER]
FOLDER holds julia/doctests.jsonl and julia/selftests.jsonl (default: WEFT_CORPUS, ../shared)
  --suite NAME     only this: core, errors, rng, ml, bignum, later; doctests, selftests, or a class of these
  --klass NAME     only this class: numeric, string, numeric-array, …
  --filter TEXT    only records whose name, origin or text contains this
  --failures N     print the first N failures: name, input, expected, got
  --reasons N      print the N most frequent causes of failure
  --origins        totals by file as well
  --skipped        list what is not run, with the reason
  --json FILE      write every verdict to a file
  --compiled       numeric assertions by compiled code instead: what fails says HOST where the host fails as well, WRONG for another result
  --floors FILE    exit 1 when a total is below its floor; lines: SET SUITE NUMBER
  --jobs N         processes (default 2)
  --seconds N      CPU time of one record (default 5)
)";

struct Options {
  std::string suite, klass, filter, json, floors;
  size_t failures = 0, reasons = 0;
  bool origins = false, skipped = false, compiled = false;
  Limits limits;
};

bool is_chosen(const Case& c, const Options& o) {
  const auto has = [&](const std::string& text) { return text.find(o.filter) != std::string::npos; };
  return (o.suite.empty() || c.suite == o.suite || c.set == o.suite) && (o.klass.empty() || c.klass == o.klass) &&
         (o.filter.empty() || has(c.id) || has(c.origin) || has(c.text));
}

/// Totals below their floor, one line each. What was left out by an option has no total.
std::string below_floors(const Totals& totals, const std::string& file) {
  std::ifstream in(file);
  if (!in) throw UserError("cannot read " + file);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string set, suite;
    size_t floor = 0;
    words >> set >> suite >> floor;
    const auto total = totals.find(set + " " + suite);
    if (total != totals.end() && total->second.passed < floor)
      out += set + " " + suite + ": " + std::to_string(total->second.passed) + " passed, the floor is " +
             std::to_string(floor) + "\n";
  }
  return out;
}

int score(const Options& o) {
  std::vector<Case> all = o.compiled ? compiled_cases() : doctests();
  if (!o.compiled) {
    for (Case& c : selftests()) all.push_back(std::move(c));
  }
  if (all.empty()) {
    std::cout << "skipped: there are no records (set WEFT_CORPUS)\n";
    return kSkipped;
  }
  std::vector<const Case*> cases;
  size_t skipped = 0;
  for (const Case& c : all) {
    if (!is_chosen(c, o)) continue;
    if (c.skipped.empty()) {
      cases.push_back(&c);
      continue;
    }
    ++skipped;
    if (o.skipped) std::cout << "skipped " << c.id << "  " << c.origin << ": " << c.skipped << "\n";
  }
  // Records may write files: into a folder that goes away.
  const std::string json = o.json.empty() ? "" : std::filesystem::absolute(o.json).string();
  const std::string floors = o.floors.empty() ? "" : std::filesystem::absolute(o.floors).string();
  const std::filesystem::path before = std::filesystem::current_path();
  const TemporaryFolder folder;
  std::filesystem::current_path(folder.path());
  Session session;
  session.load({"Test", "Random", "LinearAlgebra", "Statistics", "Printf"});
  const std::vector<Verdict> verdicts = run_cases(cases, session, o.limits);
  std::filesystem::current_path(before);
  print_failures(std::cout, cases, verdicts, o.failures);
  print_reasons(std::cout, verdicts, o.reasons);
  if (o.origins) print_totals(std::cout, by_origin(cases, verdicts));
  const Totals totals = by_suite(cases, verdicts);
  print_totals(std::cout, totals);
  std::cout << skipped << " skipped\n";
  if (!json.empty()) std::ofstream(json) << as_json(cases, verdicts);
  if (floors.empty()) return 0;
  const std::string below = below_floors(totals, floors);
  std::cout << below;
  return below.empty() ? 0 : 1;
}

int run(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : throw UserError(kUsage); };
    if (option == "--suite") o.suite = value();
    else if (option == "--klass") o.klass = value();
    else if (option == "--filter") o.filter = value();
    else if (option == "--json") o.json = value();
    else if (option == "--floors") o.floors = value();
    else if (option == "--failures") o.failures = std::stoul(value());
    else if (option == "--reasons") o.reasons = std::stoul(value());
    else if (option == "--jobs") o.limits.jobs = std::stoi(value());
    else if (option == "--seconds") o.limits.seconds = std::stoi(value());
    else if (option == "--compiled") o.compiled = true;
    else if (option == "--origins") o.origins = true;
    else if (option == "--skipped") o.skipped = true;
    else if (!option.starts_with("--")) setenv("WEFT_CORPUS", argv[i], 1);
    else throw UserError(kUsage);
  }
  return score(o);
}

}  // namespace
}  // namespace weft::julia::score

int main(int argc, char** argv) {
  try {
    int code = 0;
    weft::julia::on_large_stack([&] { code = weft::julia::score::run(argc, argv); });
    return code;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
