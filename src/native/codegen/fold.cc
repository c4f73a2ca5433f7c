#include "native/codegen/fold.h"

#include "native/codegen/layout.h"

namespace weft::codegen {

using llvm::Value;

namespace {

class FoldEmitter {
 public:
  FoldEmitter(Emitter& e, const Fold& fold) : e_(e), fold_(fold), can_mask_(e.options().isa.has_masks) {}

  std::vector<Val> run() {
    Level* const here = e_.current();
    const std::vector<Value*> start = unwrap(fold_.start, fold_.width);
    std::vector<Val> result = wrap(nest(0, start, here, fold_.width, fold_.vectorised), here, fold_.width);
    if (!fold_.vectorised) return result;
    result = fold_lanes(std::move(result));
    if (has_rest() && !can_mask_) result = wrap(rest(0, unwrap(result, 1), here), here, 1);
    return result;
  }

 private:
  int64_t full_part(int64_t extent, int64_t stride) const { return extent / stride * stride; }
  bool has_rest() const { return fold_.loops.back().extent % fold_.width != 0; }

  std::vector<Val> wrap(std::span<Value* const> values, Level* level, int lanes) const {
    std::vector<Val> r;
    size_t next = 0;
    for (const Val& like : fold_.start) {
      Val v{values[next++], nullptr, level, lanes};
      if (like.im != nullptr) v.im = values[next++];
      r.push_back(v);
    }
    return r;
  }
  std::vector<Value*> unwrap(std::span<const Val> values, int lanes) {
    std::vector<Value*> r;
    for (const Val& v : values) {
      const Val x = e_.spread(v, lanes);
      r.push_back(x.v);
      if (x.im != nullptr) r.push_back(x.im);
    }
    return r;
  }

  std::vector<Value*> nest(size_t i, std::span<Value* const> carried, Level* level, int lanes, bool vectorised) {
    if (i == fold_.loops.size()) return unwrap(fold_.step(variables_, wrap(carried, level, lanes)), lanes);
    const FoldLoop& l = fold_.loops[i];
    const bool innermost = vectorised && i + 1 == fold_.loops.size();
    std::vector<Value*> out(carried.begin(), carried.end());
    if (l.unrolled && !innermost) {
      for (int64_t k = 0; k < l.extent; ++k) {
        variables_.push_back(Expr(k));
        out = nest(i + 1, out, level, lanes, vectorised);
        variables_.pop_back();
      }
      return out;
    }
    if (fold_.tile > 1 && i + 1 == fold_.loops.size()) return tiles(carried, level, lanes);
    llvm::IRBuilder<> b = e_.at(level);
    const int64_t stride = innermost ? lanes : 1;
    const int64_t full = full_part(l.extent, stride);
    Value* low = l.low != nullptr ? l.low : b.getInt64(0);
    Value* high = b.getInt64(static_cast<uint64_t>(full));
    if (l.high != nullptr) high = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, l.high, high);
    if (full > 0) out = loop(i, low, high, stride, carried, lanes, vectorised);
    if (!innermost || full == l.extent || !can_mask_) return out;
    // The last, partial vector.
    auto last = [&](Level* at, std::span<Value* const> accumulators) {
      llvm::IRBuilder<> inner = e_.at(at);
      std::vector<llvm::Constant*> bits;
      for (int k = 0; k < lanes; ++k) bits.push_back(inner.getInt1(full + k < l.extent));
      Value* active = llvm::ConstantVector::get(bits);
      const AtomId a = e_.variable(inner.getInt64(static_cast<uint64_t>(full)), at, {0, l.extent - 1}, lanes);
      const Lanes open = e_.lanes;
      e_.lanes = {a, lanes, active, at};
      variables_.push_back(Expr::atom(a));
      std::vector<Value*> next = nest(i + 1, accumulators, at, lanes, vectorised);
      variables_.pop_back();
      e_.lanes = open;
      llvm::IRBuilder<> end = e_.at(at);
      for (size_t k = 0; k < next.size(); ++k) next[k] = end.CreateSelect(active, next[k], accumulators[k]);
      return next;
    };
    if (l.high == nullptr) return last(level, out);
    // A part of the range: only the part that reaches the end has it. As a loop of at most one iteration.
    b.SetInsertPoint(level->at);
    Value* reaches = b.CreateICmpEQ(l.high, b.getInt64(static_cast<uint64_t>(l.extent)));
    return e_.loop(b.getInt64(0), b.CreateZExt(reaches, b.getInt64Ty()), 1, out,
                   [&](Level* inner, Value*, std::span<Value* const> phis) { return last(inner, phis); });
  }

