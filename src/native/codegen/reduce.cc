#include "native/codegen/reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::codegen {

using llvm::Value;

namespace {

uint64_t float_bits(ElementType t, double v) {
  switch (t) {
    case ElementType::kF16: return f16(static_cast<float>(v)).bits;
    case ElementType::kBF16: return bf16(static_cast<float>(v)).bits;
    case ElementType::kF32: return std::bit_cast<uint32_t>(static_cast<float>(v));
    default: return std::bit_cast<uint64_t>(v);
  }
}

std::optional<uint64_t> neutral_of(std::string_view mnemonic, ElementType t) {
  const bool fp = is_float(t);
  const int width = bit_width(t);
  const uint64_t ones = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (is_boolean(t)) {
    if (mnemonic == "stablehlo.add" || mnemonic == "stablehlo.maximum") return 0;
    if (mnemonic == "stablehlo.multiply" || mnemonic == "stablehlo.minimum") return 1;
  }
  const double inf = std::numeric_limits<double>::infinity();
  if (mnemonic == "stablehlo.add") return fp ? float_bits(t, -0.0) : 0;
  if (mnemonic == "stablehlo.multiply") return fp ? float_bits(t, 1) : 1;
  if (mnemonic == "stablehlo.maximum") {
    if (fp) return float_bits(t, -inf);
    return is_signed_integer(t) ? uint64_t{1} << (width - 1) : 0;
  }
  if (mnemonic == "stablehlo.minimum") {
    if (fp) return float_bits(t, inf);
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

Index operand_index(std::span<const Group> groups, std::span<const Expr> kept, bool merged, std::span<const Expr> variables) {
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
  std::vector<Expr> variables;
  for (int64_t n : loops_of(groups, merged)) variables.push_back(Expr::atom(run.new_atom({0, n - 1})));
  const Index at = operand_index(groups, kept, merged, variables);
  for (size_t i = 0; i < op.num_results(); ++i) run.walk(op.operand(i), at);
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

std::vector<Val> fold_lanes(Emitter& e, std::vector<Val> a,
                            const std::function<std::vector<Val>(std::span<const Val>, std::span<const Val>)>& combine) {
  while (a[0].lanes > 1) {
    const int half = a[0].lanes / 2;
    std::vector<Val> low, high;
    for (const Val& v : a) {
      llvm::IRBuilder<> b = e.at(v.level);
      auto part = [&](int first) -> Val {
        if (half == 1) return {b.CreateExtractElement(v.v, static_cast<uint64_t>(first)), nullptr, v.level, 1};
        std::vector<int> pick;
        for (int i = 0; i < half; ++i) pick.push_back(first + i);
        return {b.CreateShuffleVector(v.v, pick), nullptr, v.level, half};
      };
      low.push_back(part(0));
      high.push_back(part(half));
    }
    a = combine(low, high);
  }
  return a;
}

std::vector<Val> emit_reduce(Emitter& e, const OpView& op, const Index& index, const Mask& mask) {
  const size_t count = op.num_results();
  const Type operand = op.operand_type(0);
  std::vector<Val> inits;
  for (size_t i = 0; i < count; ++i) inits.push_back(e.eval(op.operand(count + i), {}, {}));
  const std::vector<Group> groups = groups_of(op);
  if (operand.num_elements() == 0) return inits;

  const std::vector<Expr> kept = kept_digits(e, groups, index);
  auto divisions = [&](bool merged) {
    DryRun run(e.kernel());
    run.adopt_atoms(e);
    const int64_t before = run.divisions();
    walk_with(run, op, index, merged);
    return run.divisions() - before;
  };
  const bool merged = divisions(true) <= divisions(false);
  const std::vector<int64_t> loops = loops_of(groups, merged);

  const RegionId body = op.region(0);
  const std::optional<Monoid> monoid = count == 1 ? monoid_of(e.kernel(), body) : std::nullopt;
  const ElementType type = op.result_type().element_type();
  const bool by_lane = e.lanes.count > 1;
  // Sums of 16-bit floats are kept in f32 and rounded once.
  const bool wide = monoid && compute_type(type) != type;
  auto combine = [&](std::span<const Val> a, std::span<const Val> b) {
    std::vector<Val> args(a.begin(), a.end());
    args.insert(args.end(), b.begin(), b.end());
    e.rounding = !wide;
    std::vector<Val> r = e.eval_region(body, args);
    e.rounding = true;
    return r;
  };

  int width = by_lane ? e.lanes.count : 1;
  const bool vectorise = !by_lane && monoid && !loops.empty() && loops.back() > 1;
  if (vectorise) width = lanes_for_extent(loops.back(), std::min(64, 2 * natural_lanes(e.kernel(), e.options())));
  const bool can_mask = e.options().isa.has_masks;
  if (vectorise && !can_mask) {
    while (width > loops.back()) width /= 2;
  }

  Level* const here = e.current();
  const Val neutral = monoid ? e.constant(type, monoid->neutral) : Val{};
  std::vector<Value*> start;
  for (size_t i = 0; i < count; ++i) start.push_back(e.spread(vectorise ? neutral : inits[i], width).v);

  auto wrap = [&](std::span<Value* const> values, Level* level, int n) {
    std::vector<Val> r;
    for (Value* v : values) r.push_back({v, nullptr, level, n});
    return r;
  };
  auto unwrap = [&](std::span<const Val> values, int n) {
    std::vector<Value*> r;
    for (const Val& v : values) r.push_back(e.spread(v, n).v);
    return r;
  };
  // One step at the given values of the loop variables.
  auto step = [&](std::span<const Expr> variables, std::span<Value* const> carried, Level* level, int n) {
    const Index at = operand_index(groups, kept, merged, variables);
    std::vector<Val> x;
    for (size_t i = 0; i < count; ++i) x.push_back(e.eval(op.operand(i), at, mask));
    return combine(wrap(carried, level, n), x);
  };

  std::vector<Expr> variables;
  std::function<std::vector<Value*>(size_t, std::span<Value* const>, Level*)> nest =
      [&](size_t i, std::span<Value* const> carried, Level* level) -> std::vector<Value*> {
    if (i == loops.size()) return unwrap(step(variables, carried, level, width), width);
    const int64_t extent = loops[i];
    llvm::IRBuilder<> b = e.at(level);
    const bool innermost = i + 1 == loops.size() && vectorise;
    const int64_t stride = innermost ? width : 1;
    const int64_t full = extent / stride * stride;
    std::vector<Value*> out(carried.begin(), carried.end());
    if (full > 0) {
      out = e.loop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(full)), stride, carried,
                   [&](Level* inner, Value* iv, std::span<Value* const> phis) {
                     const AtomId a = e.variable(iv, inner, {0, extent - 1}, static_cast<int>(stride));
                     const Lanes open = e.lanes;
                     if (innermost) e.lanes = {a, width, nullptr, inner};
                     variables.push_back(Expr::atom(a));
                     std::vector<Value*> next = nest(i + 1, phis, inner);
                     variables.pop_back();
                     e.lanes = open;
                     return next;
                   });
    }
    if (full < extent && can_mask) {
      b.SetInsertPoint(level->at);
      const AtomId a = e.variable(b.getInt64(static_cast<uint64_t>(full)), level, {0, extent - 1}, width);
      std::vector<llvm::Constant*> bits;
      for (int l = 0; l < width; ++l) bits.push_back(b.getInt1(full + l < extent));
      Value* active = llvm::ConstantVector::get(bits);
      const Lanes open = e.lanes;
      e.lanes = {a, width, active, level};
      variables.push_back(Expr::atom(a));
      const std::vector<Value*> next = nest(i + 1, out, level);
      variables.pop_back();
      e.lanes = open;
      b.SetInsertPoint(level->at);
      for (size_t k = 0; k < out.size(); ++k) out[k] = b.CreateSelect(active, next[k], out[k]);
    }
    return out;
  };
  std::vector<Val> result = wrap(nest(0, start, here), here, width);
  if (vectorise) {
    result = fold_lanes(e, std::move(result), combine);
    const int64_t extent = loops.back();
    const int64_t full = extent / width * width;
    if (full < extent && !can_mask) {
      // What the last vector leaves over, element by element, after all full vectors.
      std::function<std::vector<Value*>(size_t, std::span<Value* const>, Level*)> rest =
          [&](size_t i, std::span<Value* const> carried, Level* level) -> std::vector<Value*> {
        if (i == loops.size()) return unwrap(step(variables, carried, level, 1), 1);
        llvm::IRBuilder<> b = e.at(level);
        const int64_t low = i + 1 == loops.size() ? full : 0;
        return e.loop(b.getInt64(static_cast<uint64_t>(low)), b.getInt64(static_cast<uint64_t>(loops[i])), 1, carried,
                      [&](Level* inner, Value* iv, std::span<Value* const> phis) {
                        variables.push_back(Expr::atom(e.variable(iv, inner, {0, loops[i] - 1})));
                        std::vector<Value*> next = rest(i + 1, phis, inner);
                        variables.pop_back();
                        return next;
                      });
      };
      result = wrap(rest(0, unwrap(result, 1), here), here, 1);
    }
    result = combine(inits, result);
  }
  if (wide) {
    llvm::IRBuilder<> b = e.at(result[0].level);
    result[0].v = round_to(b, result[0].v, type);
  }
  return result;
}

}  // namespace weft::codegen
