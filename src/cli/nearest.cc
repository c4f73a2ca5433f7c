#include "cli/nearest.h"

#include <algorithm>
#include <vector>

namespace weft::cli {
namespace {

/// Optimal string alignment distance (Damerau-Levenshtein without overlapping swaps).
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, std::span<const std::string> candidates) {
  constexpr size_t kLongest = 64;  // no word of ours is longer, and the table is quadratic
  if (word.size() > kLongest) return {};
  std::string best;
  // A third of the word may be wrong; the beginning of a word is always near it.
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool begins = word.size() > 2 && candidate.starts_with(word) && word != "--";
    const size_t edits = begins ? 1 : distance(word, candidate);
    if (edits >= least) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(const std::string& word, std::span<const std::string> candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : "; did you mean " + best + "?";
}

}  // namespace weft::cli