  // The innermost loop by tiles, then what is left one by one.
  std::vector<Value*> tiles(std::span<Value* const> carried, Level* level, int lanes) {
    const int64_t extent = fold_.loops.back().extent, n = fold_.tile, full = extent / n;
    llvm::IRBuilder<> b = e_.at(level);
    auto run = [&](int64_t low, int64_t high, int64_t step, std::span<Value* const> start) {
      return e_.loop(b.getInt64(static_cast<uint64_t>(low)), b.getInt64(static_cast<uint64_t>(high)), 1, start,
                     [&](Level* inner, Value* iv, std::span<Value* const> phis) {
                       const AtomId a = e_.variable(iv, inner, {low, high - 1});
                       std::vector<Value*> next(phis.begin(), phis.end());
                       const Emitter::Tile outer = e_.tile;
                       for (int t = 0; t < step; ++t) {
                         e_.tile = {a, static_cast<int>(step), t};
                         variables_.push_back(Expr::atom(a) * step + t);
                         next = unwrap(fold_.step(variables_, wrap(next, inner, lanes)), lanes);
                         variables_.pop_back();
                       }
                       e_.tile = outer;
                       return next;
                     });
    };
    std::vector<Value*> out = run(0, full, n, carried);
    b.SetInsertPoint(level->at);
    return full * n < extent ? run(full * n, extent, 1, out) : out;
  }

  std::vector<Value*> loop(size_t i, Value* low, Value* high, int64_t stride, std::span<Value* const> carried,
                           int lanes, bool vectorised) {
    const int64_t extent = fold_.loops[i].extent;
    return e_.loop(low, high, stride, carried, [&](Level* inner, Value* iv, std::span<Value* const> phis) {
      const AtomId a = e_.variable(iv, inner, {0, extent - 1}, static_cast<int>(stride));
      const Lanes open = e_.lanes;
      if (stride > 1) e_.lanes = {a, lanes, nullptr, inner};
      variables_.push_back(Expr::atom(a));
      std::vector<Value*> next = nest(i + 1, phis, inner, lanes, vectorised);
      variables_.pop_back();
      e_.lanes = open;
      return next;
    });
  }

  // Without masks: what the full vectors leave over, element by element.
  std::vector<Value*> rest(size_t i, std::span<Value* const> carried, Level* level) {
    if (i + 1 < fold_.loops.size()) {
      const FoldLoop& l = fold_.loops[i];
      llvm::IRBuilder<> b = e_.at(level);
      Value* low = l.low != nullptr ? l.low : b.getInt64(0);
      Value* high = l.high != nullptr ? l.high : b.getInt64(static_cast<uint64_t>(l.extent));
      return e_.loop(low, high, 1, carried, [&](Level* inner, Value* iv, std::span<Value* const> phis) {
        variables_.push_back(Expr::atom(e_.variable(iv, inner, {0, l.extent - 1})));
        std::vector<Value*> next = rest(i + 1, phis, inner);
        variables_.pop_back();
        return next;
      });
    }
    const FoldLoop& l = fold_.loops[i];
    llvm::IRBuilder<> b = e_.at(level);
    Value* low = b.getInt64(static_cast<uint64_t>(full_part(l.extent, fold_.width)));
    Value* high = l.high != nullptr ? l.high : b.getInt64(static_cast<uint64_t>(l.extent));
    return loop(i, low, high, 1, carried, 1, false);
  }

  std::vector<Val> fold_lanes(std::vector<Val> a) {
    while (a[0].lanes > 1) {
      const int half = a[0].lanes / 2;
      std::vector<Val> low, high;
      for (const Val& v : a) {
        llvm::IRBuilder<> b = e_.at(v.level);
        auto part = [&](int first) -> Val {
          std::vector<int> pick;
          for (int i = 0; i < half; ++i) pick.push_back(first + i);
          auto of = [&](Value* x) -> Value* {
            if (x == nullptr) return nullptr;
            if (half == 1) return b.CreateExtractElement(x, static_cast<uint64_t>(first));
            return b.CreateShuffleVector(x, pick);
          };
          return {of(v.v), of(v.im), v.level, half};
        };
        low.push_back(part(0));
        high.push_back(part(half));
      }
      a = fold_.combine(low, high);
    }
    return a;
  }

  Emitter& e_;
  const Fold& fold_;
  const bool can_mask_;
  std::vector<Expr> variables_;
};

}  // namespace

std::vector<Val> emit_fold(Emitter& e, const Fold& fold) { return FoldEmitter(e, fold).run(); }

int fold_width(const Emitter& e, int64_t extent) {
  const int limit = std::min(64, 2 * natural_lanes(e.kernel(), e.options()));
  int width = lanes_for_extent(extent, limit);
  if (!e.options().isa.has_masks) {
    while (width > extent) width /= 2;
  }
  return width;
}

}  // namespace weft::codegen
