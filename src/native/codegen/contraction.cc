#include "native/codegen/contraction.h"

#include <algorithm>
#include <memory>

#include "native/codegen/fold.h"

namespace weft::codegen {

using llvm::Value;

namespace {

/// What one term of a sum of products reads.
struct Term {
  Read lhs, rhs;
};

/// The loops of a contraction and the reads of a term.
class Contraction {
 public:
  virtual ~Contraction() = default;
  virtual std::vector<int64_t> loops() const = 0;
  /// Parts of a place of the result that do not depend on the loops.
  virtual std::vector<Expr> place(IndexSpace& space, const Index& index) const = 0;
  virtual Term term(IndexSpace& space, std::span<const Expr> place, std::span<const Expr> variables) const = 0;
};

/// Dimensions that run together: of the result, and of one or both operands.
struct Axis {
  int64_t extent = 1;
  int64_t lhs = -1, rhs = -1;  // first dimension in the operand
};

class Dot : public Contraction {
 public:
  explicit Dot(const OpView& op) {
    const Type a = op.operand_type(0), b = op.operand_type(1);
    const auto& lb = op.attrs().ints("lhs_batching_dimensions");
    const auto& rb = op.attrs().ints("rhs_batching_dimensions");
    const auto& lc = op.attrs().ints("lhs_contracting_dimensions");
    const auto& rc = op.attrs().ints("rhs_contracting_dimensions");
    for (size_t i = 0; i < lb.size(); ++i) join(kept_, a.dim(lb[i]), lb[i], rb[i]);
    auto free = [&](Type t, const std::vector<int64_t>& batch, const std::vector<int64_t>& contracted, bool is_lhs) {
      for (int64_t d = 0; d < t.rank(); ++d) {
        if (std::ranges::count(batch, d) + std::ranges::count(contracted, d) != 0) continue;
        join(kept_, t.dim(d), is_lhs ? d : -1, is_lhs ? -1 : d);
      }
    };
    free(a, lb, lc, true);
    free(b, rb, rc, false);
    for (size_t i = 0; i < lc.size(); ++i) join(summed_, a.dim(lc[i]), lc[i], rc[i]);
  }
  std::vector<int64_t> loops() const override { return extents(summed_); }
  std::vector<Expr> place(IndexSpace& space, const Index& index) const override {
    return space.digits(index, extents(kept_));
  }
  Term term(IndexSpace&, std::span<const Expr> place, std::span<const Expr> variables) const override {
    return {{operand(place, variables, &Axis::lhs), {}, false}, {operand(place, variables, &Axis::rhs), {}, false}};
  }

 private:
  struct Part : Axis {
    int64_t lhs_last, rhs_last;
  };
  static void join(std::vector<Part>& axes, int64_t extent, int64_t lhs, int64_t rhs) {
    if (!axes.empty()) {
      Part& p = axes.back();
      const bool follows_lhs = lhs < 0 ? p.lhs < 0 : p.lhs >= 0 && lhs == p.lhs_last + 1;
      const bool follows_rhs = rhs < 0 ? p.rhs < 0 : p.rhs >= 0 && rhs == p.rhs_last + 1;
      if (follows_lhs && follows_rhs) {
        p.extent *= extent;
        p.lhs_last = lhs;
        p.rhs_last = rhs;
        return;
      }
    }
    axes.push_back({{extent, lhs, rhs}, lhs, rhs});
  }
  static std::vector<int64_t> extents(const std::vector<Part>& axes) {
    std::vector<int64_t> e;
    for (const Part& p : axes) e.push_back(p.extent);
    return e;
  }
  Index operand(std::span<const Expr> place, std::span<const Expr> variables, int64_t Axis::* side) const {
    std::vector<std::pair<int64_t, Factor>> parts;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].*side >= 0) parts.push_back({kept_[i].*side, {kept_[i].extent, place[i]}});
    }
    for (size_t i = 0; i < summed_.size(); ++i) parts.push_back({summed_[i].*side, {summed_[i].extent, variables[i]}});
    std::ranges::sort(parts, {}, [](const auto& p) { return p.first; });
    Index index;
    for (const auto& [d, f] : parts) {
      if (f.extent != 1) index.push_back(f);
    }
    return index;
  }
  std::vector<Part> kept_, summed_;
};

