#include "native/codegen/reduce.h"

#include "native/codegen/fold.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/float_format.h"

namespace weft::codegen {

namespace {

/// Bits of a number of type `t` in the type that it is computed in.
uint64_t float_bits(ElementType t, double v) {
  return compute_type(t) == ElementType::kF32 ? std::bit_cast<uint32_t>(static_cast<float>(v))
                                              : std::bit_cast<uint64_t>(v);
}

std::optional<uint64_t> neutral_of(std::string_view mnemonic, ElementType t) {
  // Both parts of a complex number; 1 + 0i is not neutral to a product with an infinite part, and order has no end.
  if (is_complex(t)) {
    if (mnemonic != "stablehlo.add") return std::nullopt;
    return float_bits(t == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64, -0.0);
  }
  const bool fp = is_float(t);
  const int width = bit_width(t);
  const uint64_t ones = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (is_boolean(t)) {
    if (mnemonic == "stablehlo.add" || mnemonic == "stablehlo.maximum") return 0;
    if (mnemonic == "stablehlo.multiply" || mnemonic == "stablehlo.minimum") return 1;
  }
  if (mnemonic == "stablehlo.add") return fp ? float_bits(t, -0.0) : 0;
  if (mnemonic == "stablehlo.multiply") return fp ? float_bits(t, 1) : 1;
  if (mnemonic == "stablehlo.maximum") {
    if (fp) return float_bits(t, lowest_value(t));
    return is_signed_integer(t) ? uint64_t{1} << (width - 1) : 0;
  }
  if (mnemonic == "stablehlo.minimum") {
    if (fp) return float_bits(t, largest_value(t));
    return is_signed_integer(t) ? ones >> 1 : ones;
  }
  if (mnemonic == "stablehlo.and") return ones;
  if (mnemonic == "stablehlo.or" || mnemonic == "stablehlo.xor") return 0;
  return std::nullopt;
}

/// Neighbouring dimensions of the operand that are all kept or all reduced.
struct Group {
  bool reduced;
  std::vector<int64_t> extents;
  int64_t size() const {
    int64_t n = 1;
    for (int64_t e : extents) n *= e;
    return n;
  }
};

std::vector<Group> groups_of(const OpView& op) {
  const Type t = op.operand_type(0);
  const auto& dims = op.attrs().ints("dimensions");
  std::vector<Group> groups;
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (t.dim(d) == 1) continue;
    const bool reduced = std::find(dims.begin(), dims.end(), d) != dims.end();
    if (groups.empty() || groups.back().reduced != reduced) groups.push_back({reduced, {}});
    groups.back().extents.push_back(t.dim(d));
  }
  return groups;
}

/// Loops over the reduced dimensions, outermost first; with `merged` one for each group.
std::vector<int64_t> loops_of(std::span<const Group> groups, bool merged) {
  std::vector<int64_t> loops;
  for (const Group& g : groups) {
    if (!g.reduced) continue;
    if (merged) {
      loops.push_back(g.size());
    } else {
      loops.insert(loops.end(), g.extents.begin(), g.extents.end());
    }
  }
  return loops;
}

std::vector<Expr> kept_digits(IndexSpace& space, std::span<const Group> groups, const Index& index) {
  std::vector<int64_t> extents;
  for (const Group& g : groups) {
    if (!g.reduced) extents.push_back(g.size());
  }
  return space.digits(index, extents);
}

Index operand_index(std::span<const Group> groups, std::span<const Expr> kept, bool merged,
                    std::span<const Expr> variables) {
  Index index;
  size_t k = 0, v = 0;
  for (const Group& g : groups) {
    if (!g.reduced) {
      index.push_back({g.size(), kept[k++]});
    } else if (merged) {
      index.push_back({g.size(), variables[v++]});
    } else {
      for (int64_t e : g.extents) index.push_back({e, variables[v++]});
    }
  }
  return index;
}

void walk_with(DryRun& run, const OpView& op, const Index& index, bool merged) {
  const std::vector<Group> groups = groups_of(op);
  const std::vector<Expr> kept = kept_digits(run, groups, index);
  const std::optional<Monoid> monoid = op.num_results() == 1 ? monoid_of(op.function, op.region(0)) : std::nullopt;
  run.loop(loops_of(groups, merged), monoid.has_value(), [&](std::span<const Expr> variables) {
    const Index at = operand_index(groups, kept, merged, variables);
    for (size_t i = 0; i < op.num_results(); ++i) run.walk(op.operand(i), at);
  });
}

}  // namespace

