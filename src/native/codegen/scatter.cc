#include "native/codegen/scatter.h"

#include <algorithm>

#include "native/codegen/fold.h"
#include "native/codegen/layout.h"
#include "native/codegen/reduce.h"
#include "ops/indexing/indexed_dims.h"

namespace weft::codegen {

using llvm::Value;

namespace {

/// The loops over updates, outermost first.
struct Loops {
  std::vector<int64_t> free;     // axes along which no two updates meet: units
  std::vector<int64_t> batch;    // other batch axes, in order
  bool inner_is_window = false;  // the last axis of the updates is one of a window: its elements go to different places
  int64_t inner = 1;
};

Loops loops_of(const OpView& op) {
  const size_t n = op.num_results();
  const Type updates = op.operand_type(n + 1), indices = op.operand_type(n);
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  const bool is_unique = op.attrs().boolean_or("unique_indices", false);
  const std::vector<int64_t> batch_axes = dims.batch_axes(updates.rank()), index_axes = dims.index_axes(indices.rank());
  Loops l;
  for (size_t i = 0; i < batch_axes.size(); ++i) {
    const bool is_free = is_unique || std::ranges::count(dims.indices_batching, index_axes[i]) != 0;
    (is_free ? l.free : l.batch).push_back(batch_axes[i]);
  }
  const int64_t last = updates.rank() - 1;
  l.inner_is_window = updates.rank() > 0 && std::ranges::count(dims.window, last) != 0;
  if (l.inner_is_window) l.inner = updates.dim(last);
  return l;
}

class ScatterEmitter {
 public:
  ScatterEmitter(Emitter& e, const OpView& op, const Segment& s, bool narrow_memory)
      : e_(e),
        op_(op),
        s_(s),
        n_(op.num_results()),
        x_(op.operand_type(0)),
        indices_(op.operand_type(n_)),
        updates_(op.operand_type(n_ + 1)),
        dims_(IndexedDims::of_scatter(op.attrs())),
        window_axes_(dims_.operand_window_axes(x_.rank())),
        batch_axes_(dims_.batch_axes(updates_.rank())),
        index_axes_(dims_.index_axes(indices_.rank())),
        sizes_(dims_.slice_sizes(x_.rank(), updates_.shape())),
        loops_(loops_of(op)),
        narrow_memory_(narrow_memory),
        body(e, op, 0) {}

 private:
  Emitter& e_;
  const OpView op_;
  const Segment& s_;
  const size_t n_;
  const Type x_, indices_, updates_;
  const IndexedDims dims_;
  const std::vector<int64_t> window_axes_, batch_axes_, index_axes_, sizes_;
  const Loops loops_;
  const bool narrow_memory_;

 public:
  RegionFold body;
  /// Where updates go: the results, or copies of them in parts.
  struct Target {
    std::vector<Value*> buffers;
    int64_t elements = 0;
    Expr first;            // place of the copy
    bool is_part = false;  // elements are accumulators
  };

  /// All updates at these digits of the free axes.
  void updates(const Target& to, std::vector<Expr> digits, const Expr& chunk) {
    std::vector<int64_t> order = loops_.batch;
    order.insert(order.end(), dims_.window.begin(), dims_.window.end());
    nest(to, order, 0, digits, chunk, nullptr, nullptr);
  }
  /// Updates [low, high) of the first axis that is not free.
  void part(const Target& to, Value* low, Value* high) {
    std::vector<int64_t> order = loops_.batch;
    order.insert(order.end(), loops_.free.begin(), loops_.free.end());
    order.insert(order.end(), dims_.window.begin(), dims_.window.end());
    std::vector<Expr> digits(static_cast<size_t>(updates_.rank()));
    nest(to, order, 0, digits, Expr(0), low, high);
  }

  /// The digits of a unit, its chunk last.
  std::vector<Expr> unit(const Expr& number, Expr& chunk) {
    std::vector<int64_t> extents;
    for (int64_t d : loops_.free) extents.push_back(updates_.dim(d));
    extents.push_back(s_.chunks);
    const std::vector<Expr> at = e_.digits({{s_.units, number}}, extents);
    std::vector<Expr> digits(static_cast<size_t>(updates_.rank()));
    for (size_t i = 0; i < loops_.free.size(); ++i) digits[static_cast<size_t>(loops_.free[i])] = at[i];
    chunk = at.back();
    return digits;
  }

