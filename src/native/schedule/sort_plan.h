// How a sort or top_k runs: the words of the runtime's sort (aot_runtime/weft_rt_sort.h), and why.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft::native {

/// What the program reads of the results.
struct SortUse {
  int64_t take = 0;          // the first so many of each line
  std::vector<bool> wanted;  // per result
};

struct SortPlan {
  std::vector<int64_t> words;  // for one part; `for_parts` sets their number
  bool needs_comparator = false;
  int64_t step = 1;  // between the elements of a line
  SortUse use;
  std::string note;  // which form was chosen and why, for explain

  std::vector<int64_t> for_parts(int64_t parts) const;
};

/// The dimension along which a stablehlo.sort or chlo.top_k orders; -1 for a sort of rank 0.
int64_t sorted_dimension(const OpView& op);

/// Nothing, with a reason, for other ops and for a sort that is not compiled (extents or comparator).
std::optional<SortPlan> plan_sort(const OpView& op, const SortUse& use, std::string* reason);

}  // namespace weft::native
