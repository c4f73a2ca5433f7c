#include "native/codegen/dry_run.h"

#include <algorithm>

#include "native/codegen/kernel.h"
#include "native/codegen/loops.h"

namespace weft::codegen {

bool DryRun::depends(AtomId a, AtomId on) const {
  if (a == on) return true;
  auto any = [&](const Expr& e) {
    return std::any_of(e.terms.begin(), e.terms.end(), [&](const auto& t) { return depends(t.first, on); });
  };
  if (auto it = sources_.find(a); it != sources_.end() && any(it->second)) return true;
  if (auto it = index_sources_.find(a); it != index_sources_.end())
    return std::any_of(it->second.begin(), it->second.end(), any);
  return false;
}

bool DryRun::is_scattered(const Expr& place, AtomId along) const {
  for (const auto& [a, c] : place.terms) {
    if (a == along ? (c != 1 && c != -1) : depends(a, along)) return true;
  }
  return false;
}

bool DryRun::depends(const Expr& e, AtomId on) const {
  return std::any_of(e.terms.begin(), e.terms.end(), [&](const auto& t) { return depends(t.first, on); });
}

double DryRun::times(std::span<const Expr> places) const {
  double n = 1;
  for (const auto& [a, extent] : open_) {
    if (std::any_of(places.begin(), places.end(), [&](const Expr& e) { return depends(e, a); }))
      n *= static_cast<double>(extent);
  }
  return n;
}

void DryRun::loop(std::span<const int64_t> extents, bool can_vectorise,
                  const std::function<void(std::span<const Expr>)>& body) {
  const AtomId inner = inner_;
  const size_t outer = open_.size();
  std::vector<Expr> variables;
  for (int64_t n : extents) {
    const AtomId a = new_atom({0, n - 1});
    variables.push_back(Expr::atom(a));
    open_.push_back({a, n});
  }
  inner_ = can_vectorise && !extents.empty() ? open_.back().first : -1;
  ++loops_;
  body(variables);
  open_.resize(outer);
  inner_ = inner;
}

void DryRun::walk(Value v, const Index& index) {
  if (!seen_.emplace(std::make_pair(v.index, index), true).second) return;
  const OpId id = kernel_.defining_op(v);
  if (!id) {
    const Expr place = linear(index);
    loads_.push_back({place, times(std::span(&place, 1)), inner_, open_.empty() ? -1 : open_.back().first});
    return;
  }
  const OpView op{kernel_, id};
  if (const Structural kind = structural_kind(op.def()); kind != Structural::kNone) {
    const bool is_update = kind == Structural::kDynamicUpdateSlice;
    if (is_update) walk(op.operand(0), index);
    const size_t first = is_update ? 1 : 0;
    const size_t last = kind == Structural::kConcatenate ? op.num_operands() : first + 1;
    for (size_t i = first; i < last; ++i) {
      if (op.operand_type(i).num_elements() == 0) continue;
      const Read r = read_of(op, kind, i, index, *this, *this);
      if (kind == Structural::kConcatenate && !r.bounds.empty() && i > 0)
        seams_.push_back({r.bounds[0].expr, r.bounds[0].low});
      if (!r.never) walk(op.operand(i), r.index);
    }
    return;
  }
  if (op.def().mnemonic == "stablehlo.constant" || op.def().mnemonic == "stablehlo.iota") return;
  if (is_loop(op)) {
    if (on_loop) on_loop(op, index);
    std::vector<Expr> places;
    for (const Factor& f : index) places.push_back(f.expr);
    is_nested_ = is_nested_ || times(places) > 1;
    walk_loop(*this, op, index);
    return;
  }
  for (size_t i = 0; i < op.num_operands(); ++i) walk(op.operand(i), op.operand_type(i).rank() == 0 ? Index{} : index);
}

Expr DryRun::clamped(Value v, const Index& index, int64_t max) {
  if (max <= 0) return Expr(0);
  walk(v, index);
  const AtomId a = new_atom({0, max});
  for (const Factor& f : index) index_sources_[a].push_back(f.expr);
  return Expr::atom(a);
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

}  // namespace weft::codegen
