#include "tests/julia/score/report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

namespace weft::julia::score {
namespace {

void print_count(std::ostream& out, const std::string& name, const Count& count) {
  const double percent =
      count.all == 0 ? 0 : 100.0 * static_cast<double>(count.passed) / static_cast<double>(count.all);
  char line[160];
  std::snprintf(line, sizeof line, "%-58s %5zu of %5zu  %5.1f %%\n", name.c_str(), count.passed, count.all, percent);
  out << line;
}

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) out += c == '\n' ? "\n    " : std::string(1, c);
  return out + "\n";
}

}  // namespace

Totals by_suite(const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts) {
  Totals out;
  for (size_t i = 0; i < cases.size(); ++i) {
    Count& count = out[cases[i]->set + " " + cases[i]->suite];
    ++count.all;
    count.passed += verdicts[i].passed ? 1 : 0;
  }
  return out;
}

Totals by_origin(const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts) {
  Totals out;
  for (size_t i = 0; i < cases.size(); ++i) {
    Count& count = out[cases[i]->set + " " + cases[i]->origin];
    ++count.all;
    count.passed += verdicts[i].passed ? 1 : 0;
  }
  return out;
}

void print_totals(std::ostream& out, const Totals& totals) {
  Count sum;
  for (const auto& [name, count] : totals) {
    print_count(out, name, count);
    sum.passed += count.passed;
    sum.all += count.all;
  }
  print_count(out, "all", sum);
}

void print_failures(std::ostream& out, const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts,
                    size_t most) {
  for (size_t i = 0; i < cases.size() && most > 0; ++i) {
    if (verdicts[i].passed) continue;
    --most;
    out << cases[i]->id << "  " << cases[i]->set << " " << cases[i]->suite << "  " << cases[i]->origin << "\n"
        << "  input\n"
        << indented(verdicts[i].input) << "  expected\n"
        << indented(verdicts[i].expected) << "  got\n"
        << indented(verdicts[i].got) << "\n";
  }
}

void print_reasons(std::ostream& out, const std::vector<Verdict>& verdicts, size_t most) {
  constexpr size_t kWidth = 120;
  std::map<std::string, size_t> counts;
  for (const Verdict& v : verdicts) {
    if (!v.passed) ++counts[v.got.substr(0, v.got.find('\n')).substr(0, kWidth)];
  }
  std::vector<std::pair<std::string, size_t>> list(counts.begin(), counts.end());
  std::ranges::stable_sort(list, std::greater(), &std::pair<std::string, size_t>::second);
  for (size_t i = 0; i < std::min(most, list.size()); ++i) out << list[i].second << "  " << list[i].first << "\n";
}

std::string as_json(const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts) {
  nlohmann::json out = nlohmann::json::array();
  for (size_t i = 0; i < cases.size(); ++i) {
    nlohmann::json record = {{"id", cases[i]->id},       {"set", cases[i]->set},       {"suite", cases[i]->suite},
                             {"klass", cases[i]->klass}, {"origin", cases[i]->origin}, {"passed", verdicts[i].passed}};
    if (!verdicts[i].passed) {
      record["input"] = verdicts[i].input;
      record["expected"] = verdicts[i].expected;
      record["got"] = verdicts[i].got;
    }
    out.push_back(std::move(record));
  }
  return out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace weft::julia::score