class Convolution : public Contraction {
 public:
  explicit Convolution(const OpView& op)
      : a_(ConvolutionAttrs::from(op.attrs())),
        in_(op.operand_type(0)),
        kernel_(op.operand_type(1)),
        out_(op.result_type()) {
    const size_t n = a_.input_spatial.size();
    auto fill = [](std::vector<int64_t>& v, size_t count, int64_t x) {
      if (v.empty()) v.assign(count, x);
    };
    fill(a_.window_strides, n, 1);
    fill(a_.padding, 2 * n, 0);
    fill(a_.lhs_dilation, n, 1);
    fill(a_.rhs_dilation, n, 1);
    fill(a_.window_reversal, n, 0);
  }
  std::vector<int64_t> loops() const override {
    std::vector<int64_t> l;
    for (int64_t d : a_.kernel_spatial) l.push_back(kernel_.dim(d));
    l.push_back(kernel_.dim(a_.kernel_input_feature));
    return l;
  }
  // Result: batch, feature, spatial…; then group · channels of a group, input batch.
  std::vector<Expr> place(IndexSpace& space, const Index& index) const override {
    const std::vector<Expr> digits = space.digits(index, out_.shape());
    auto at = [&](int64_t d) { return digits[static_cast<size_t>(d)]; };
    std::vector<Expr> p;
    for (int64_t d : a_.output_spatial) p.push_back(at(d));
    const Expr feature = at(a_.output_feature);
    Expr batch = at(a_.output_batch), channel(0);
    const int64_t features = out_.dim(a_.output_feature);
    if (a_.feature_group_count > 1) {
      channel = space.split(feature, features / a_.feature_group_count).quotient * kernel_.dim(a_.kernel_input_feature);
    }
    if (a_.batch_group_count > 1) {
      batch = batch + space.split(feature, features / a_.batch_group_count).quotient *
                          (in_.dim(a_.input_batch) / a_.batch_group_count);
    }
    p.push_back(feature);
    p.push_back(batch);
    p.push_back(channel);
    return p;
  }
  Term term(IndexSpace& space, std::span<const Expr> place, std::span<const Expr> variables) const override {
    const size_t n = a_.input_spatial.size();
    std::vector<Expr> in(static_cast<size_t>(in_.rank())), kernel(static_cast<size_t>(kernel_.rank()));
    auto set = [](std::vector<Expr>& v, int64_t d, Expr e) { v[static_cast<size_t>(d)] = std::move(e); };
    Term t;
    for (size_t s = 0; s < n; ++s) {
      const int64_t extent = in_.dim(a_.input_spatial[s]), window = kernel_.dim(a_.kernel_spatial[s]);
      Expr e = place[s] * a_.window_strides[s] + variables[s] * a_.rhs_dilation[s] + -a_.padding[2 * s];
      if (const int64_t gap = a_.lhs_dilation[s]; gap > 1) {
        const IndexSpace::Split split = space.split(e, gap);
        t.lhs.bounds.push_back({split.remainder, 0, 1});
        e = split.quotient;
      }
      const IndexSpace::Range r = space.range(e);
      if (r.low < 0 || r.high >= extent) t.lhs.bounds.push_back({e, 0, extent});
      set(in, a_.input_spatial[s], e);
      set(kernel, a_.kernel_spatial[s], a_.window_reversal[s] != 0 ? variables[s] * -1 + (window - 1) : variables[s]);
    }
    set(in, a_.input_batch, place[n + 1]);
    set(in, a_.input_feature, place[n + 2] + variables[n]);
    set(kernel, a_.kernel_input_feature, variables[n]);
    set(kernel, a_.kernel_output_feature, place[n]);
    t.lhs.index = make_index(in_.shape(), in);
    t.rhs.index = make_index(kernel_.shape(), kernel);
    return t;
  }

 private:
  ConvolutionAttrs a_;
  Type in_, kernel_, out_;
};

std::unique_ptr<Contraction> contraction_of(const OpView& op) {
  if (op.def().mnemonic == "stablehlo.dot_general") return std::make_unique<Dot>(op);
  return std::make_unique<Convolution>(op);
}

