#include "native/codegen/window.h"

#include "native/codegen/fold.h"
#include "native/codegen/reduce.h"
#include "native/codegen/window_reads.h"

namespace weft::codegen {

using llvm::Value;

namespace {

constexpr int64_t kMaxUnrolled = 16;

std::vector<FoldLoop> fold_loops(std::span<const int64_t> extents, int64_t size) {
  std::vector<FoldLoop> loops;
  for (int64_t n : extents) loops.push_back({n, size <= kMaxUnrolled});
  if (loops.empty()) loops.push_back({1, true});
  return loops;
}

}  // namespace

void walk_reduce_window(DryRun& run, const OpView& op, const Index& index) {
  if (op.operand_type(0).num_elements() == 0) return;
  const Windows windows(op);
  const std::vector<Expr> at = run.digits(index, op.result_type().shape());
  run.loop(windows.loops(), false, [&](std::span<const Expr> variables) {
    const Read r = windows.read(run, at, variables);
    for (size_t i = 0; i < op.num_results(); ++i) run.walk(op.operand(i), r.index);
  });
}

std::vector<Val> emit_reduce_window(Emitter& e, const OpView& op, const Index& index, const Mask& mask) {
  const Windows windows(op);
  const std::vector<Expr> at = e.digits(index, op.result_type().shape());
  RegionFold body(e, op, 0);
  const std::vector<Val> inits = body.inits();
  const bool is_empty = op.operand_type(0).num_elements() == 0;
  Fold fold;
  fold.loops = fold_loops(windows.loops(), windows.size());
  fold.width = e.lanes.count;
  fold.start = inits;
  fold.step = [&](std::span<const Expr> variables, std::span<const Val> accumulators) {
    std::vector<Val> x;
    if (is_empty) {
      x = inits;
    } else {
      const Read r = windows.read(e, at, variables);
      const Mask inside = e.bounds(r.bounds);
      for (size_t i = 0; i < op.num_results(); ++i) {
        x.push_back(e.select(inside, body.operand(i, e.eval(op.operand(i), r.index, e.both(mask, inside))), inits[i]));
      }
    }
    return body.combine(accumulators, x);
  };
  return body.finish(emit_fold(e, fold));
}

namespace {

/// Windows that an input element lies in: along each axis the last that starts at or before it, and those before.
class Covering {
 public:
  Covering(const OpView& op, const Windows& windows)
      : windows_(windows), counts_(windows.window().counts(op.operand_type(0).shape())) {}
  std::vector<int64_t> loops() const {
    const Window& w = windows_.window();
    std::vector<int64_t> l;
    for (size_t d = 0; d < w.dimensions.size(); ++d) l.push_back((w.dimensions[d] + w.strides[d] - 1) / w.strides[d]);
    return l;
  }
  /// The window for loop variables (ascending in place), and whether it exists and holds the element.
  std::vector<Expr> window(IndexSpace& space, std::span<const Expr> element, std::span<const Expr> variables,
                           std::vector<Bound>& bounds) const {
    const Window& w = windows_.window();
    const std::vector<int64_t> l = loops();
    std::vector<Expr> at;
    for (size_t d = 0; d < element.size(); ++d) {
      const Expr shifted = element[d] + w.padding[2 * d];
      const Expr e = space.split(shifted, w.strides[d]).quotient + variables[d] + (1 - l[d]);
      const IndexSpace::Range r = space.range(e);
      if (r.low < 0 || r.high >= counts_[d]) bounds.push_back({e, 0, counts_[d]});
      const Expr within = shifted + e * -w.strides[d];
      const IndexSpace::Range rw = space.range(within);
      if (rw.low < 0 || rw.high >= w.dimensions[d]) bounds.push_back({within, 0, w.dimensions[d]});
      at.push_back(e);
    }
    return at;
  }

