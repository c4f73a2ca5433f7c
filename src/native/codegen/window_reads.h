// Where the windows of reduce_window and select_and_scatter read.
#pragma once
#include "native/codegen/reads.h"
#include "ops/reduction/window_rules.h"

namespace weft::codegen {

/// Reads of the element at window position `k` of the window at `at`; loops only over dimensions where windows are wider than 1.
class Windows {
 public:
  explicit Windows(const OpView& op) : w_(op), in_(op.operand_type(0)) {
    for (size_t d = 0; d < w_.dimensions.size(); ++d) {
      if (w_.dimensions[d] > 1) axes_.push_back(d);
    }
  }
  std::vector<int64_t> loops() const {
    std::vector<int64_t> l;
    for (size_t d : axes_) l.push_back(w_.dimensions[d]);
    return l;
  }
  int64_t size() const {
    int64_t n = 1;
    for (int64_t d : w_.dimensions) n *= d;
    return n;
  }
  Read read(IndexSpace& space, std::span<const Expr> at, std::span<const Expr> variables) const {
    Read r;
    std::vector<Expr> digits;
    for (size_t d = 0, k = 0; d < at.size(); ++d) {
      Expr e = at[d] * w_.strides[d] + -w_.padding[2 * d];
      if (w_.dimensions[d] > 1) e = e + variables[k++] * w_.window_dilations[d];
      if (w_.base_dilations[d] > 1) {
        const IndexSpace::Split s = space.split(e, w_.base_dilations[d]);
        r.bounds.push_back({s.remainder, 0, 1});
        e = s.quotient;
      }
      const IndexSpace::Range range = space.range(e);
      const int64_t extent = in_.dim(static_cast<int64_t>(d));
      if (range.low < 0 || range.high >= extent) r.bounds.push_back({e, 0, extent});
      digits.push_back(e);
    }
    r.index = make_index(in_.shape(), digits);
    return r;
  }
  const Window& window() const { return w_; }
  Type input() const { return in_; }

 private:
  Window w_;
  Type in_;
  std::vector<size_t> axes_;
};

}  // namespace weft::codegen
