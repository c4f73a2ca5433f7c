#include "native/codegen/layout.h"

#include <algorithm>

#include "native/codegen/loops.h"
#include "native/codegen/scalar_emit.h"
#include "ops/record.h"

namespace weft::codegen {

void DryRun::walk(Value v, const Index& index) {
  if (!seen_.emplace(std::make_pair(v.index, index), true).second) return;
  const OpId id = kernel_.defining_op(v);
  if (!id) return;
  const OpView op{kernel_, id};
  if (const Structural kind = structural_kind(op.def()); kind != Structural::kNone) {
    const bool is_update = kind == Structural::kDynamicUpdateSlice;
    if (is_update) walk(op.operand(0), index);
    const size_t first = is_update ? 1 : 0;
    const size_t last = kind == Structural::kConcatenate ? op.num_operands() : first + 1;
    for (size_t i = first; i < last; ++i) {
      if (op.operand_type(i).num_elements() == 0) continue;
      const Read r = read_of(op, kind, i, index, *this, *this);
      if (!r.never) walk(op.operand(i), r.index);
    }
    return;
  }
  if (op.def().mnemonic == "stablehlo.constant" || op.def().mnemonic == "stablehlo.iota") return;
  if (is_loop(op)) {
    walk_loop(*this, op, index);
    return;
  }
  for (size_t i = 0; i < op.num_operands(); ++i) walk(op.operand(i), op.operand_type(i).rank() == 0 ? Index{} : index);
}

Expr DryRun::clamped(Value v, const Index& index, int64_t max) {
  if (max <= 0) return Expr(0);
  walk(v, index);
  return Expr::atom(new_atom({0, max}));
}

std::vector<int64_t> merge_extents(const Function& kernel, std::span<const int64_t> shape,
                                   const std::function<void(DryRun&, const Index&)>& walk) {
  std::vector<int64_t> extents;
  for (int64_t d : shape) {
    if (d != 1) extents.push_back(d);
  }
  auto divisions = [&](const std::vector<int64_t>& e) {
    DryRun run(kernel);
    Index index;
    for (int64_t n : e) index.push_back({n, Expr::atom(run.new_atom({0, n - 1}))});
    walk(run, index);
    return run.divisions();
  };
  if (extents.size() < 2) return extents;
  const int64_t best = divisions(extents);
  for (size_t i = extents.size() - 1; i > 0; --i) {
    std::vector<int64_t> merged = extents;
    merged[i - 1] *= merged[i];
    merged.erase(merged.begin() + static_cast<int64_t>(i));
    if (divisions(merged) <= best) extents = merged;
  }
  return extents;
}

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

// Rough nanoseconds for one element of each root, everything that the kernel computes included.
double element_cost(const Function& kernel) {
  double ns = 0;
  for (const OpId id : kernel.ops(kernel.body())) {
    const OpView op{kernel, id};
    if (op.def().is_terminator) {
      for (Value v : op.operands()) ns += 0.1 * static_cast<double>(byte_size(kernel.type(v).element_type()));
      continue;
    }
    double cost = 0.05;
    if (!record(op).cost.refused() && op.num_results() > 0 && op.result_type().is_static()) {
      const double n = static_cast<double>(std::max<int64_t>(1, op.result_type().num_elements()));
      cost = 0.04 * record(op).cost.rule()(op).flops / n;
    }
    ns += std::max(cost, 0.02);
  }
  for (Type t : kernel.arg_types()) ns += 0.05 * static_cast<double>(byte_size(t.element_type()));
  return ns;
}

constexpr int64_t kWantedUnits = 64;
constexpr int64_t kMinChunk = 2048;

void choose_units(Segment& s) {
  const size_t n = s.extents.size();
  if (n == 0) {
    s.units = 1;
    s.chunk = 1;
    return;
  }
  const int64_t inner = s.extents.back();
  int64_t outer = 1;
  while (s.unit_loops + 1 < n && outer < kWantedUnits) outer *= s.extents[s.unit_loops++];
  s.chunk = inner;
  if (s.unit_loops + 1 == n && outer < kWantedUnits && inner > kMinChunk) {
    const int64_t parts = std::min((kWantedUnits + outer - 1) / outer, inner / kMinChunk);
    s.chunk = (inner + parts - 1) / parts;
    s.chunk = (s.chunk + s.lanes - 1) / s.lanes * s.lanes;
  }
  s.chunks = (inner + s.chunk - 1) / s.chunk;
  s.units = outer * s.chunks;
}

}  // namespace

Layout choose_layout(const Function& kernel, const KernelOptions& options) {
  Layout layout;
  const OpView terminator{kernel, kernel.terminator(kernel.body())};
  const double ns = element_cost(kernel);
  // Roots of one shape share loops.
  std::vector<bool> done(terminator.num_operands(), false);
  for (size_t i = 0; i < done.size(); ++i) {
    if (done[i]) continue;
    Segment s;
    const Type shape = terminator.operand_type(i);
    for (size_t j = i; j < done.size(); ++j) {
      const Type t = terminator.operand_type(j);
      if (done[j] || t.rank() != shape.rank() || !std::ranges::equal(t.shape(), shape.shape())) continue;
      s.roots.push_back(j);
      done[j] = true;
    }
    if (shape.num_elements() == 0) continue;
    s.extents = merge_extents(kernel, shape.shape(), [&](DryRun& run, const Index& index) {
      for (size_t r : s.roots) run.walk(terminator.operand(r), index);
    });
    s.lanes = s.extents.empty() ? 1 : lanes_for_extent(s.extents.back(), natural_lanes(kernel, options));
    choose_units(s);
    s.work_per_unit = ns * static_cast<double>(shape.num_elements()) / static_cast<double>(s.units);
    layout.segments.push_back(s);
  }
  return layout;
}

}  // namespace weft::codegen
