// Reverse derivatives of loops.
//
// A loop becomes two. The forward loop counts its trips; the backward loop runs as often, comes by what the body's backward part needs
// of the forward trip, and carries the cotangents of the carries and sums of cotangents of everything else the body reads.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>

#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/loop_writer.h"

namespace weft {

/// A loop and the derivative of its body as one block.
class LoopVjp {
 public:
  LoopVjp(LinearizeContext& context, const OpView& op, std::span<const Value> primals, std::span<const Value> tangents);

 protected:
  /// Carries and extras of the source loop.
  void add_source(LoopWriter& loop) const;
  void add_extras(LoopWriter& loop) const;
  size_t num_carries() const { return static_cast<size_t>(std::ranges::count(shape_.is_extra, false)); }
  /// The source loop's results from what its carries became.
  std::vector<Value> results_of(OpBuilder& b, const LoopWriter& loop, std::span<const Value> carries) const;
  /// Carries for cotangents and sums; one trip of them, `kept` being values of the block and `kept_now` these, then the extras; and
  /// the cotangents that they are in the end.
  void add_cotangents(LoopWriter& loop, std::span<const Value> cotangents, std::span<const Value> sums) const;
  std::vector<Value> backward_trip(OpBuilder& b, std::span<const Value> kept, std::span<const Value> kept_now,
                                   std::span<const Value> now) const;
  std::vector<Value> cotangents_of(OpBuilder& b, const LoopWriter& loop, std::span<const Value> last,
                                   std::span<const Value> sums) const;

  RegionLinearizer& regions_;
  const OpView op_;
  const LoopShape shape_;
  std::vector<Value> primals_;
  RegionLinearizer::VjpRequest request_;
  RegionVjp vjp_;
  std::vector<size_t> moving_;  // carries with a cotangent
  std::vector<Type> sum_types_;

 private:
  bool sum_varies(const LoopWriter& loop, size_t k) const;
};

/// A way to come by forward values in the backward loop.
class ReverseLoop : protected LoopVjp {
 public:
  explicit ReverseLoop(const LoopVjp& vjp) : LoopVjp(vjp) {}
  virtual ~ReverseLoop() = default;

  /// Returns the source loop's results.
  virtual std::vector<Value> write_forward(OpBuilder& b) = 0;
  /// Tangents of the results, by a node on the tape that keeps this object.
  std::vector<Value> write_linear(LinearizeContext& context, std::span<const Value> tangents,
                                  std::shared_ptr<ReverseLoop> self);

 protected:
  /// Cotangents of the carries that move, then sums.
  virtual std::vector<Value> write_backward(OpBuilder& b, std::span<const Value> cotangents,
                                            std::span<const Value> sums) = 0;
};

/// Keeps values on stacks; what runs twice is cheap.
class StackLoop final : public ReverseLoop {
 public:
  StackLoop(const LoopVjp& vjp, OpBuilder& b) : ReverseLoop(vjp) { plan_saved(b); }
  const std::vector<Value>& pushed() const { return pushed_; }
  std::vector<Value> write_forward(OpBuilder& b) override;

 protected:
  std::vector<Value> write_backward(OpBuilder& b, std::span<const Value> cotangents,
                                    std::span<const Value> sums) override;

 private:
  /// An integer carry that grows or shrinks by the same amount in every trip.
  struct Counter {
    size_t carry;
    std::string_view back;  // the op that undoes a step
    Value step;             // a value from outside, or a constant of the block
  };
  struct Next {
    Value saved;
    size_t carry;
  };
  void plan_saved(OpBuilder& b);
  std::optional<Counter> counter_of(const Function& f, Value v) const;

  std::vector<Value> pushed_;
  std::vector<Counter> counters_;
  std::vector<Next> next_;
  Value count_;
  std::vector<Value> stacks_, results_;
};

/// Keeps the carries of some trips in a fixed number of slots and runs the loop again from these. Where the number of trips is not known,
/// trips further and further apart are kept: when the slots are full every second one is given up. On the way back free slots are
/// filled so that the trips that run again are as few as possible.
class SlotLoop final : public ReverseLoop {
 public:
  explicit SlotLoop(const LoopVjp& vjp);
  /// Whether all carries that must be kept can be; how many bytes those of one trip are.
  /// Why the loop cannot keep some trips only; empty when it can.
  const std::string& why_not() const { return why_not_; }
  double state_bytes() const { return state_bytes_; }
  void set_slots(int64_t slots) { slots_ = slots; }
  std::vector<Value> write_forward(OpBuilder& b) override;

 protected:
  std::vector<Value> write_backward(OpBuilder& b, std::span<const Value> cotangents,
                                    std::span<const Value> sums) override;

 private:
  using Condition = std::function<Value(OpBuilder&, std::span<const Value>)>;
  using Body = std::function<std::vector<Value>(OpBuilder&, std::span<const Value>)>;
  std::vector<Value> write(OpBuilder& b, std::span<const Value> start, const Condition& goes_on,
                           const Body& body) const;
  std::vector<Value> advance(OpBuilder& b, std::span<const Value> state, std::span<const Value> extras) const;
  std::vector<Value> store(OpBuilder& b, std::span<const Value> slots, std::span<const Value> state, Value at) const;
  std::vector<Value> load(OpBuilder& b, std::span<const Value> slots, Value at) const;
  Value trips_to_next(OpBuilder& b, Value trips, Value checkpoints) const;

  std::string why_not_;
  double state_bytes_ = 0;
  int64_t slots_ = 0;
  std::vector<size_t> kept_;      // carries that a trip is run again from
  std::vector<Type> slot_types_;  // of one trip: its number, then the carries kept
  std::vector<Value> final_;      // slots, then how many are in use
  Value count_;
};

}  // namespace weft
