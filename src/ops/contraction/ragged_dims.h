// The dimension numbers of chlo.ragged_dot.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/record.h"

namespace weft::ragged_dims {

using Dims = std::vector<int64_t>;

inline bool contains(const Dims& dims, int64_t d) { return std::ranges::find(dims, d) != dims.end(); }

/// What the ragged dimension of the lhs is.
enum class Ragged : uint8_t { kFree, kContracting, kBatching };

struct RaggedDims {
  Dims lhs_batching, rhs_batching, lhs_contracting, rhs_contracting, ragged, group;

  explicit RaggedDims(const Attrs& a)
      : lhs_batching(a.ints("lhs_batching_dimensions")),
        rhs_batching(a.ints("rhs_batching_dimensions")),
        lhs_contracting(a.ints("lhs_contracting_dimensions")),
        rhs_contracting(a.ints("rhs_contracting_dimensions")),
        ragged(a.ints("lhs_ragged_dimensions")),
        group(a.ints("rhs_group_dimensions")) {}

  Ragged mode() const {
    return contains(lhs_batching, ragged[0])      ? Ragged::kBatching
           : contains(lhs_contracting, ragged[0]) ? Ragged::kContracting
                                                  : Ragged::kFree;
  }
  Dims lhs_free(int64_t rank) const {
    Dims out;
    for (int64_t d = 0; d < rank; ++d) {
      if (!contains(lhs_batching, d) && !contains(lhs_contracting, d)) out.push_back(d);
    }
    return out;
  }
  Dims rhs_free(int64_t rank) const {
    Dims out;
    for (int64_t d = 0; d < rank; ++d) {
      if (!contains(rhs_batching, d) && !contains(rhs_contracting, d) && !contains(group, d)) out.push_back(d);
    }
    return out;
  }
  /// The lhs dimensions over which group_sizes may differ: batching ones and those of the ragged one's kind, before it.
  Dims prefix(int64_t lhs_rank) const {
    Dims out;
    const auto before = [&](const Dims& dims) {
      for (int64_t d : dims) {
        if (d == ragged[0]) return;
        out.push_back(d);
      }
    };
    if (mode() == Ragged::kBatching) {
      before(lhs_batching);
    } else {
      out = lhs_batching;
      before(mode() == Ragged::kContracting ? lhs_contracting : lhs_free(lhs_rank));
    }
    return out;
  }
};

}  // namespace weft::ragged_dims