// Products are summed in f64 when any type is f64, f32 for other floats, the result's type for integers; complex numbers alike.
ElementType accumulator_type(const OpView& op) {
  const ElementType r = op.result_type().element_type();
  if (!is_float(r) && !is_complex(r)) return r;
  for (ElementType t : {r, op.operand_type(0).element_type(), op.operand_type(1).element_type()}) {
    if (t == ElementType::kF64 || t == ElementType::kC128)
      return is_complex(r) ? ElementType::kC128 : ElementType::kF64;
  }
  return is_complex(r) ? ElementType::kC64 : ElementType::kF32;
}

}  // namespace

bool can_inline_contraction(const OpView& op, std::string* reason) {
  const ElementType r = op.result_type().element_type();
  for (size_t i = 0; i < 2; ++i) {
    const ElementType t = op.operand_type(i).element_type();
    if (is_complex(r) && !is_boolean(t)) continue;  // real operands convert
    if (is_complex(t) || is_float(t) != is_float(r) || is_boolean(t) != is_boolean(r)) {
      if (reason != nullptr) *reason = "operands and result mix integers, booleans, floats and complex numbers";
      return false;
    }
  }
  return true;
}

void walk_contraction(DryRun& run, const OpView& op, const Index& index) {
  if (op.operand_type(0).num_elements() == 0 || op.operand_type(1).num_elements() == 0) return;
  const auto c = contraction_of(op);
  const std::vector<Expr> place = c->place(run, index);
  run.loop(c->loops(), true, [&](std::span<const Expr> variables) {
    const Term t = c->term(run, place, variables);
    run.walk(op.operand(0), t.lhs.index);
    run.walk(op.operand(1), t.rhs.index);
  });
}

namespace {

/// Adds terms to sums of products.
class Products {
 public:
  Products(Emitter& e, const OpView& op, const Contraction& c)
      : e_(e),
        op_(op),
        c_(c),
        sum_(accumulator_type(op)),
        is_complex_(is_complex(sum_)),
        is_fp_(is_float(sum_) || is_complex_),
        use_fma_(is_fp_ && e.options().isa.has_fma) {}
  ElementType type() const { return sum_; }

  /// The sum at `place` after the term at these values of the loop variables.
  Val add_term(std::span<const Expr> place, std::span<const Expr> variables, const Mask& mask, const Val& sum) const {
    const Term t = c_.term(e_, place, variables);
    const Mask inside = e_.bounds(t.lhs.bounds);
    const ElementType lhs = op_.operand_type(0).element_type(), rhs = op_.operand_type(1).element_type();
    Val x = e_.eval(op_.operand(0), t.lhs.index, e_.both(mask, inside));
    x = e_.select(inside, x, e_.constant(lhs, 0));
    Val y = e_.eval(op_.operand(1), t.rhs.index, mask);
    x = e_.spread(e_.convert(x, lhs, sum_), sum.lanes);
    y = e_.spread(e_.convert(y, rhs, sum_), sum.lanes);
    Level* level = Emitter::deeper(Emitter::deeper(x.level, y.level), sum.level);
    llvm::IRBuilder<> at = e_.at(level);
    Val n{multiply_add(at, x.v, y.v, sum.v), nullptr, level, sum.lanes};
    if (is_complex_) {
      n.v = multiply_add(at, at.CreateFNeg(x.im), y.im, n.v);
      n.im = multiply_add(at, x.im, y.v, multiply_add(at, x.v, y.im, sum.im));
    }
    return n;
  }

  Val add(const Val& a, const Val& b) const {
    Level* level = Emitter::deeper(a.level, b.level);
    llvm::IRBuilder<> at = e_.at(level);
    Value* v = is_fp_ ? at.CreateFAdd(a.v, b.v) : is_boolean(sum_) ? at.CreateOr(a.v, b.v) : at.CreateAdd(a.v, b.v);
    return {v, is_complex_ ? at.CreateFAdd(a.im, b.im) : nullptr, level, a.lanes};
  }

 private:
  Value* multiply_add(llvm::IRBuilder<>& at, Value* x, Value* y, Value* z) const {
    if (use_fma_) return at.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    if (is_fp_) return at.CreateFAdd(z, at.CreateFMul(x, y));
    return is_boolean(sum_) ? at.CreateOr(z, at.CreateAnd(x, y)) : at.CreateAdd(z, at.CreateMul(x, y));
  }

