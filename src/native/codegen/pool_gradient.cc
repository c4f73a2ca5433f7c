#include "native/codegen/pool_gradient.h"

#include <algorithm>
#include <array>

#include "native/codegen/layout.h"
#include "native/codegen/reduce.h"
#include "native/codegen/window_reads.h"

namespace weft::codegen {

using llvm::Value;

namespace {

constexpr int64_t kMaxWindow = 32;  // positions of a window, written out in the code

/// Axes that windows do not move along: in front, behind, and the block of all others.
struct Axes {
  size_t first = 0, last = 0;  // windows move along [first, last)
  int64_t outer = 1, middle = 1, inner = 1;
};

Axes axes_of(const OpView& op) {
  const Window w(op);
  const Type x = op.operand_type(0);
  const size_t rank = static_cast<size_t>(x.rank());
  const auto moves = [&](size_t d) {
    return w.dimensions[d] != 1 || w.strides[d] != 1 || w.padding[2 * d] != 0 || w.padding[2 * d + 1] != 0;
  };
  Axes a;
  while (a.first < rank && !moves(a.first)) ++a.first;
  a.last = rank;
  while (a.last > a.first && !moves(a.last - 1)) --a.last;
  for (size_t d = 0; d < rank; ++d)
    (d < a.first ? a.outer : d < a.last ? a.middle : a.inner) *= x.dim(static_cast<int64_t>(d));
  return a;
}

int64_t window_size(const Window& w) {
  int64_t n = 1;
  for (int64_t d : w.dimensions) n *= d;
  return n;
}

class WindowScatter {
 public:
  WindowScatter(Emitter& e, const OpView& op, Value* output)
      : e_(e), op_(op), output_(output), windows_(op), axes_(axes_of(op)), type_(op.result_type().element_type()) {}

  void fill(const Expr& o, const Expr& k) {
    each({axes_.middle}, [&](std::span<const Expr> m) {
      e_.store(e_.current(), output_, type_, (o * axes_.middle + m[0]) * axes_.inner + k, start(), {});
    });
  }
  /// As fill, of all elements, where the windows reach to the innermost axis.
  void fill_line(const Expr& o, int lanes, bool narrow_memory) {
    llvm::IRBuilder<> b = e_.at(e_.current());
    e_.lane_loop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(axes_.middle)), axes_.middle, lanes, true,
                 narrow_memory,
                 [&](const Expr& m) { e_.store(e_.current(), output_, type_, o * axes_.middle + m, start(), {}); });
  }

  void windows(const Expr& o, const Expr& k) {
    const Type source = op_.operand_type(1);
    std::vector<int64_t> extents;
    for (size_t d = axes_.first; d < axes_.last; ++d) extents.push_back(source.dim(static_cast<int64_t>(d)));
    const std::vector<Expr> front = digits(o, axes_.outer, 0, axes_.first);
    const std::vector<Expr> behind = digits(k, axes_.inner, axes_.last, static_cast<size_t>(source.rank()));
    each(extents, [&](std::span<const Expr> middle) {
      std::vector<Expr> at = front;
      at.insert(at.end(), middle.begin(), middle.end());
      at.insert(at.end(), behind.begin(), behind.end());
      window(at);
    });
  }

 private:
  Val start() { return e_.convert(e_.eval(op_.operand(2), {}, {}), op_.operand_type(2).element_type(), type_); }

  std::vector<Expr> digits(const Expr& e, int64_t extent, size_t first, size_t last) {
    std::vector<int64_t> extents;
    for (size_t d = first; d < last; ++d) extents.push_back(op_.operand_type(0).dim(static_cast<int64_t>(d)));
    if (extents.empty()) return {};
    return e_.digits(Index{{extent, e}}, extents);
  }