std::optional<Monoid> monoid_of(const Function& f, RegionId region) {
  const auto args = f.args(region);
  const auto ops = f.ops(region);
  if (args.size() != 2 || ops.size() != 2) return std::nullopt;
  const OpView op{f, ops[0]};
  if (op.num_operands() != 2 || op.num_results() != 1 || f.operand(ops[1], 0) != op.result()) return std::nullopt;
  const bool straight = op.operand(0) == args[0] && op.operand(1) == args[1];
  const bool swapped = op.operand(0) == args[1] && op.operand(1) == args[0];
  if (!straight && !swapped) return std::nullopt;
  const auto neutral = neutral_of(op.def().mnemonic, op.result_type().element_type());
  if (!neutral) return std::nullopt;
  return Monoid{ops[0], *neutral};
}

RegionFold::RegionFold(Emitter& e, const OpView& op, size_t region) : e_(e), op_(op), region_(op.region(region)) {
  const auto args = e.kernel().args(region_);
  for (size_t i = 0; i < op.num_results(); ++i) types_.push_back(e.kernel().type(args[i]).element_type());
  if (op.num_results() == 1) monoid_ = monoid_of(e.kernel(), region_);
  wide_ = monoid_ && compute_type(types_[0]) != types_[0];
}

std::vector<Val> RegionFold::inits() {
  std::vector<Val> r;
  const size_t n = op_.num_results();
  for (size_t i = 0; i < n; ++i) r.push_back(operand(n + i, e_.eval(op_.operand(n + i), {}, {})));
  return r;
}

Val RegionFold::neutral() { return e_.constant(compute_type(types_[0]), monoid_->neutral); }

Val RegionFold::operand(size_t i, Val v) {
  return e_.convert(v, op_.operand_type(i).element_type(), types_[i % types_.size()]);
}

std::vector<Val> RegionFold::combine(std::span<const Val> a, std::span<const Val> b) {
  std::vector<Val> args(a.begin(), a.end());
  args.insert(args.end(), b.begin(), b.end());
  e_.rounding = !wide_;
  std::vector<Val> r = e_.eval_region(region_, args);
  e_.rounding = true;
  return r;
}

std::vector<Val> RegionFold::finish(std::vector<Val> r) {
  for (size_t i = 0; i < r.size(); ++i) {
    if (wide_) {
      llvm::IRBuilder<> b = e_.at(r[i].level);
      r[i].v = round_to(b, r[i].v, types_[i]);
    }
    r[i] = e_.convert(r[i], types_[i], op_.result_type(i).element_type());
  }
  return r;
}

bool is_scalar_region(const Function& f, RegionId region, std::string* reason) {
  for (const OpId id : f.ops(region)) {
    const OpView op{f, id};
    if (op.def().is_terminator) continue;
    if (is_loop(op) || op.num_results() != 1 || op.result_type().rank() != 0 || !can_inline(op, reason)) {
      if (reason != nullptr && reason->empty()) *reason = std::string(op.def().mnemonic) + " in the body";
      return false;
    }
  }
  return true;
}

void walk_reduce(DryRun& run, const OpView& op, const Index& index) { walk_with(run, op, index, false); }

std::vector<int64_t> reduction_loops(const OpView& op, bool merged) { return loops_of(groups_of(op), merged); }