 private:
  void nest(const Target& to, const std::vector<int64_t>& order, size_t i, std::vector<Expr>& digits, const Expr& chunk,
            Value* low, Value* high) {
    if (i == order.size() - dims_.window.size()) {
      return located(digits, [&](const std::vector<Expr>& start) { windows(to, 0, digits, start, chunk); });
    }
    const int64_t axis = order[i], extent = updates_.dim(axis);
    loop(low, high, extent, [&](const Expr& at) {
      digits[static_cast<size_t>(axis)] = at;
      nest(to, order, i + 1, digits, chunk, nullptr, nullptr);
    });
  }

  void loop(Value* low, Value* high, int64_t extent, const std::function<void(const Expr&)>& body) {
    llvm::IRBuilder<> b = e_.at(e_.current());
    if (low == nullptr) low = b.getInt64(0);
    if (high == nullptr) high = b.getInt64(static_cast<uint64_t>(extent));
    e_.loop(low, high, 1, {}, [&](Level* level, Value* iv, std::span<Value* const>) {
      body(Expr::atom(e_.variable(iv, level, {0, extent - 1})));
      return std::vector<Value*>{};
    });
  }

  // Where the window of an index vector begins, along axes that indices say nothing of at 0. Along axes of extent 1 it is checked here, and
  // nothing is done for a window outside.
  void located(const std::vector<Expr>& digits, const std::function<void(const std::vector<Expr>&)>& body) {
    std::vector<Expr> start(static_cast<size_t>(x_.rank()));
    Value* inside = nullptr;
    for (size_t k = 0; k < dims_.map.size(); ++k) {
      std::vector<Expr> at;
      for (int64_t d = 0, b = 0; d < indices_.rank(); ++d) {
        at.push_back(d == dims_.vector_axis ? Expr(static_cast<int64_t>(k))
                                            : digits[static_cast<size_t>(batch_axes_[static_cast<size_t>(b++)])]);
      }
      const size_t d = static_cast<size_t>(dims_.map[k]);
      const int64_t extent = x_.dim(dims_.map[k]);
      const Index index = make_index(indices_.shape(), at);
      if (sizes_[d] > 1) {
        start[d] = e_.limited(op_.operand(n_), index, -sizes_[d], extent);
        continue;
      }
      // As an unsigned number, what is below 0 is too large.
      const Val v = e_.eval(op_.operand(n_), index, {});
      llvm::IRBuilder<> b = e_.at(v.level);
      Value* place = b.CreateIntCast(v.v, b.getInt64Ty(), is_signed_integer(indices_.element_type()));
      b.SetInsertPoint(e_.current()->at);
      Value* fits = b.CreateICmpULT(place, b.getInt64(static_cast<uint64_t>(extent)));
      inside = inside == nullptr ? fits : b.CreateAnd(inside, fits);
      start[d] = Expr::atom(e_.opaque(place, v.level, {0, extent - 1}));
    }
    for (size_t k = 0; k < dims_.batching.size(); ++k) {
      const auto it = std::ranges::find(index_axes_, dims_.indices_batching[k]);
      start[static_cast<size_t>(dims_.batching[k])] =
          digits[static_cast<size_t>(batch_axes_[static_cast<size_t>(it - index_axes_.begin())])];
    }
    if (inside == nullptr) return body(start);
    e_.branch(inside, [&](Level*) { body(start); });
  }

  void windows(const Target& to, size_t i, std::vector<Expr>& digits, const std::vector<Expr>& start,
               const Expr& chunk) {
    if (i == dims_.window.size()) return element(to, digits, start);
    const int64_t axis = dims_.window[i], extent = updates_.dim(axis);
    const auto deeper = [&](const Expr& at) {
      digits[static_cast<size_t>(axis)] = at;
      windows(to, i + 1, digits, start, chunk);
    };
    if (axis != updates_.rank() - 1) return loop(nullptr, nullptr, extent, deeper);
    llvm::IRBuilder<> b = e_.at(e_.current());
    Value* first = e_.scalar_of(chunk * s_.chunk);
    b.SetInsertPoint(e_.current()->at);
    Value* end =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(first, b.getInt64(static_cast<uint64_t>(s_.chunk))),
                                b.getInt64(static_cast<uint64_t>(extent)));
    e_.lane_loop(first, end, extent, s_.lanes, s_.chunks == 1, narrow_memory_, deeper);
  }

