// A copy of a function in which ops may be replaced: what the transforms of loops have in common.
#pragma once
#include <functional>
#include <memory>

#include "ir/clone.h"
#include "ops/builder.h"

namespace weft {

class LoopRewriter {
 public:
  explicit LoopRewriter(const Function& f);
  virtual ~LoopRewriter() = default;
  LoopRewriter(const LoopRewriter&) = delete;
  LoopRewriter& operator=(const LoopRewriter&) = delete;

  /// The copy, or null when nothing was replaced.
  std::unique_ptr<Function> run();

 protected:
  /// Writes what replaces the op to `region` of to(), maps its results and returns true; or leaves it to be copied.
  virtual bool rewrite(OpId op, RegionId region) = 0;

  /// The ops of a region in the order in which they are to be copied. One that differs counts as a change when mark_changed() is called.
  virtual std::vector<OpId> order(RegionId source);
  void mark_changed() { changed_ = true; }

  const Function& from() const { return f_; }
  Function& to() { return *to_; }
  ValueMap& map() { return map_; }
  /// Copies the ops of a region, its terminator excluded, unless `skip` says so. Arguments must be mapped.
  void copy_ops(RegionId source, RegionId region, const std::function<bool(OpId)>& skip = {});
  void copy_op(OpId op, RegionId region);
  /// A new region with the arguments and ops of `source`, its terminator included.
  RegionId copy_region(RegionId source);
  size_t uses(Value v) const { return uses_[v.index]; }
  /// The value when it stays the same in the loop of this body.
  bool is_outside(Value v, RegionId body) const { return !f_.is_within(f_.region(v), body); }
  /// A constant of nothing but zeros (+0 for floats), perhaps broadcast.
  bool is_zero(Value v) const;

 private:
  const Function& f_;
  std::unique_ptr<Function> to_;
  ValueMap map_;
  std::vector<uint32_t> uses_;
  bool changed_ = false;
};

}  // namespace weft
