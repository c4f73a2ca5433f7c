// Kernels with open extents whose results are not pulled element by element: running folds, scatter and select_and_scatter. Each
// divides its work into units along dimensions in which nothing meets.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "native/codegen/scan.h"
#include "native/open/open_emitter.h"

namespace weft::native {

class OpenRoot {
 public:
  /// Of the kernel that computes `op`; null when its results are pulled. `op` is the only root.
  static std::unique_ptr<OpenRoot> of(const OpView& op, const ExtentNames& names);
  virtual ~OpenRoot() = default;
  OpenRoot(const OpenRoot&) = delete;
  OpenRoot& operator=(const OpenRoot&) = delete;

  /// Extents whose product numbers the work; the last one is cut into chunks of at most OpenEmitter::kMaxColumns.
  virtual std::vector<int64_t> extents() const = 0;
  /// The code of a unit: one place along the outer extents, and [low, high) of the last.
  virtual void emit(OpenEmitter& e, std::span<const OpenIndex> outer, OpenIndex low, OpenIndex high) = 0;

  /// Told the branch back of each loop whose turns touch different memory.
  std::function<void(llvm::Instruction*)> independent;

 protected:
  OpenRoot(const OpView& op, const ExtentNames& names) : op_(op), names_(names), outputs_(op.function.args().size()) {}
  Type type(Value v) const { return op_.function.type(v); }
  /// for (i = low; i < high; ++i) inside all loops there are.
  void loop(OpenEmitter& e, OpenIndex low, OpenIndex high, bool is_independent,
            const std::function<void(OpenIndex)>& body) const;
  /// Runs the body where the condition holds; a condition without value holds always.
  void when(OpenEmitter& e, OpenIndex condition, const std::function<void()>& body) const;

  const OpView op_;
  const ExtentNames& names_;
  const size_t outputs_;  // the first buffer of results
};

/// A fold that begins at an edge (codegen/scan.h), also along an axis of open extent.
std::optional<codegen::ScanForm> open_scan_form(const OpView& op, const ExtentNames& names);

/// Whether OpenRoot has a form for the op, or it needs none; otherwise why not.
bool has_open_root(const OpView& op, const ExtentNames& names, std::string* reason);

}  // namespace weft::native