  Emitter& e_;
  const OpView& op_;
  const Contraction& c_;
  const ElementType sum_;
  const bool is_complex_, is_fp_, use_fma_;
};

}  // namespace

std::vector<Val> emit_contraction(Emitter& e, const OpView& op, std::span<const Index> indices, const Mask& mask) {
  const ElementType sum = accumulator_type(op), result = op.result_type().element_type();
  const Val zero = e.constant(sum, 0);
  std::vector<Val> sums(indices.size(), zero);
  if (op.operand_type(0).num_elements() != 0 && op.operand_type(1).num_elements() != 0) {
    const auto c = contraction_of(op);
    std::vector<std::vector<Expr>> places;
    for (const Index& i : indices) places.push_back(c->place(e, i));
    const Products products(e, op, *c);

    Fold fold;
    for (int64_t n : c->loops()) fold.loops.push_back({n, n == 1});
    if (fold.loops.empty()) fold.loops.push_back({1, true});
    const bool by_lane = e.lanes.count > 1;
    // Without lanes of the result, lanes go along the innermost loop that is long enough.
    fold.vectorised = !by_lane && fold.loops.back().extent > 1;
    fold.width = by_lane ? e.lanes.count : fold.vectorised ? fold_width(e, fold.loops.back().extent) : 1;
    fold.start = sums;
    fold.combine = [&](std::span<const Val> a, std::span<const Val> b) {
      std::vector<Val> r;
      for (size_t i = 0; i < a.size(); ++i) r.push_back(products.add(a[i], b[i]));
      return r;
    };
    fold.step = [&](std::span<const Expr> variables, std::span<const Val> accumulators) {
      std::vector<Val> next;
      for (size_t i = 0; i < accumulators.size(); ++i)
        next.push_back(products.add_term(places[i], variables, mask, accumulators[i]));
      return next;
    };
    sums = emit_fold(e, fold);
  }
  for (Val& v : sums) v = e.convert(v, sum, result);
  return sums;
}

bool can_stream(const OpView& op) {
  if (op.def().mnemonic != "stablehlo.dot_general" || is_complex(op.result_type().element_type())) return false;
  return op.operand_type(0).num_elements() != 0 && op.operand_type(1).num_elements() != 0 &&
         contraction_of(op)->loops().size() == 1;
}

ElementType stream_type(const OpView& op) { return accumulator_type(op); }

void emit_stream(Emitter& e, const OpView& op, const Stream& s, const std::function<Index(const Expr&)>& index) {
  constexpr int64_t kRows = 8;
  const auto c = contraction_of(op);
  const Products products(e, op, *c);
  const int64_t terms = c->loops()[0];
  const ElementType t = products.type();
  const Expr first = s.first * -1;
  e.lane_loop(s.low, s.high, s.extent, s.lanes, false, s.narrow_memory, [&](const Expr& at) {
    e.store(e.current(), s.sums, t, at + first, e.spread(e.constant(t, 0), e.lanes.count), {});
  });
  auto rows = [&](int64_t low, int64_t high, int64_t count) {
    if (low >= high) return;
    llvm::IRBuilder<> b = e.at(e.current());
    e.loop(b.getInt64(static_cast<uint64_t>(low)), b.getInt64(static_cast<uint64_t>(high)), count, {},
           [&](Level* level, Value* row, std::span<Value* const>) {
             const Expr term = Expr::atom(e.variable(row, level, {0, terms - count}));
             e.lane_loop(s.low, s.high, s.extent, s.lanes, false, s.narrow_memory, [&](const Expr& at) {
               const std::vector<Expr> place = c->place(e, index(at));
               Val sum = e.load(s.sums, t, at + first, s.extent, {}, e.current());
               for (int64_t r = 0; r < count; ++r) {
                 const Expr variable = term + r;
                 sum = products.add_term(place, std::span(&variable, 1), {}, sum);
               }
               e.store(e.current(), s.sums, t, at + first, sum, {});
             });
             return std::vector<Value*>{};
           });
  };
  rows(0, terms / kRows * kRows, kRows);
  rows(terms / kRows * kRows, terms, 1);
}

}  // namespace weft::codegen
