#include "native/codegen/scatter.h"

#include <algorithm>

#include "native/codegen/layout.h"
#include "native/codegen/reduce.h"
#include "ops/indexing/indexed_dims.h"

namespace weft::codegen {

using llvm::Value;

ScatterLoops scatter_loops(const OpView& op) {
  const size_t n = op.num_results();
  const Type updates = op.operand_type(n + 1);
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  ScatterLoops l{updates.num_elements(), 1, false};
  if (updates.rank() == 0) return l;
  const int64_t last = updates.rank() - 1;
  l.inner_is_window = std::ranges::count(dims.window, last) != 0;
  if (l.inner_is_window) l.inner = updates.dim(last);
  return l;
}

void emit_scatter(Emitter& e, const OpView& op, std::span<Value* const> outputs, const Segment& s, Value* begin,
                  Value* end, bool narrow_memory) {
  const size_t n = op.num_results();
  const Type x = op.operand_type(0), indices = op.operand_type(n), updates = op.operand_type(n + 1);
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  const std::vector<int64_t> window_axes = dims.operand_window_axes(x.rank()),
                             batch_axes = dims.batch_axes(updates.rank());
  const std::vector<int64_t> index_axes = dims.index_axes(indices.rank()),
                             sizes = dims.slice_sizes(x.rank(), updates.shape());
  const ScatterLoops shape = scatter_loops(op);
  RegionFold body(e, op, 0);

  // One update element; digits: its place in the updates.
  auto element = [&](const std::vector<Expr>& digits) {
    std::vector<Expr> place(static_cast<size_t>(x.rank()));
    for (size_t k = 0; k < dims.map.size(); ++k) {
      std::vector<Expr> at;
      for (int64_t d = 0, b = 0; d < indices.rank(); ++d) {
        at.push_back(d == dims.vector_axis ? Expr(static_cast<int64_t>(k))
                                           : digits[static_cast<size_t>(batch_axes[static_cast<size_t>(b++)])]);
      }
      const int64_t d = dims.map[k], extent = x.dim(d), size = sizes[static_cast<size_t>(d)];
      place[static_cast<size_t>(d)] = e.limited(op.operand(n), make_index(indices.shape(), at), -size, extent);
    }
    for (size_t k = 0; k < dims.batching.size(); ++k) {
      const auto it = std::ranges::find(index_axes, dims.indices_batching[k]);
      place[static_cast<size_t>(dims.batching[k])] =
          digits[static_cast<size_t>(batch_axes[static_cast<size_t>(it - index_axes.begin())])];
    }
    for (size_t k = 0; k < window_axes.size(); ++k) {
      Expr& p = place[static_cast<size_t>(window_axes[k])];
      p = p + digits[static_cast<size_t>(dims.window[k])];
    }
    std::vector<Bound> bounds;
    for (int64_t d = 0; d < x.rank(); ++d) {
      const IndexSpace::Range r = e.range(place[static_cast<size_t>(d)]);
      if (r.low < 0 || r.high >= x.dim(d)) bounds.push_back({place[static_cast<size_t>(d)], 0, x.dim(d)});
    }
    const Mask inside = e.bounds(bounds);
    const Expr to = linear(make_index(x.shape(), place));
    const Index from = make_index(updates.shape(), digits);
    std::vector<Val> old, update;
    for (size_t i = 0; i < n; ++i) {
      const ElementType t = op.operand_type(i).element_type();
      old.push_back(body.operand(i, e.load(outputs[i], t, to, x.num_elements(), inside, e.current())));
      update.push_back(body.operand(i, e.eval(op.operand(n + 1 + i), from, {})));
    }
    const std::vector<Val> next = body.finish(body.combine(old, update));
    for (size_t i = 0; i < n; ++i)
      e.store(e.current(), outputs[i], op.result_type(i).element_type(), to, next[i], inside);
  };

  std::function<void(size_t, std::vector<Expr>&, const Expr&)> nest = [&](size_t i, std::vector<Expr>& digits,
                                                                          const Expr& chunk) {
    // Loops over batch axes first, then over windows; the innermost axis of a window last, in chunks.
    std::vector<int64_t> order = batch_axes;
    order.insert(order.end(), dims.window.begin(), dims.window.end());
    if (i == order.size()) return element(digits);
    const int64_t axis = order[i], extent = updates.dim(axis);
    llvm::IRBuilder<> b = e.at(e.current());
    if (shape.inner_is_window && axis == updates.rank() - 1) {
      Value* low = e.scalar_of(chunk * s.chunk);
      b.SetInsertPoint(e.current()->at);
      Value* high =
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, b.getInt64(static_cast<uint64_t>(s.chunk))),
                                  b.getInt64(static_cast<uint64_t>(extent)));
      e.lane_loop(low, high, extent, s.lanes, s.chunks == 1, narrow_memory, [&](const Expr& at) {
        digits[static_cast<size_t>(axis)] = at;
        nest(i + 1, digits, chunk);
      });
      return;
    }
    e.loop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(extent)), 1, {},
           [&](Level* level, Value* iv, std::span<Value* const>) {
             digits[static_cast<size_t>(axis)] = Expr::atom(e.variable(iv, level, {0, extent - 1}));
             nest(i + 1, digits, chunk);
             return std::vector<Value*>{};
           });
  };
  e.loop(begin, end, 1, {}, [&](Level* level, Value* u, std::span<Value* const>) {
    std::vector<Expr> digits(static_cast<size_t>(updates.rank()));
    nest(0, digits, Expr::atom(e.variable(u, level, {0, s.units - 1})));
    return std::vector<Value*>{};
  });
}

}  // namespace weft::codegen
