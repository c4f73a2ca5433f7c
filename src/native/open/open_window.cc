#include "native/open/open_window.h"

#include <algorithm>

namespace weft::native {

OpenWindows::Position OpenWindows::position(OpenEmitter& e, std::span<const OpenIndex> at,
                                            std::span<const OpenIndex> k) const {
  Position p;
  // Without padding, windows of static extents lie inside, and an operand without elements has no windows.
  const auto may_leave = [&](size_t d) {
    return window_.padding[2 * d] != 0 || window_.padding[2 * d + 1] != 0 || window_.base_dilations[d] != 1;
  };
  std::vector<int64_t> left;
  for (size_t d = 0; d < at.size(); ++d) {
    if (moves(d) && may_leave(d)) left.push_back(in_.dim(static_cast<int64_t>(d)));
  }
  const OpenIndex exists = e.non_empty(left);
  for (size_t d = 0, loop = 0; d < at.size(); ++d) {
    if (!moves(d)) {
      p.at.push_back(e.mul(at[d], exists));
      continue;
    }
    OpenIndex i = e.sub(e.mul(at[d], e.number(window_.strides[d])), e.number(window_.padding[2 * d]));
    if (window_.dimensions[d] != 1) i = e.add(i, e.mul(k[loop++], e.number(window_.window_dilations[d])));
    if (!may_leave(d)) {
      p.at.push_back(e.mul(i, exists));
      continue;
    }
    const OpenIndex zero = e.number(0), extent = e.number(in_.dim(static_cast<int64_t>(d)));
    if (window_.base_dilations[d] != 1) {
      const OpenIndex step = e.number(window_.base_dilations[d]), from = e.clamp(i, zero, e.number(INT32_MAX));
      p.inside = e.both(p.inside, e.condition(llvm::CmpInst::ICMP_SGE, i, zero));
      p.inside = e.both(p.inside, e.condition(llvm::CmpInst::ICMP_EQ, e.rem(from, step), zero));
      i = e.div(from, step);
    }
    p.inside = e.both(p.inside, e.condition(llvm::CmpInst::ICMP_ULT, i, extent));
    p.at.push_back(e.mul(e.clamp(i, zero, e.sub(extent, e.number(1))), exists));
  }
  return p;
}

std::vector<OpenValue> OpenEmitter::reduce_window(const OpView& op, const OpenPlace& place) {
  constexpr int64_t kMostUnrolled = 32;
  const OpenWindows windows(op);
  const std::vector<OpenIndex> kept = digits(place, op.result_type().shape());
  int level = 0;
  for (OpenIndex k : kept) level = std::max(level, k.depth);
  const int64_t size = windows.size(names_);
  return fold(op, level, windows.loops(), size > 0 && size <= kMostUnrolled, [&](const std::vector<OpenIndex>& k) {
    const OpenWindows::Position p = windows.position(*this, kept, k);
    std::vector<OpenValue> out;
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Type x = op.operand_type(i);
      const OpenValue v = eval(op.operand(i), this->place(x.shape(), p.at));
      if (p.inside.v == nullptr) {
        out.push_back(v);
        continue;
      }
      const Value init = op.operand(op.num_results() + i);
      const OpenValue start = convert(eval(init, {}), kernel_.type(init).element_type(), x.element_type());
      out.push_back(choose(p.inside, v, start));
    }
    return out;
  });
}

}  // namespace weft::native
