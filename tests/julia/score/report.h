// What weft_julia_score prints.
#pragma once
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "tests/julia/score/case.h"

namespace weft::julia::score {

struct Count {
  size_t passed = 0, all = 0;
};
using Totals = std::map<std::string, Count>;

/// By "doctests core", "selftests numeric".
Totals by_suite(const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts);
Totals by_origin(const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts);

void print_totals(std::ostream& out, const Totals& totals);
void print_failures(std::ostream& out, const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts,
                    size_t most);
/// The most frequent first lines of what failed cases gave instead, so that one cause of many failures is seen.
void print_reasons(std::ostream& out, const std::vector<Verdict>& verdicts, size_t most);
std::string as_json(const std::vector<const Case*>& cases, const std::vector<Verdict>& verdicts);

}  // namespace weft::julia::score