 private:
  const Windows& windows_;
  std::vector<int64_t> counts_;
};

int64_t product(std::span<const int64_t> v) {
  int64_t n = 1;
  for (int64_t x : v) n *= x;
  return n;
}

}  // namespace

void walk_select_and_scatter(DryRun& run, const OpView& op, const Index& index) {
  if (op.operand_type(1).num_elements() == 0) return;
  const Windows windows(op);
  const Covering covering(op, windows);
  const std::vector<Expr> element = run.digits(index, op.result_type().shape());
  run.loop(covering.loops(), false, [&](std::span<const Expr> variables) {
    std::vector<Bound> bounds;
    const std::vector<Expr> at = covering.window(run, element, variables, bounds);
    run.loop(windows.loops(), false,
             [&](std::span<const Expr> inner) { run.walk(op.operand(0), windows.read(run, at, inner).index); });
    run.walk(op.operand(1), make_index(op.operand_type(1).shape(), at));
  });
}

// Pulled: an input element asks each window that holds it whether it is the one that was selected there.
std::vector<Val> emit_select_and_scatter(Emitter& e, const OpView& op, const Index& index, const Mask& mask) {
  const ElementType type = op.result_type().element_type();
  const Val init = e.convert(e.eval(op.operand(2), {}, {}), op.operand_type(2).element_type(), type);
  if (op.operand_type(1).num_elements() == 0) return {init};
  const Windows windows(op);
  const Covering covering(op, windows);
  const std::vector<Expr> element = e.digits(index, op.result_type().shape());
  const ElementType number = ElementType::kI32;
  const std::vector<int64_t> inner_loops = windows.loops();
  const bool wide = monoid_of(e.kernel(), op.region(1)) && compute_type(type) != type;

  Fold outer;
  outer.loops = fold_loops(covering.loops(), product(covering.loops()));
  outer.width = e.lanes.count;
  outer.start = {init};
  outer.step = [&](std::span<const Expr> variables, std::span<const Val> accumulators) {
    std::vector<Bound> bounds;
    const std::vector<Expr> at = covering.window(e, element, variables, bounds);
    const Mask exists = e.bounds(bounds);
    const Mask here = e.both(mask, exists);

    // Selected so far: value, number of the position in the window; -1 while only padding was seen.
    Fold select;
    select.loops = fold_loops(inner_loops, windows.size());
    select.width = e.lanes.count;
    select.start = {e.constant(type, 0), e.constant(number, 0xffffffffu)};
    select.step = [&](std::span<const Expr> inner, std::span<const Val> best) {
      const Read r = windows.read(e, at, inner);
      const Mask inside = e.bounds(r.bounds);
      const Val x = e.eval(op.operand(0), r.index, e.both(here, inside));
      Expr position(0);
      for (size_t k = 0; k < inner_loops.size(); ++k) position = position * inner_loops[k] + inner[k];
      Level* level = e.level_of(position);
      const Val n{e.at(level).CreateTrunc(e.scalar_of(position), e.at(level).getInt32Ty()), nullptr, level, 1};
      const int lanes = e.lanes.count;
      const std::vector<Val> args = {best[0], e.spread(x, lanes)};
      const Val keeps = e.spread(e.eval_region(op.region(0), args)[0], lanes);
      const Val bv = e.spread(best[0], lanes), bn = e.spread(best[1], lanes), xv = e.spread(x, lanes),
                xn = e.spread(n, lanes);
      Level* deep = Emitter::deeper(Emitter::deeper(keeps.level, bn.level), Emitter::deeper(xv.level, xn.level));
      llvm::IRBuilder<> b = e.at(deep);
      Value* none = b.CreateICmpSLT(bn.v, llvm::Constant::getNullValue(bn.v->getType()));
      Value* keep = b.CreateAnd(keeps.v, b.CreateNot(none));
      const Val value = e.choose(deep, keep, bv, xv);
      const Val place{b.CreateSelect(keep, bn.v, xn.v), nullptr, deep, lanes};
      return std::vector<Val>{e.select(inside, value, bv), e.select(inside, place, bn)};
    };
    const Val chosen = emit_fold(e, select)[1];

    // This element's own number in that window.
    Expr own(0);
    const Window& w = windows.window();
    for (size_t d = 0; d < element.size(); ++d) {
      own = own * w.dimensions[d] + (element[d] + w.padding[2 * d] + at[d] * -w.strides[d]);
    }
    const int lanes = e.lanes.count;
    Level* level = e.level_of(own);
    Val mine{nullptr, nullptr, level, e.varies_by_lane(own) ? lanes : 1};
    mine.v = mine.lanes > 1 ? e.vector_of(own, lanes, 32)
                            : e.at(level).CreateTrunc(e.scalar_of(own), e.at(level).getInt32Ty());
    mine = e.spread(mine, lanes);
    const Val s = e.convert(e.eval(op.operand(1), make_index(op.operand_type(1).shape(), at), here),
                            op.operand_type(1).element_type(), type);
    const std::vector<Val> args = {accumulators[0], e.spread(s, lanes)};
    e.rounding = !wide;
    const Val sum = e.spread(e.eval_region(op.region(1), args)[0], lanes);
    e.rounding = true;
    Level* deep = Emitter::deeper(Emitter::deeper(sum.level, chosen.level), mine.level);
    llvm::IRBuilder<> b = e.at(deep);
    Value* hit = b.CreateICmpEQ(e.spread(chosen, lanes).v, mine.v);
    const Val next = e.choose(deep, hit, sum, e.spread(accumulators[0], lanes));
    return std::vector<Val>{e.select(exists, next, accumulators[0])};
  };
  Val r = emit_fold(e, outer)[0];
  if (wide) {
    llvm::IRBuilder<> b = e.at(r.level);
    r.v = round_to(b, r.v, type);
  }
  return {r};
}

}  // namespace weft::codegen