  void each(const std::vector<int64_t>& extents, const std::function<void(std::span<const Expr>)>& body) {
    std::vector<Expr> at;
    const std::function<void()> nest = [&] {
      if (at.size() == extents.size()) return body(at);
      const int64_t n = extents[at.size()];
      llvm::IRBuilder<> b = e_.at(e_.current());
      e_.loop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(n)), 1, {},
              [&](Level* level, Value* i, std::span<Value* const>) {
                at.push_back(Expr::atom(e_.variable(i, level, {0, n - 1})));
                nest();
                at.pop_back();
                return std::vector<Value*>{};
              });
    };
    nest();
  }

  struct Position {
    Expr place;
    Mask inside;
  };

  // Selected so far: value and number of the position, or its place in the output; -1 while only padding was seen.
  void window(const std::vector<Expr>& at) {
    const int lanes = e_.lanes.count;
    const std::vector<int64_t> loops = windows_.loops();
    std::vector<Position> positions;
    Val best, chosen;
    bool always = false;  // something was selected for certain
    for (int64_t p = 0; p < windows_.size(); ++p) {
      std::vector<Expr> position(loops.size());
      int64_t rest = p;
      for (size_t d = loops.size(); d-- > 0; rest /= loops[d]) position[d] = Expr(rest % loops[d]);
      const Read r = windows_.read(e_, at, position);
      positions.push_back({linear(r.index), e_.bounds(r.bounds)});
      const Mask& inside = positions.back().inside;
      const Val x = e_.spread(e_.eval(op_.operand(0), r.index, inside), lanes);
      const Expr& place = positions.back().place;
      const Val n = lanes == 1 ? Val{e_.scalar_of(place), nullptr, e_.level_of(place), 1}
                               : e_.constant(ElementType::kI32, static_cast<uint64_t>(p));
      if (p == 0) {
        const Val none = e_.constant(lanes == 1 ? ElementType::kI64 : ElementType::kI32, ~uint64_t{0});
        best = inside.none() ? x : e_.spread(e_.constant(type_, 0), lanes);
        chosen = e_.spread(inside.none() ? n : none, lanes);
        always = inside.none();
        if (always) continue;
      }
      const std::vector<Val> args = {best, x};
      const Val keeps = e_.spread(e_.eval_region(op_.region(0), args)[0], lanes);
      Level* level = deepest({keeps, best, chosen, x, n});
      llvm::IRBuilder<> b = e_.at(level);
      Value* keep = keeps.v;
      if (!always)
        keep = b.CreateAnd(keep, b.CreateICmpSGE(chosen.v, llvm::Constant::getNullValue(chosen.v->getType())));
      const Val value = e_.choose(level, keep, best, x);
      const Val next = e_.choose(level, keep, chosen, e_.spread(n, lanes));
      best = e_.select(inside, value, best);
      chosen = e_.select(inside, next, chosen);
      always = always || inside.none();
    }
    const Val source = e_.convert(e_.eval(op_.operand(1), make_index(op_.operand_type(1).shape(), at), {}),
                                  op_.operand_type(1).element_type(), type_);
    lanes == 1 ? add_one(chosen, source, always) : add_lanes(positions, chosen, source);
  }

  static Level* deepest(std::initializer_list<Val> values) {
    Level* level = nullptr;
    for (const Val& v : values) level = Emitter::deeper(level, v.level);
    return level;
  }

  Val sum(const Val& old, const Val& source) {
    const std::vector<Val> args = {old, e_.spread(source, old.lanes)};
    return e_.eval_region(op_.region(1), args)[0];
  }

  void add_one(const Val& chosen, const Val& source, bool always) {
    const int64_t elements = op_.result_type().num_elements();
    const auto add = [&](Level* level) {
      const Expr place = Expr::atom(e_.opaque(chosen.v, level, {0, elements - 1}));
      const Val old = e_.load(output_, type_, place, elements, {}, level);
      e_.store(level, output_, type_, place, sum(old, source), {});
    };
    if (always) return add(e_.current());
    llvm::IRBuilder<> b = e_.at(e_.current());
    e_.branch(b.CreateICmpSGE(chosen.v, b.getInt64(0)), add);
  }

  void add_lanes(const std::vector<Position>& positions, const Val& chosen, const Val& source) {
    for (size_t p = 0; p < positions.size(); ++p) {
      const Position& to = positions[p];
      const Val old = e_.load(output_, type_, to.place, op_.result_type().num_elements(), to.inside, e_.current());
      const Val next = e_.spread(sum(old, source), old.lanes);
      Level* level = Emitter::deeper(deepest({next, old, chosen}), e_.current());
      llvm::IRBuilder<> b = e_.at(level);
      Value* hit = b.CreateICmpEQ(chosen.v, llvm::ConstantInt::get(chosen.v->getType(), p));
      e_.store(level, output_, type_, to.place, e_.choose(level, hit, next, old), to.inside);
    }
  }

  Emitter& e_;
  OpView op_;
  Value* output_;
  Windows windows_;
  Axes axes_;
  ElementType type_;
};

}  // namespace

bool is_tiled_pool_gradient(const OpView& op) {
  if (op.def().mnemonic != "stablehlo.select_and_scatter") return false;
  const Window w(op);
  const Type x = op.operand_type(0), source = op.operand_type(1);
  for (int64_t d = 0; d < x.rank(); ++d) {
    const size_t i = static_cast<size_t>(d);
    if (w.padding[2 * i] != 0 || w.padding[2 * i + 1] != 0 || w.strides[i] != w.dimensions[i]) return false;
    if (source.dim(d) * w.strides[i] != x.dim(d)) return false;
  }
  return window_size(w) <= 16 && x.element_type() == op.result_type().element_type() && axes_of(op).inner > 1;
}

bool scatters_windows(const OpView& op) {
  if (op.def().mnemonic != "stablehlo.select_and_scatter" || is_tiled_pool_gradient(op)) return false;
  const Type x = op.operand_type(0);
  const Window w(op);
  // Neighbouring windows of such a row share what they read: pulled, by lanes along the row.
  if (axes_of(op).inner == 1 && x.rank() > 0 && w.strides.back() == 1 && x.shape().back() > 1) return false;
  return x.is_static() && op.operand_type(1).is_static() && x.num_elements() > 0 &&
         op.operand_type(1).num_elements() > 0 && x.element_type() == op.result_type().element_type() &&
         !is_complex(x.element_type()) && window_size(w) <= kMaxWindow && window_size(w) > 1;
}