  // One update element; digits: its place in the updates.
  void element(const Target& target, const std::vector<Expr>& digits, std::vector<Expr> place) {
    for (size_t k = 0; k < window_axes_.size(); ++k) {
      Expr& p = place[static_cast<size_t>(window_axes_[k])];
      p = p + digits[static_cast<size_t>(dims_.window[k])];
    }
    std::vector<Bound> bounds;
    for (int64_t d = 0; d < x_.rank(); ++d) {
      const IndexSpace::Range r = e_.range(place[static_cast<size_t>(d)]);
      if (r.low < 0 || r.high >= x_.dim(d)) bounds.push_back({place[static_cast<size_t>(d)], 0, x_.dim(d)});
    }
    const Mask inside = e_.bounds(bounds);
    const Expr to = linear(make_index(x_.shape(), place)) + target.first;
    const Index from = make_index(updates_.shape(), digits);
    std::vector<Val> old, update;
    for (size_t i = 0; i < n_; ++i) {
      const ElementType t = op_.operand_type(i).element_type();
      const Val was =
          e_.load(target.buffers[i], target.is_part ? compute_type(t) : t, to, target.elements, inside, e_.current());
      old.push_back(target.is_part ? was : body.operand(i, was));
      update.push_back(body.operand(i, e_.eval(op_.operand(n_ + 1 + i), from, {})));
    }
    std::vector<Val> next = body.combine(old, update);
    if (!target.is_part) next = body.finish(std::move(next));
    for (size_t i = 0; i < n_; ++i) {
      const ElementType t = op_.result_type(i).element_type();
      e_.store(e_.current(), target.buffers[i], target.is_part ? compute_type(t) : t, to, next[i], inside);
    }
  }
};

constexpr int64_t kFinishChunk = 4096;

/// Extent of the loop that parts cut.
int64_t cut_extent(const OpView& op) {
  const Loops l = loops_of(op);
  return l.batch.empty() ? 1 : op.operand_type(op.num_results() + 1).dim(l.batch[0]);
}

Value* limit(Emitter& e, Value* from, int64_t count, int64_t most) {
  llvm::IRBuilder<> b = e.at(e.current());
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(from, b.getInt64(static_cast<uint64_t>(count))),
                                 b.getInt64(static_cast<uint64_t>(most)));
}

}  // namespace

void plan_scatter(const OpView& op, const KernelOptions& options, Segment& s) {
  constexpr int64_t kColumns = 128, kLine = 16, kMinPart = 1 << 14, kMaxParts = 32, kMaxScratch = int64_t{64} << 20;
  const Type x = op.operand_type(0), updates = op.operand_type(op.num_results() + 1);
  const Loops loops = loops_of(op);
  const int natural = natural_lanes(op.function, options);
  s.kind = SegmentKind::kScatter;
  s.lanes = loops.inner_is_window ? lanes_for_extent(loops.inner, natural) : 1;
  s.chunk = loops.inner;
  // Each chunk reads all indices.
  if (loops.inner_is_window && loops.inner >= 2 * kColumns) {
    s.chunk = kColumns;
  } else if (loops.inner_is_window && loops.inner >= 4 * kLine) {
    s.chunk = (loops.inner / 2 + kLine - 1) / kLine * kLine;
  }
  s.chunks = (loops.inner + s.chunk - 1) / s.chunk;
  int64_t free = 1;
  for (int64_t d : loops.free) free *= updates.dim(d);
  s.units = updates.num_elements() == 0 ? 0 : free * s.chunks;
  if (s.units == 0) return;
  const double work = static_cast<double>(updates.num_elements()) * (s.lanes > 1 ? 0.5 : 3);
  s.work_per_unit = work / static_cast<double>(s.units);

  const ElementType t = op.result_type(0).element_type();
  const int64_t places = x.num_elements(), bytes = static_cast<int64_t>(byte_size(compute_type(t)));
  const int64_t cut = cut_extent(op);
  // To have its places, a part costs a store and a sum for each.
  const int64_t wanted = std::min({kMaxParts, cut, updates.num_elements() / kMinPart,
                                   2 * updates.num_elements() / places, kMaxScratch / (places * bytes)});
  if (s.units >= kMaxParts || s.chunks > 1 || wanted < 2 || op.num_results() != 1 ||
      !monoid_of(op.function, op.region(0)) || op.function.type(op.function.args(op.region(0))[0]).element_type() != t)
    return;
  s.step = (cut + wanted - 1) / wanted;
  s.parts = (cut + s.step - 1) / s.step;
  if (s.parts < 2) {
    s.parts = s.step = 0;
    return;
  }
  s.kept = places;
  s.kept_lanes = lanes_for_extent(places, natural);
  s.units = (places + kFinishChunk - 1) / kFinishChunk;
  s.work_per_unit = work / static_cast<double>(s.units);
  s.finish_work = 0.1 * static_cast<double>(places * (s.parts + 2));
}

