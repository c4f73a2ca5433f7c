#include "julia/infer/extents.h"

#include <algorithm>

#include "julia/infer/abstract.h"

namespace weft::julia {
namespace {

[[noreturn]] void refuse() {
  throw NotCompiled{Cause::kShape, "an operation that needs the extents of an array, which are open", {}, {}};
}

}  // namespace

const std::vector<int64_t>& Extents::known() const {
  if (is_open()) refuse();
  return raw_;
}

int64_t Extents::operator[](size_t k) const {
  if (is_open(k)) refuse();
  return raw_[k];
}

bool Extents::is_open() const {
  return std::ranges::any_of(raw_, [](int64_t d) { return d < 0; });
}

std::vector<int64_t> Extents::shape() const {
  std::vector<int64_t> out(raw_.rbegin(), raw_.rend());
  for (int64_t& d : out) {
    if (d < 0) d = kDynamic;
  }
  return out;
}

}  // namespace weft::julia