bool merges_reduction(const IndexSpace& space, const Function& kernel, const OpView& op, const Index& index) {
  auto divisions = [&](bool merged) {
    DryRun run(kernel);
    run.adopt_atoms(space);
    walk_with(run, op, index, merged);
    return run.divisions();
  };
  return divisions(true) <= divisions(false);
}

namespace {

Fold fold_of(Emitter& e, const OpView& op, RegionFold& f, const std::vector<Group>& groups, std::span<const Expr> kept,
             bool merged, const Mask& mask) {
  Fold fold;
  for (int64_t n : loops_of(groups, merged)) fold.loops.push_back({n});
  const bool by_lane = e.lanes.count > 1;
  fold.vectorised = !by_lane && f.monoid() && !fold.loops.empty() && fold.loops.back().extent > 1;
  fold.width = by_lane ? e.lanes.count : fold.vectorised ? fold_width(e, fold.loops.back().extent) : 1;
  if (by_lane && !fold.loops.empty() && fold.loops.back().extent >= fold.width) {
    // Reads along the lanes that are rows of memory: by tiles, if there are such.
    DryRun run(e.kernel());
    run.adopt_atoms(e);
    std::vector<Expr> variables;
    for (const FoldLoop& l : fold.loops) variables.push_back(Expr::atom(run.new_atom({0, l.extent - 1})));
    for (size_t i = 0; i < op.num_results(); ++i)
      run.walk(op.operand(i), operand_index(groups, kept, merged, variables));
    const AtomId inner = variables.back().terms[0].first;
    for (const DryRun::Load& l : run.loads()) {
      bool rows = false, along = false;
      for (const auto& [a, c] : l.place.terms) {
        rows = rows || (a == e.lanes.atom && c != 1 && c != -1);
        along = along || (a == inner && c == 1);
      }
      if (rows && along && fold.width <= 16) fold.tile = fold.width;
    }
  }
  fold.combine = [&f](std::span<const Val> a, std::span<const Val> b) { return f.combine(a, b); };
  fold.step = [&e, &f, &groups, op, kept, merged, mask](std::span<const Expr> variables,
                                                        std::span<const Val> accumulators) {
    const Index at = operand_index(groups, kept, merged, variables);
    std::vector<Val> x;
    if (!variables.empty()) e.pass.variable = variables.back();
    for (size_t i = 0; i < op.num_results(); ++i) x.push_back(f.operand(i, e.eval(op.operand(i), at, mask)));
    return f.combine(accumulators, x);
  };
  return fold;
}

}  // namespace

std::vector<Val> emit_reduce(Emitter& e, const OpView& op, const Index& index, const Mask& mask) {
  const std::vector<Group> groups = groups_of(op);
  const std::vector<Expr> kept = kept_digits(e, groups, index);
  RegionFold f(e, op, 0);
  std::vector<Val> inits = f.inits();
  if (op.operand_type(0).num_elements() == 0) return f.finish(std::move(inits));
  Fold fold = fold_of(e, op, f, groups, kept, merges_reduction(e, e.kernel(), op, index), mask);
  fold.start = fold.vectorised ? std::vector<Val>{f.neutral()} : inits;
  Emitter::RowPass outer = std::move(e.pass);
  e.pass = {};
  if (fold.vectorised && fold.loops.size() == 1) e.pass.extent = fold.loops[0].extent;
  std::vector<Val> result = emit_fold(e, fold);
  e.end_pass();
  e.pass = std::move(outer);
  if (fold.vectorised) result = f.combine(inits, result);
  return f.finish(std::move(result));
}

Val emit_partial_reduce(Emitter& e, const OpView& op, const Index& index, bool merged, llvm::Value* low,
                        llvm::Value* high) {
  const std::vector<Group> groups = groups_of(op);
  const std::vector<Expr> kept = kept_digits(e, groups, index);
  RegionFold f(e, op, 0);
  Fold fold = fold_of(e, op, f, groups, kept, merged, {});
  fold.loops[0].low = low;
  fold.loops[0].high = high;
  fold.start = {f.neutral()};
  return emit_fold(e, fold)[0];
}