size_t scatter_part_bytes(const OpView& op, const Segment& s) {
  const auto bytes = static_cast<size_t>(s.kept) * byte_size(compute_type(op.result_type(0).element_type()));
  return (bytes + 63) / 64 * 64;
}

void emit_scatter(Emitter& e, const OpView& op, std::span<Value* const> outputs, const Segment& s, Value* begin,
                  Value* end, bool narrow_memory) {
  ScatterEmitter scatter(e, op, s, narrow_memory);
  const ScatterEmitter::Target to = {
      {outputs.begin(), outputs.end()}, op.operand_type(0).num_elements(), Expr(0), false};
  e.loop(begin, end, 1, {}, [&](Level* level, Value* u, std::span<Value* const>) {
    Expr chunk;
    const std::vector<Expr> digits = scatter.unit(Expr::atom(e.variable(u, level, {0, s.units - 1})), chunk);
    scatter.updates(to, digits, chunk);
    return std::vector<Value*>{};
  });
}

namespace {

/// A part's copy is a whole number of cache lines.
int64_t part_stride(const OpView& op, const Segment& s) {
  return static_cast<int64_t>(scatter_part_bytes(op, s) / byte_size(compute_type(op.result_type(0).element_type())));
}

}  // namespace

void emit_scatter_parts(Emitter& e, const OpView& op, const Segment& s, Value* scratch, Value* begin, Value* end,
                        bool narrow_memory) {
  ScatterEmitter scatter(e, op, s, narrow_memory);
  const ElementType t = compute_type(op.result_type(0).element_type());
  const int64_t stride = part_stride(op, s), extent = cut_extent(op);
  e.loop(begin, end, 1, {}, [&](Level* level, Value* p, std::span<Value* const>) {
    const Expr part = Expr::atom(e.variable(p, level, {0, s.parts - 1}));
    llvm::IRBuilder<> b = e.at(level);
    e.lane_loop(
        b.getInt64(0), b.getInt64(static_cast<uint64_t>(s.kept)), s.kept, s.kept_lanes, true, byte_size(t) < 4,
        [&](const Expr& i) { e.store(e.current(), scratch, t, part * stride + i, scatter.body.neutral(), {}); });
    b.SetInsertPoint(e.current()->at);
    Value* low = b.CreateMul(p, b.getInt64(static_cast<uint64_t>(s.step)));
    scatter.part({{scratch}, stride * s.parts, part * stride, true}, low, limit(e, low, s.step, extent));
    return std::vector<Value*>{};
  });
}

void emit_scatter_finish(Emitter& e, const OpView& op, Value* output, const Segment& s, Value* scratch, Value* begin,
                         Value* end, bool narrow_memory) {
  ScatterEmitter scatter(e, op, s, narrow_memory);
  const ElementType type = op.result_type(0).element_type(), t = compute_type(type);
  const int64_t stride = part_stride(op, s), chunk = kFinishChunk;
  e.loop(begin, end, 1, {}, [&](Level* level, Value* u, std::span<Value* const>) {
    llvm::IRBuilder<> in = e.at(level);
    Value* low = in.CreateMul(u, in.getInt64(static_cast<uint64_t>(chunk)));
    e.lane_loop(low, limit(e, low, chunk, s.kept), s.kept, s.kept_lanes, false, narrow_memory, [&](const Expr& i) {
      Fold fold;
      fold.loops = {{s.parts}};
      fold.width = e.lanes.count;
      fold.start = {scatter.body.operand(0, e.load(output, type, i, s.kept, {}, e.current()))};
      fold.step = [&](std::span<const Expr> part, std::span<const Val> a) {
        return scatter.body.combine(a,
                                    std::vector<Val>{e.load(scratch, t, part[0] * stride + i, stride * s.parts, {})});
      };
      const std::vector<Val> sum = emit_fold(e, fold);
      e.store(e.current(), output, type, i, scatter.body.finish(sum)[0], {});
    });
    return std::vector<Value*>{};
  });
}

}  // namespace weft::codegen
