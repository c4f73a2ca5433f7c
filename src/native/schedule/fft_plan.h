// How a Fourier transform runs: the words and tables of aot_runtime/weft_rt_fft.h, made at compile time.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft::native {

struct FftPlan {
  std::vector<int64_t> words;  // for one part
  std::vector<double> table;
  bool is_double = false;
  std::string note;  // for explain

  std::vector<int64_t> for_parts(int64_t parts) const;
  size_t workspace_bytes(int64_t parts) const;
};

/// Nothing, with a reason, for other ops than stablehlo.fft and where extents are not static.
std::optional<FftPlan> plan_fft(const OpView& op, std::string* reason);

}  // namespace weft::native
