// What a kernel reads and how often, found by following its reads without emitting anything.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "native/codegen/index.h"
#include "native/codegen/reads.h"

namespace weft::codegen {

/// Follows reads through a kernel without emitting anything.
class DryRun : public IndexSpace, public DynamicIndices {
 public:
  explicit DryRun(const Function& kernel) : kernel_(kernel) {}
  void walk(Value v, const Index& index);
  Expr clamped(Value v, const Index& index, int64_t max) override;
  /// Loops of an op around walks; `can_vectorise`: the innermost may take several elements at a time.
  void loop(std::span<const int64_t> extents, bool can_vectorise,
            const std::function<void(std::span<const Expr>)>& body);

  /// One read of a buffer: its place, how often, and the innermost loop around it that can be vectorised (-1: none).
  struct Load {
    Expr place;
    double times;
    AtomId inner;
    AtomId innermost;  // whether it can be vectorised or not
  };
  /// A loop around all walks, of which an atom is the variable.
  void open(AtomId a, int64_t extent) { open_.push_back({a, extent}); }
  const std::vector<Load>& loads() const { return loads_; }
  int64_t loops() const { return loops_; }
  /// Whether a loop was entered inside another.
  bool is_nested() const { return is_nested_; }
  /// Whether the place is a gather when lanes run along an atom.
  bool is_scattered(const Expr& place, AtomId along) const;
  /// Places where concatenated parts meet, as values of an expression.
  const std::vector<std::pair<Expr, int64_t>>& seams() const { return seams_; }
  bool depends(const Expr& e, AtomId on) const;
  std::function<void(const OpView&, const Index&)> on_loop;

 protected:
  void on_division(AtomId a, const Expr& e, int64_t) override { sources_[a] = e; }
  void on_name(AtomId a, const Expr& e) override { sources_[a] = e; }

 private:
  bool depends(AtomId a, AtomId on) const;
  const Function& kernel_;
  std::map<std::pair<uint32_t, Index>, bool> seen_;
  std::map<AtomId, Expr> sources_;                     // of quotients
  std::map<AtomId, std::vector<Expr>> index_sources_;  // of positions read at run time: the index they are read at
  /// How often something at these places is computed: once per iteration of the open loops that they depend on.
  double times(std::span<const Expr> places) const;

  std::vector<Load> loads_;
  std::vector<std::pair<Expr, int64_t>> seams_;
  std::vector<std::pair<AtomId, int64_t>> open_;  // loops and their extents
  AtomId inner_ = -1;
  int64_t loops_ = 0;
  bool is_nested_ = false;
};

/// Extents for loops over `shape` such that `walk`, given an index of loop variables, needs no division that separate loops
/// over the dimensions would not need.
std::vector<int64_t> merge_extents(const Function& kernel, std::span<const int64_t> shape,
                                   const std::function<void(DryRun&, const Index&)>& walk);

}  // namespace weft::codegen