void plan_window_scatter(const OpView& op, const KernelOptions& options, Segment& s) {
  const Axes axes = axes_of(op);
  s.kind = SegmentKind::kWindowScatter;
  const int natural = natural_lanes(op.function, options);
  s.lanes = axes.inner == 1 ? 1 : lanes_for_extent(axes.inner, natural);
  s.chunk = axes.inner == 1 ? 1 : s.lanes;
  s.chunks = (axes.inner + s.chunk - 1) / s.chunk;
  s.units = axes.outer * s.chunks;
  const double per_window = 2 * static_cast<double>(window_size(Window(op))) / (axes.inner == 1 ? 1 : 8);
  s.work_per_unit = (static_cast<double>(op.operand_type(1).num_elements()) * per_window +
                     0.2 * static_cast<double>(op.operand_type(0).num_elements())) /
                    static_cast<double>(s.units);
}

void emit_window_scatter(Emitter& e, const OpView& op, Value* output, const Segment& s, Value* begin, Value* end,
                         bool narrow_memory) {
  const Axes axes = axes_of(op);
  WindowScatter scatter(e, op, output);
  e.loop(begin, end, 1, {}, [&](Level* level, Value* u, std::span<Value* const>) {
    const Index unit = {{s.units, Expr::atom(e.variable(u, level, {0, s.units - 1}))}};
    const std::vector<Expr> at = e.digits(unit, std::array{axes.outer, s.chunks});
    if (axes.inner == 1) {
      scatter.fill_line(at[0], natural_lanes(e.kernel(), e.options()), narrow_memory);
      scatter.windows(at[0], Expr(0));
      return std::vector<Value*>{};
    }
    llvm::IRBuilder<> b = e.at(e.current());
    Value* low = e.scalar_of(at[1] * s.chunk);
    b.SetInsertPoint(e.current()->at);
    Value* high =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, b.getInt64(static_cast<uint64_t>(s.chunk))),
                                b.getInt64(static_cast<uint64_t>(axes.inner)));
    e.lane_loop(low, high, axes.inner, s.lanes, s.chunks == 1, narrow_memory, [&](const Expr& k) {
      scatter.fill(at[0], k);
      scatter.windows(at[0], k);
    });
    return std::vector<Value*>{};
  });
}

std::vector<std::pair<Index, Val>> emit_pool_gradient(Emitter& e, const OpView& op, const Index& index) {
  const ElementType type = op.result_type().element_type();
  const Windows windows(op);
  const std::vector<Expr> at = e.digits(index, op.operand_type(1).shape());
  const std::vector<int64_t> loops = windows.loops();
  const int lanes = e.lanes.count;
  std::vector<Index> places;
  Val best, chosen;
  for (int64_t k = 0; k < windows.size(); ++k) {
    std::vector<Expr> position(loops.size());
    int64_t rest = k;
    for (size_t d = loops.size(); d-- > 0; rest /= loops[d]) position[d] = Expr(rest % loops[d]);
    places.push_back(windows.read(e, at, position).index);
    const Val x = e.spread(e.eval(op.operand(0), places.back(), {}), lanes);
    const Val n = e.spread(e.constant(ElementType::kI32, static_cast<uint64_t>(k)), lanes);
    if (k == 0) {
      best = x;
      chosen = n;
      continue;
    }
    const std::vector<Val> args = {best, x};
    const Val keeps = e.spread(e.eval_region(op.region(0), args)[0], lanes);
    Level* level = Emitter::deeper(keeps.level, Emitter::deeper(best.level, x.level));
    llvm::IRBuilder<> b = e.at(level);
    best = e.choose(level, keeps.v, best, x);
    chosen = {b.CreateSelect(keeps.v, chosen.v, n.v), nullptr, level, lanes};
  }
  const Val init = e.spread(e.convert(e.eval(op.operand(2), {}, {}), op.operand_type(2).element_type(), type), lanes);
  const Val source =
      e.spread(e.convert(e.eval(op.operand(1), index, {}), op.operand_type(1).element_type(), type), lanes);
  const std::vector<Val> args = {init, source};
  const Val sum = e.spread(e.eval_region(op.region(1), args)[0], lanes);
  std::vector<std::pair<Index, Val>> values;
  for (size_t k = 0; k < places.size(); ++k) {
    Level* level = Emitter::deeper(Emitter::deeper(sum.level, chosen.level), init.level);
    llvm::IRBuilder<> b = e.at(level);
    Value* hit = b.CreateICmpEQ(chosen.v, llvm::ConstantInt::get(chosen.v->getType(), k));
    values.push_back({places[k], e.choose(level, hit, sum, init)});
  }
  return values;
}

}  // namespace weft::codegen
