#include "native/open/open_scatter.h"

#include <algorithm>

#include "ops/indexing/indexed_dims.h"

namespace weft::native {
namespace {

class Scatter : public OpenRoot {
 public:
  Scatter(const OpView& op, const ExtentNames& names)
      : OpenRoot(op, names),
        n_(op.num_results()),
        x_(op.operand_type(0)),
        indices_(op.operand_type(n_)),
        updates_(op.operand_type(n_ + 1)),
        dims_(IndexedDims::of_scatter(op.attrs())),
        windows_(dims_.operand_window_axes(x_.rank())),
        batch_(dims_.batch_axes(updates_.rank())),
        index_axes_(dims_.index_axes(indices_.rank())),
        sizes_(dims_.slice_sizes(x_.rank(), updates_.shape())) {
    for (int64_t axis = 0; axis < updates_.rank(); ++axis) (is_free(axis) ? free_ : serial_).push_back(axis);
    has_inner_ = !free_.empty() && free_.back() == updates_.rank() - 1;
  }

  std::vector<int64_t> extents() const override {
    std::vector<int64_t> out;
    for (int64_t axis : free_) out.push_back(updates_.dim(axis));
    if (!has_inner_) out.push_back(1);
    return out;
  }

  void emit(OpenEmitter& e, std::span<const OpenIndex> outer, OpenIndex low, OpenIndex high) override {
    std::vector<OpenIndex> digits(static_cast<size_t>(updates_.rank()), e.number(0));
    for (size_t k = 0; k < free_.size() - (has_inner_ ? 1 : 0); ++k) digits[static_cast<size_t>(free_[k])] = outer[k];
    const std::function<void(size_t)> nest = [&](size_t k) {
      if (k < serial_.size()) {
        const size_t axis = static_cast<size_t>(serial_[k]);
        loop(e, e.number(0), e.number(updates_.shape()[axis]), false, [&](OpenIndex i) {
          digits[axis] = i;
          nest(k + 1);
        });
        return;
      }
      std::vector<OpenIndex> place = starts(e, digits);
      OpenIndex inside;
      for (size_t w = 0; w < windows_.size(); ++w) {
        // The innermost free axis is where nothing moves: it is added below.
        if (has_inner_ && dims_.window[w] == free_.back()) continue;
        OpenIndex& p = place[static_cast<size_t>(windows_[w])];
        p = e.add(p, digits[static_cast<size_t>(dims_.window[w])]);
      }
      for (int64_t d : dims_.map)
        inside =
            e.both(inside, e.condition(llvm::CmpInst::ICMP_ULT, place[static_cast<size_t>(d)], e.number(x_.dim(d))));
      when(e, inside, [&] {
        if (!has_inner_) return element(e, place, digits);
        loop(e, low, high, true, [&](OpenIndex i) {
          digits.back() = i;
          for (size_t w = 0; w < windows_.size(); ++w) {
            if (dims_.window[w] == free_.back()) place[static_cast<size_t>(windows_[w])] = i;
          }
          for (size_t k = 0; k < dims_.batching.size(); ++k) {
            if (batch_axis(k) == free_.back()) place[static_cast<size_t>(dims_.batching[k])] = i;
          }
          element(e, place, digits);
        });
      });
    };
    nest(0);
  }

 private:
  /// The axis of the updates that goes with batching dimension k.
  int64_t batch_axis(size_t k) const {
    const auto it = std::ranges::find(index_axes_, dims_.indices_batching[k]);
    return batch_[static_cast<size_t>(it - index_axes_.begin())];
  }
  /// Updates at different places of such an axis never meet.
  bool is_free(int64_t axis) const {
    for (size_t w = 0; w < windows_.size(); ++w) {
      if (dims_.window[w] == axis) return std::ranges::count(dims_.map, windows_[w]) == 0;
    }
    for (size_t k = 0; k < dims_.batching.size(); ++k) {
      // Indices that vary along the axis would be read in the innermost loop.
      if (batch_axis(k) == axis) return axis != updates_.rank() - 1;
    }
    return false;
  }

  std::vector<OpenIndex> starts(OpenEmitter& e, const std::vector<OpenIndex>& digits) const {
    std::vector<OpenIndex> place(static_cast<size_t>(x_.rank()), e.number(0));
    for (size_t k = 0; k < dims_.map.size(); ++k) {
      std::vector<OpenIndex> at;
      for (int64_t d = 0, b = 0; d < indices_.rank(); ++d) {
        at.push_back(d == dims_.vector_axis ? e.number(static_cast<int64_t>(k))
                                            : digits[static_cast<size_t>(batch_[static_cast<size_t>(b++)])]);
      }
      const int64_t d = dims_.map[k];
      const OpenIndex size = e.number(sizes_[static_cast<size_t>(d)]);
      place[static_cast<size_t>(d)] = e.clamp(e.index_value(op_.operand(n_), e.place(indices_.shape(), at)),
                                              e.sub(e.number(0), size), e.number(x_.dim(d)));
    }
    for (size_t k = 0; k < dims_.batching.size(); ++k)
      place[static_cast<size_t>(dims_.batching[k])] = digits[static_cast<size_t>(batch_axis(k))];
    return place;
  }

  void element(OpenEmitter& e, const std::vector<OpenIndex>& place, const std::vector<OpenIndex>& digits) const {
    const OpenPlace to = e.place(x_.shape(), place), from = e.place(updates_.shape(), digits);
    const auto params = op_.function.args(op_.region(0));
    std::vector<OpenValue> args(2 * n_);
    for (size_t i = 0; i < n_; ++i) {
      const ElementType t = x_of(i).element_type();
      OpenIndex offset = e.linear(to);
      offset.depth = e.depth();  // what stands there changes from turn to turn
      args[i] = e.convert(e.load(e.buffer(outputs_ + i), t, offset), t, type(params[i]).element_type());
      const Value update = op_.operand(n_ + 1 + i);
      args[n_ + i] = e.convert(e.eval(update, from), type(update).element_type(), type(params[n_ + i]).element_type());
    }
    const std::vector<OpenValue> next = e.region(op_.region(0), args);
    for (size_t i = 0; i < n_; ++i) {
      const OpId last = op_.function.terminator(op_.region(0));
      const ElementType t = op_.result_type(i).element_type();
      e.store(outputs_ + i, t, to, e.convert(next[i], type(op_.function.operand(last, i)).element_type(), t));
    }
  }
  Type x_of(size_t i) const { return op_.operand_type(i); }

  const size_t n_;
  const Type x_, indices_, updates_;
  const IndexedDims dims_;
  const std::vector<int64_t> windows_, batch_, index_axes_, sizes_;
  std::vector<int64_t> free_, serial_;
  bool has_inner_ = false;
};

}  // namespace

std::unique_ptr<OpenRoot> open_scatter(const OpView& op, const ExtentNames& names) {
  return std::make_unique<Scatter>(op, names);
}

}  // namespace weft::native
