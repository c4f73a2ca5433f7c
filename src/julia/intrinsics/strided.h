// Arrays of machine numbers as strided memory: arrays themselves, and views, transposes and permutations of them.
#pragma once
#include <optional>
#include <vector>

#include "julia/host/number.h"

namespace weft::julia {

struct Strided {
  NumberKind kind = NumberKind::kBool;
  std::byte* data = nullptr;           ///< the first element
  std::vector<int64_t> dims, strides;  ///< strides in elements
  Value owner;                         ///< the array whose memory it is
  int64_t length() const;
  bool is_contiguous() const;
};

/// Nothing for what is not strided memory of machine numbers.
std::optional<Strided> strided_of(const Value& v);
/// Element size in bytes.
size_t size_of(NumberKind k);

/// Positions of a box of indices in one or more strided arrays, a run along the first dimension at a time.
class RunWalker {
 public:
  RunWalker(std::vector<int64_t> dims, int64_t start);
  /// The length of the run from here on, at most `most`.
  int64_t run(int64_t most) const;
  /// Where the run begins under some strides.
  int64_t offset(const std::vector<int64_t>& strides) const;
  /// Moves past n elements, which are within the run.
  void advance(int64_t n);

 private:
  std::vector<int64_t> dims_, index_;
};

/// Elements [start, start + n) of the box of `dims` (column-major), read through strides in elements.
void gather(const std::byte* data, size_t size, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
            int64_t start, int64_t n, std::byte* out);
void scatter(std::byte* data, size_t size, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
             int64_t start, int64_t n, const std::byte* in);

}  // namespace weft::julia