size_t piece_bytes(const OpView& op, const Pieces& p, size_t results) {
  size_t bytes = 0;
  for (size_t i = 0; i < results; ++i) {
    const size_t n = static_cast<size_t>(p.pieces) * byte_size(compute_type(op.result_type(i).element_type()));
    bytes += (n + 63) / 64 * 64;
  }
  return bytes;
}

namespace {

llvm::Value* piece_results(Emitter& e, const OpView& op, const Pieces& p, llvm::Value* scratch, size_t result) {
  llvm::IRBuilder<> b = e.at(e.top());
  return b.CreateConstGEP1_64(b.getInt8Ty(), scratch, piece_bytes(op, p, result));
}

std::vector<Val> element_of(Emitter& e, const OpView& op, RegionFold& f, const Expr& at) {
  const Index index = {{op.operand_type(0).num_elements(), at}};
  std::vector<Val> x;
  for (size_t i = 0; i < op.num_results(); ++i) x.push_back(f.operand(i, e.eval(op.operand(i), index, {})));
  return x;
}

}  // namespace

void emit_pieces(Emitter& e, const OpView& op, const Pieces& p, llvm::Value* scratch, llvm::Value* begin,
                 llvm::Value* end) {
  RegionFold f(e, op, 0);
  e.loop(begin, end, 1, {}, [&](Level* level, llvm::Value* unit, std::span<llvm::Value* const>) {
    llvm::IRBuilder<> b = e.at(level);
    llvm::Value* first = b.CreateMul(unit, b.getInt64(static_cast<uint64_t>(p.lanes)));
    const AtomId piece = e.variable(first, level, {0, p.pieces - 1}, p.lanes);
    const Lanes open = e.lanes;
    e.lanes = {piece, p.lanes, nullptr, level};
    const Expr start = Expr::atom(piece) * p.length;
    Fold fold;
    fold.loops = {{p.length, false, b.getInt64(1), b.getInt64(static_cast<uint64_t>(p.length))}};
    fold.width = p.lanes;
    fold.start = element_of(e, op, f, start);
    fold.step = [&](std::span<const Expr> i, std::span<const Val> a) {
      return f.combine(a, element_of(e, op, f, start + i[0]));
    };
    const std::vector<Val> r = emit_fold(e, fold);
    for (size_t i = 0; i < r.size(); ++i) {
      e.store(level, piece_results(e, op, p, scratch, i), compute_type(op.result_type(i).element_type()),
              Expr::atom(piece), r[i], {});
    }
    e.lanes = open;
    return std::vector<llvm::Value*>{};
  });
}

std::vector<Val> emit_joined_pieces(Emitter& e, const OpView& op, const Pieces& p, llvm::Value* scratch) {
  RegionFold f(e, op, 0);
  Fold fold;
  fold.loops = {{p.pieces}};
  fold.start = f.inits();
  fold.step = [&](std::span<const Expr> i, std::span<const Val> a) {
    std::vector<Val> x;
    for (size_t k = 0; k < op.num_results(); ++k) {
      const ElementType t = compute_type(op.result_type(k).element_type());
      x.push_back(e.load(piece_results(e, op, p, scratch, k), t, i[0], p.pieces, {}));
    }
    return f.combine(a, x);
  };
  std::vector<Val> r = emit_fold(e, fold);
  const int64_t done = p.pieces * p.length, total = op.operand_type(0).num_elements();
  if (done < total) {
    Fold rest;
    rest.loops = {{total - done}};
    rest.start = r;
    rest.step = [&](std::span<const Expr> i, std::span<const Val> a) {
      return f.combine(a, element_of(e, op, f, i[0] + done));
    };
    r = emit_fold(e, rest);
  }
  return f.finish(std::move(r));
}

}  // namespace weft::codegen
