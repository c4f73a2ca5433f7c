#include "native/codegen/layout.h"

#include <algorithm>

#include "native/codegen/contraction.h"
#include "native/codegen/dry_run.h"
#include "native/codegen/lane_while.h"
#include "native/codegen/loops.h"
#include "native/codegen/pool_gradient.h"
#include "native/codegen/reduce.h"
#include "native/codegen/scalar_emit.h"
#include "native/codegen/scan.h"
#include "native/codegen/scatter.h"
#include "ops/record.h"
#include "ops/reduction/window_rules.h"

namespace weft::codegen {

int lanes_for_extent(int64_t n, int limit) {
  int lanes = 1;
  while (lanes < limit && lanes < n) lanes *= 2;
  return lanes;
}

int natural_lanes(const Function& kernel, const KernelOptions& options) {
  size_t widest = 1;
  for (uint32_t i = 0; i < kernel.num_values(); ++i) {
    const Type t = kernel.type(Value{i});
    if (!t.is_tensor() || t.rank() == 0) continue;
    const ElementType e = t.element_type();
    widest = std::max(widest, is_complex(e) ? byte_size(e) / 2 : byte_size(compute_type(e)));
  }
  return std::min(64, static_cast<int>(2 * static_cast<size_t>(options.isa.vector_bytes) / widest));
}

namespace {

double elementwise_flops(const Function& kernel);

// Rough nanoseconds for one element of the roots, everything that it needs included.
double element_cost(const Function& kernel, std::span<const Value> roots, std::span<const int64_t> extents) {
  DryRun run(kernel);
  Index index;
  double elements = 1;
  for (int64_t n : extents) {
    const AtomId a = run.new_atom({0, n - 1});
    run.open(a, n);
    index.push_back({n, Expr::atom(a)});
    elements *= static_cast<double>(n);
  }
  for (Value v : roots) run.walk(v, index);
  double ns = 0.1;
  for (const DryRun::Load& l : run.loads()) ns += 0.2 * l.times / elements;
  return ns + 0.04 * elementwise_flops(kernel);
}

/// Whether each element of the roots is better computed alone, with lanes along the loops inside it, than one per lane.
bool prefers_scalar_rows(const Function& kernel, std::span<const Value> roots, std::span<const int64_t> extents) {
  DryRun run(kernel);
  Index index;
  for (int64_t n : extents) index.push_back({n, Expr::atom(run.new_atom({0, n - 1}))});
  const AtomId lane = index.back().expr.terms[0].first;
  for (Value v : roots) run.walk(v, index);
  if (run.loops() == 0) return false;
  constexpr double kVector = 1.0 / 16, kFoldLanes = 6;
  double by_lane = 0, by_row = kFoldLanes * static_cast<double>(run.loops());
  for (const DryRun::Load& l : run.loads()) {
    by_lane += l.times * (run.is_scattered(l.place, lane) ? 1 : kVector);
    by_row += l.times * (l.inner >= 0 && !run.is_scattered(l.place, l.inner) ? kVector : 1);
  }
  // A row of few elements leaves most lanes idle.
  by_lane *= extents.back() < 16 ? 16.0 / static_cast<double>(extents.back()) : 1;
  return by_row < 0.7 * by_lane;
}

constexpr int64_t kWantedUnits = 64;
constexpr int64_t kMinChunk = 2048;

// A unit is a row, or a part of one that is worth it.
void choose_row_units(Segment& s, double ns, int64_t rows) {
  constexpr double kUnitNs = 4000;
  const size_t n = s.extents.size();
  if (n == 0 || s.low[0] != 0 || s.extents[0] % rows != 0 || s.count[0] != s.extents[0]) return;
  const int64_t inner = iterations(s, n - 1);
  if (n == 1) {
    s.unit_loops = 0;
    const int64_t row = inner / rows;
    s.chunk = row;
    for (int64_t parts = 2; row / parts % s.lanes == 0; parts *= 2) {
      const int64_t chunk = row / parts;
      if (row % parts != 0 || ns * static_cast<double>(chunk) < kUnitNs) break;
      s.chunk = chunk;
    }
  } else {
    s.unit_loops = 1;
    double unit_ns = ns;
    for (size_t i = 1; i < n; ++i) unit_ns *= static_cast<double>(iterations(s, i));
    while (s.unit_loops + 1 < n && (s.transposes || unit_ns >= 2 * kUnitNs))
      unit_ns /= static_cast<double>(unit_iterations(s, s.unit_loops++));
    s.chunk = s.transposes ? 4 * s.lanes : inner;
    if (!s.transposes && !s.whole_rows && s.unit_loops + 1 == n && unit_ns >= 2 * kUnitNs) {
      s.chunk = static_cast<int64_t>(static_cast<double>(inner) * kUnitNs / unit_ns);
      s.chunk = (s.chunk + s.lanes - 1) / s.lanes * s.lanes;
    }
  }
  s.chunks = (inner + s.chunk - 1) / s.chunk;
  s.units = s.chunks;
  for (size_t i = 0; i < s.unit_loops; ++i) s.units *= unit_iterations(s, i);
}

void choose_units(Segment& s, double ns, int64_t rows) {
  const size_t n = s.extents.size();
  if (rows > 0) return choose_row_units(s, ns, rows);
  s.unit_loops = 0;
  if (n == 0) {
    s.units = 1;
    s.chunk = 1;
    return;
  }
  const int64_t inner = iterations(s, n - 1);
  int64_t outer = 1;
  while (s.unit_loops + 1 < n && (s.transposes || outer < kWantedUnits)) outer *= unit_iterations(s, s.unit_loops++);
  // Tiles of a few vectors side by side: fewer pages are touched for each.
  s.chunk = s.transposes ? 4 * s.lanes : inner;
  // Elements that loop inside are worth a unit by the few.
  const int64_t min_chunk = std::clamp(static_cast<int64_t>(kMinChunk / ns), int64_t{1}, kMinChunk);
  if (!s.transposes && !s.whole_rows && s.unit_loops + 1 == n && outer < kWantedUnits && inner > min_chunk) {
    const int64_t parts = std::min((kWantedUnits + outer - 1) / outer, inner / min_chunk);
    s.chunk = (inner + parts - 1) / parts;
    s.chunk = (s.chunk + s.lanes - 1) / s.lanes * s.lanes;
  }
  s.chunks = (inner + s.chunk - 1) / s.chunk;
  s.units = outer * s.chunks;
}

void cover_all(Segment& s) {
  s.low.assign(s.extents.size(), 0);
  s.count = s.extents;
}

// Elementwise work per element, in operations.
double elementwise_flops(const Function& kernel) {
  double flops = 0;
  for (const OpId id : kernel.ops(kernel.body())) {
    const OpView op{kernel, id};
    if (op.num_results() != 1 || is_loop(op) || record(op).cost.refused() || !op.result_type().is_static()) continue;
    flops +=
        record(op).cost.rule()(op).flops / static_cast<double>(std::max<int64_t>(1, op.result_type().num_elements()));
  }
  return flops;
}

constexpr double kLongChain = 40;

// Bytes of the widest element that is read from memory.
size_t widest_read(const Function& kernel) {
  size_t bytes = 1;
  for (Type t : kernel.arg_types()) {
    if (t.rank() > 0) bytes = std::max(bytes, byte_size(t.element_type()));
  }
  return bytes;
}

struct Access {
  bool has_loops = false, is_contraction = false;
  OpId contraction;                           // the last one met
  bool is_at_element = false;                 // and it is needed where the roots are computed
  bool has_hoisted_loops = false;             // folds that are the same for all elements of the innermost loop
  std::vector<int64_t> scattered_contiguous;  // per loop: scattered reads along the lanes that are contiguous along it
  int64_t scattered = 0, scattered_in_loops = 0;  // the latter contiguous along the innermost loop
  std::vector<std::pair<size_t, int64_t>> seams;  // loop and position
};

Access access_of(const Function& kernel, std::span<const Value> roots, std::span<const int64_t> extents) {
  Access a;
  DryRun run(kernel);
  Index index;
  for (int64_t n : extents) index.push_back({n, Expr::atom(run.new_atom({0, n - 1}))});
  int64_t loops = 0;
  run.on_loop = [&](const OpView& op, const Index& at) {
    ++loops;
    const bool varies = !index.empty() && std::any_of(at.begin(), at.end(), [&](const Factor& f) {
      return run.depends(f.expr, index.back().expr.terms[0].first);
    });
    a.has_hoisted_loops = a.has_hoisted_loops || !varies;
    const std::string_view m = op.def().mnemonic;
    a.is_contraction = m == "stablehlo.dot_general" || m == "stablehlo.convolution";
    if (!a.is_contraction) return;
    a.contraction = op.id;
    a.is_at_element = index.size() == 1 && linear(at) == index.back().expr;
  };
  for (Value v : roots) run.walk(v, index);
  a.has_loops = loops > 0;
  a.is_contraction = a.is_contraction && loops == 1;
  a.scattered_contiguous.assign(extents.size(), 0);
  if (extents.empty()) return a;
  const AtomId lane = index.back().expr.terms[0].first;
  for (const DryRun::Load& l : run.loads()) {
    if (!run.is_scattered(l.place, lane)) continue;
    ++a.scattered;
    for (const auto& [atom, c] : l.place.terms) {
      if (l.innermost >= 0 && atom == l.innermost && c == 1) ++a.scattered_in_loops;
    }
    for (size_t d = 0; d + 1 < extents.size(); ++d) {
      for (const auto& [atom, c] : l.place.terms) {
        if (atom == index[d].expr.terms[0].first && c == 1) ++a.scattered_contiguous[d];
      }
    }
  }
  for (const auto& [e, at] : run.seams()) {
    if (e.terms.size() != 1 || e.terms[0].second != 1) continue;
    for (size_t d = 0; d < extents.size(); ++d) {
      if (index[d].expr.terms[0].first == e.terms[0].first) a.seams.push_back({d, at - e.constant});
    }
  }
  return a;
}

constexpr int64_t kMinPart = 64;  // elements along the lanes of a part between seams that is worth loops of its own
constexpr size_t kMaxSegments = 12;

// The segments that cover the elements of a group of roots: cut at the seams of concatenations, and in two where a tiled loop
// leaves a rest.
std::vector<Segment> cut(const Segment& whole, const Access& access) {
  std::vector<Segment> parts = {whole};
  for (const auto& [d, at] : access.seams) {
    const bool is_lane = d + 1 == whole.extents.size();
    std::vector<Segment> next;
    for (Segment& s : parts) {
      const int64_t before = at - s.low[d], after = s.count[d] - before;
      const int64_t least = is_lane ? kMinPart : 1;
      if (before < least || after < least || parts.size() + next.size() >= kMaxSegments) {
        next.push_back(s);
        continue;
      }
      Segment t = s;
      s.count[d] = before;
      t.low[d] = at;
      t.count[d] = after;
      next.push_back(s);
      next.push_back(t);
    }
    parts = std::move(next);
  }
  if (whole.tile_loop < 0) return parts;
  const size_t d = static_cast<size_t>(whole.tile_loop);
  std::vector<Segment> next;
  for (Segment& s : parts) {
    const int64_t rest = s.count[d] % s.tile;
    if (rest != 0) {
      Segment r = s;
      r.low[d] += s.count[d] - rest;
      r.count[d] = rest;
      r.tile_loop = -1;
      r.tile = 1;
      r.transposes = false;
      next.push_back(r);
      s.count[d] -= rest;
    }
    if (s.count[d] > 0) next.push_back(s);
  }
  return next;
}

}  // namespace

int64_t updated_argument(const Function& kernel, Value root) {
  const OpId id = kernel.defining_op(root);
  if (!id) return -1;
  const std::string_view m = kernel.def(id).mnemonic;
  if (m != "stablehlo.dynamic_update_slice" && m != "stablehlo.scatter") return -1;
  const Value from = kernel.operand(id, kernel.position(root));
  if (kernel.defining_op(from) || kernel.type(from) != kernel.type(root)) return -1;
  return kernel.position(from);
}

namespace {

constexpr int64_t kMinSplitElements = 1 << 17, kElementsPerPart = 1 << 15, kMaxParts = 64, kFewUnits = 16;

// A reduction of many elements to one place by a body of which the order matters.
bool split_in_pieces(const Function& kernel, const KernelOptions& options, std::span<const Value> roots, Segment& s) {
  if (!s.extents.empty()) return false;
  DryRun run(kernel);
  OpId found;
  bool possible = true;
  run.on_loop = [&](const OpView& op, const Index& index) {
    possible = possible && (!found || found == op.id) && op.def().mnemonic == "stablehlo.reduce" && index.empty() &&
               !(op.num_results() == 1 && monoid_of(kernel, op.region(0)));
    found = op.id;
    for (size_t i = 0; i < op.num_results(); ++i)
      possible = possible && op.result_type(i).rank() == 0 && !is_complex(op.result_type(i).element_type());
  };
  for (Value v : roots) run.walk(v, {});
  if (!possible || !found) return false;
  const OpView reduce{kernel, found};
  const int64_t total = reduce.operand_type(0).num_elements();
  if (total < kMinSplitElements || run.loops() != static_cast<int64_t>(reduce.num_results())) return false;
  s.in_pieces = true;
  s.split = {found};
  s.kept_lanes = natural_lanes(kernel, options);
  s.parts = std::clamp<int64_t>(total / kElementsPerPart, 2, kFewUnits);
  s.step = total / (s.parts * s.kept_lanes);
  // Lanes that stand a power of two apart would meet in the same lines of the cache.
  constexpr int64_t kLine = 16;
  if (s.step > 8 * kLine) s.step = ((s.step / kLine - 1) | 1) * kLine;
  return s.step > 1;
}

// Cuts reductions of many elements to few results, if the roots depend on such alone and lanes and units leave no other parallelism.
void split_reductions(const Function& kernel, const KernelOptions& options, std::span<const Value> roots, Segment& s) {
  if (s.units >= kFewUnits || split_in_pieces(kernel, options, roots, s)) return;
  DryRun run(kernel);
  Index index;
  for (int64_t n : s.extents) index.push_back({n, Expr::atom(run.new_atom({0, n - 1}))});
  std::vector<OpId> reduces;
  bool possible = true;
  run.on_loop = [&](const OpView& op, const Index&) {
    possible = possible && op.def().mnemonic == "stablehlo.reduce" && op.num_results() == 1 &&
               monoid_of(kernel, op.region(0)) && run.loops() == static_cast<int64_t>(reduces.size()) &&
               std::ranges::find(reduces, op.id) == reduces.end();
    if (possible && !reduces.empty()) {
      const OpView other{kernel, reduces[0]};
      possible = std::ranges::equal(op.operand_type(0).shape(), other.operand_type(0).shape()) &&
                 op.attrs().ints("dimensions") == other.attrs().ints("dimensions");
    }
    if (possible) reduces.push_back(op.id);
  };
  for (Value v : roots) run.walk(v, index);
  if (!possible || reduces.empty() || run.is_nested()) return;
  const OpView reduce{kernel, reduces[0]};
  const int64_t total = reduce.operand_type(0).num_elements();
  if (total < kMinSplitElements) return;

  std::vector<Value> results;
  for (OpId r : reduces) results.push_back(kernel.result(r));
  std::vector<int64_t> kept = merge_extents(kernel, reduce.result_type().shape(), [&](DryRun& r, const Index& i) {
    for (Value v : results) r.walk(v, i);
  });
  DryRun inner(kernel);
  Index kept_index;
  for (int64_t n : kept) kept_index.push_back({n, Expr::atom(inner.new_atom({0, n - 1}))});
  const bool merged = merges_reduction(inner, kernel, reduce, kept_index);
  const std::vector<int64_t> loops = reduction_loops(reduce, merged);
  const bool by_row = kept.empty() || prefers_scalar_rows(kernel, results, kept);
  // A part starts at a whole vector when the split loop is the vectorised one.
  const int64_t grain = by_row && loops.size() == 1 ? 64 : 1;
  const int64_t extent = loops[0];
  const int64_t wanted = std::clamp<int64_t>(total / kElementsPerPart, 2, kMaxParts);
  int64_t step = (extent + wanted - 1) / wanted;
  step = (step + grain - 1) / grain * grain;
  const int64_t parts = (extent + step - 1) / step;
  if (parts < 2) return;
  s.split = reduces;
  s.parts = parts;
  s.step = step;
  s.merged = merged;
  s.kept_extents = kept;
  // Long pieces of each row, as without parts.
  s.kept_lanes = by_row ? 1 : lanes_for_extent(kept.back(), std::min(128, 4 * natural_lanes(kernel, options)));
  s.kept = reduce.result_type().num_elements();
  s.finish_work = 0.2 * static_cast<double>(s.kept * s.parts);
  s.lanes = s.extents.empty() ? 1 : lanes_for_extent(s.extents.back(), natural_lanes(kernel, options));
  s.tile_loop = -1;
  s.tile = 1;
  s.transposes = false;
  choose_units(s, 1, 0);
}

// The roots of a scatter together, or one dynamic_update_slice.
Segment update_segment(const Function& kernel, const KernelOptions& options, const OpView& terminator, size_t root,
                       std::vector<bool>& done) {
  Segment s;
  const OpView op{kernel, kernel.defining_op(terminator.operand(root))};
  const int lanes = natural_lanes(kernel, options);
  s.roots.push_back(root);
  done[root] = true;
  if (op.def().mnemonic == "stablehlo.scatter") {
    for (size_t j = root + 1; j < done.size(); ++j) {
      if (done[j] || kernel.defining_op(terminator.operand(j)) != op.id) continue;
      s.roots.push_back(j);
      done[j] = true;
    }
    plan_scatter(op, options, s);
    return s;
  }
  s.kind = SegmentKind::kUpdate;
  const Type update = op.operand_type(1);
  if (update.num_elements() == 0) return s;
  s.extents = merge_extents(kernel, update.shape(), [&](DryRun& run, const Index& index) {
    run.walk(op.operand(1), index);
    update_place(op, index, run, run);
  });
  const Value value = op.operand(1);
  const bool by_row = !s.extents.empty() && prefers_scalar_rows(kernel, std::span(&value, 1), s.extents);
  s.lanes = s.extents.empty() || by_row ? 1 : lanes_for_extent(s.extents.back(), lanes);
  const double ns = element_cost(kernel, std::span(&value, 1), s.extents);
  cover_all(s);
  choose_units(s, ns, options.rows);
  s.work_per_unit = ns * static_cast<double>(update.num_elements()) / static_cast<double>(s.units);
  return s;
}

}  // namespace

namespace {

bool needs_own_segment(const Function& kernel, Value root) {
  const OpId id = kernel.defining_op(root);
  if (!id) return false;
  return updated_argument(kernel, root) >= 0 || kernel.def(id).mnemonic == "weft.lane_while" ||
         is_tiled_pool_gradient({kernel, id}) || scatters_windows({kernel, id}) || scan_form({kernel, id});
}

}  // namespace

// Matrix-vector products with a matrix that no fast cache holds, read along its rows by the lanes.
bool streams(const Function& kernel, const Access& access, const Segment& s) {
  constexpr int64_t kMinBytes = 1 << 18, kMinRow = 256;
  if (!access.is_contraction || !access.is_at_element || access.scattered != 0 || s.extents[0] < kMinRow) return false;
  const OpView op{kernel, access.contraction};
  size_t bytes = 0;
  for (size_t i = 0; i < 2; ++i) bytes = std::max(bytes, op.operand_type(i).num_bytes());
  return static_cast<int64_t>(bytes) >= kMinBytes && can_stream(op);
}

Layout choose_layout(const Function& kernel, const KernelOptions& options) {
  Layout layout;
  const OpView terminator{kernel, kernel.terminator(kernel.body())};
  // Roots of one shape share loops.
  std::vector<bool> done(terminator.num_operands(), false);
  for (size_t i = 0; i < done.size(); ++i) {
    if (done[i]) continue;
    if (const OpId id = kernel.defining_op(terminator.operand(i)); id && kernel.def(id).mnemonic == "weft.lane_while") {
      Segment s;
      s.kind = SegmentKind::kLaneWhile;
      for (size_t j = i; j < done.size(); ++j) {
        if (kernel.defining_op(terminator.operand(j)) != id) continue;
        s.roots.push_back(j);
        done[j] = true;
      }
      if (terminator.operand_type(i).num_elements() == 0) continue;
      plan_lane_while({kernel, id}, options, s);
      layout.segments.push_back(std::move(s));
      continue;
    }
    if (const OpId id = kernel.defining_op(terminator.operand(i));
        id && terminator.operand_type(i).num_elements() > 0 && is_tiled_pool_gradient({kernel, id})) {
      const OpView op{kernel, id};
      Segment s;
      s.kind = SegmentKind::kPoolGradient;
      s.roots.push_back(i);
      done[i] = true;
      for (int64_t n : op.operand_type(1).shape()) {
        if (n != 1) s.extents.push_back(n);
      }
      cover_all(s);
      s.lanes = s.extents.empty() ? 1 : lanes_for_extent(s.extents.back(), natural_lanes(kernel, options));
      choose_units(s, 4, options.rows);
      s.work_per_unit = 0.5 * static_cast<double>(op.result_type().num_elements()) / static_cast<double>(s.units);
      layout.segments.push_back(std::move(s));
      continue;
    }
    if (const OpId id = kernel.defining_op(terminator.operand(i));
        id && (scan_form({kernel, id}) || scatters_windows({kernel, id}))) {
      Segment s;
      s.roots.push_back(i);
      done[i] = true;
      scan_form({kernel, id}) ? plan_scan({kernel, id}, options, s) : plan_window_scatter({kernel, id}, options, s);
      layout.segments.push_back(std::move(s));
      continue;
    }
    if (updated_argument(kernel, terminator.operand(i)) >= 0) {
      Segment s = update_segment(kernel, options, terminator, i, done);
      if (s.units > 0) layout.segments.push_back(std::move(s));
      continue;
    }
    Segment s;
    const Type shape = terminator.operand_type(i);
    for (size_t j = i; j < done.size(); ++j) {
      const Type t = terminator.operand_type(j);
      if (done[j] || needs_own_segment(kernel, terminator.operand(j)) || t.rank() != shape.rank() ||
          !std::ranges::equal(t.shape(), shape.shape()))
        continue;
      s.roots.push_back(j);
      done[j] = true;
    }
    if (shape.num_elements() == 0) continue;
    s.extents = merge_extents(kernel, shape.shape(), [&](DryRun& run, const Index& index) {
      for (size_t r : s.roots) run.walk(terminator.operand(r), index);
    });
    std::vector<Value> roots;
    for (size_t r : s.roots) roots.push_back(terminator.operand(r));
    const bool by_row = !s.extents.empty() && prefers_scalar_rows(kernel, roots, s.extents);
    const Access access = access_of(kernel, roots, s.extents);
    int lanes = natural_lanes(kernel, options);
    cover_all(s);
    s.whole_rows = access.has_hoisted_loops && s.extents.size() > 1;
    if (!s.extents.empty() && !by_row) {
      const int64_t inner = s.extents.back();
      const int tile = std::min(16, options.isa.vector_bytes / static_cast<int>(widest_read(kernel)));
      const bool has_rows = s.extents.size() > 1;
      if (access.scattered_in_loops > 0 && options.isa.has_masks) {
        lanes = tile;  // folds read tiles and transpose them
      } else if (access.has_loops && !(access.is_contraction && has_rows) && access.scattered == 0) {
        lanes = std::min(128, 4 * lanes);  // long pieces of each row that a fold over rows reads
      } else if (elementwise_flops(kernel) >= kLongChain) {
        lanes = std::min(64, 2 * lanes);  // more chains in flight
      }
      const auto best = std::ranges::max_element(access.scattered_contiguous);
      const bool is_row = options.rows > 0 && best == access.scattered_contiguous.begin();
      if (!access.has_loops && *best > 0 && !is_row && inner >= tile && options.isa.has_masks &&
          s.extents[static_cast<size_t>(best - access.scattered_contiguous.begin())] >= tile) {
        s.tile_loop = static_cast<int>(best - access.scattered_contiguous.begin());
        s.tile = lanes = tile;
        s.transposes = true;
      }
      s.lanes = lanes_for_extent(inner, lanes);
    }
    if (access.is_contraction && !s.extents.empty()) {
      // Rows of a product that are summed together share what they read.
      const int loop = by_row ? static_cast<int>(s.extents.size()) - 1 : static_cast<int>(s.extents.size()) - 2;
      const bool may_be_rows = options.rows == 0 || s.extents[0] % (4 * options.rows) == 0;
      if (loop >= (may_be_rows ? 0 : 1) && s.extents[static_cast<size_t>(loop)] > 1) {
        s.tile_loop = loop;
        s.tile = s.extents[static_cast<size_t>(loop)] >= 4 ? 4 : 2;
      }
    }
    const double element_ns = element_cost(kernel, roots, s.extents);
    if (!by_row && options.rows == 0 && streams(kernel, access, s)) {
      s.kind = SegmentKind::kStream;
      s.product = access.contraction;
      s.lanes = lanes_for_extent(s.extents.back(), natural_lanes(kernel, options));
      const int64_t n = s.extents.back(), half = (n / 2 + s.lanes - 1) / s.lanes * s.lanes;
      s.chunk = std::clamp<int64_t>(half, 256, 2048);
      s.units = (n + s.chunk - 1) / s.chunk;
      s.work_per_unit = element_ns * static_cast<double>(s.chunk);
      layout.segments.push_back(std::move(s));
      continue;
    }
    for (Segment& part : cut(s, access)) {
      choose_units(part, element_ns, options.rows);
      int64_t elements = 1;
      for (int64_t n : part.count) elements *= n;
      part.work_per_unit = element_ns * static_cast<double>(elements) / static_cast<double>(part.units);
      if (elements == shape.num_elements() && options.rows == 0) split_reductions(kernel, options, roots, part);
      layout.segments.push_back(std::move(part));
    }
  }
  return layout;
}

}  // namespace weft::codegen
