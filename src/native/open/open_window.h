// Where windows with open extents lie (codegen/window_reads.h has those of static ones).
#pragma once
#include "native/open/open_emitter.h"
#include "ops/reduction/window_rules.h"

namespace weft::native {

class OpenWindows {
 public:
  explicit OpenWindows(const OpView& op) : window_(op), in_(op.operand_type(0)) {
    for (size_t d = 0; d < window_.dimensions.size(); ++d) {
      if (window_.dimensions[d] != 1) axes_.push_back(d);
    }
  }
  const Window& window() const { return window_; }
  /// Loops over the positions of a window, of dimensions in which it is wider than 1.
  std::vector<int64_t> loops() const {
    std::vector<int64_t> l;
    for (size_t d : axes_) l.push_back(window_.dimensions[d]);
    return l;
  }
  /// The number of positions; 0 when it is open.
  int64_t size(const ExtentNames& names) const {
    int64_t n = 1;
    for (int64_t d : window_.dimensions) {
      if (names.is_open(d)) return 0;
      n *= d;
    }
    return n;
  }
  /// Whether windows move along dimension d: otherwise they take its elements one by one.
  bool moves(size_t d) const {
    return window_.dimensions[d] != 1 || window_.strides[d] != 1 || window_.padding[2 * d] != 0 ||
           window_.padding[2 * d + 1] != 0 || window_.base_dilations[d] != 1;
  }

  struct Position {
    std::vector<OpenIndex>
        at;            // of an element of the input, if there is any: in its bounds where `inside` does not hold
    OpenIndex inside;  // no value: always
  };
  /// Position `k` of window `at`.
  Position position(OpenEmitter& e, std::span<const OpenIndex> at, std::span<const OpenIndex> k) const;

 private:
  const Window window_;
  const Type in_;
  std::vector<size_t> axes_;
};

}  // namespace weft::native
