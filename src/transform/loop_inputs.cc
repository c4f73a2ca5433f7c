#include "transform/loop_inputs.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "transform/counted_loop.h"
#include "transform/loop_rewriter.h"

namespace weft {
namespace {

constexpr int64_t kMaxProductBytes = int64_t{64} << 20;
constexpr int64_t kFewestTerms = 8;  // below, storing and reading a product costs as much as making it

class InputBatcher : public LoopRewriter {
 public:
  explicit InputBatcher(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const Function& f = from();
    if (const auto known = plans_.find(op); known != plans_.end()) {
      OpBuilder b(to(), region);
      b.loc = f.loc(op);
      map().set(f.result(op), in_loop(b, op, known->second));
      return true;
    }
    const auto loop = counted_loop(f, op);
    if (!loop || loop->trips < 2) return false;
    bool any = false;
    int64_t bytes = 0;
    for (OpId inner : f.ops(f.regions(op)[1])) {
      if (f.def(inner).mnemonic != "stablehlo.dot_general") continue;
      auto plan = plan_of(op, *loop, inner);
      if (!plan) continue;
      const int64_t more = loop->trips * static_cast<int64_t>(f.type(f.result(inner)).num_bytes());
      if (bytes + more > kMaxProductBytes) continue;
      bytes += more;
      OpBuilder b(to(), region);
      b.loc = f.loc(inner);
      before_loop(b, inner, *plan);
      plans_.emplace(inner, std::move(*plan));
      any = true;
    }
    if (!any) return false;
    copy_op(op, region);
    return true;
  }

 private:
  /// What is contracted with a part of the weights.
  struct Part {
    Value inside;
    std::optional<IterationSlice> slice;
    int64_t low = 0, high = 0;  // along the contracted dimension
    Value product;              // of the whole sequence, before the loop
    Value weights;              // the part of them; in the copy
  };
  struct Plan {
    size_t side = 0;  // of the sequence; the weights are the other
    std::vector<Part> parts;
    bool is_split = false;
    int64_t axis = 0;  // contracted dimension of the split
  };

  const std::vector<int64_t>& dims(OpId dot, size_t side, const char* kind) const {
    return from().attrs(dot).ints((side == 0 ? "lhs_" : "rhs_") + std::string(kind) + "_dimensions");
  }

  std::optional<Plan> plan_of(OpId op, const CountedLoop& loop, OpId dot) const {
    const Function& f = from();
    const RegionId body = f.regions(op)[1];
    for (size_t side = 0; side < 2; ++side) {
      const Value x = f.operand(dot, side), w = f.operand(dot, 1 - side);
      if (!is_outside(w, body) || is_outside(x, body) || !f.type(x).is_static() || !f.type(w).is_static() ||
          f.type(x).num_elements() == 0 || f.type(w).num_elements() == 0)
        continue;
      const auto& contracted = dims(dot, side, "contracting");
      int64_t terms = 1;
      for (int64_t d : contracted) terms *= f.type(x).dim(d);
      Plan plan;
      plan.side = side;
      if (auto slice = slice_by_iteration(f, op, loop, x)) {
        if (terms < kFewestTerms) continue;
        plan.parts.push_back({x, slice, 0, 0, {}, {}});
        return plan;
      }
      // The parts of a concatenation along the contracted dimension.
      const OpId made = f.defining_op(x);
      if (!made || f.parent(made) != body || f.def(made).mnemonic != "stablehlo.concatenate" ||
          contracted.size() != 1 || f.attrs(made).integer("dimension") != contracted[0] ||
          byte_size(f.type(x).element_type()) < 4 || f.type(f.result(dot)).element_type() != f.type(x).element_type())
        continue;
      plan.is_split = true;
      plan.axis = contracted[0];
      bool any = false;
      int64_t at = 0;
      for (Value v : f.operands(made)) {
        Part part{v, slice_by_iteration(f, op, loop, v), at, at + f.type(v).dim(plan.axis), {}, {}};
        at = part.high;
        if (part.high - part.low < kFewestTerms) part.slice.reset();
        any = any || part.slice;
        plan.parts.push_back(std::move(part));
      }
      if (any && plan.parts.size() <= 4) return plan;
    }
    return std::nullopt;
  }

  void before_loop(OpBuilder& b, OpId dot, Plan& plan) {
    const Function& f = from();
    const Value w = map().at(f.operand(dot, 1 - plan.side));
    for (Part& part : plan.parts) {
      part.weights = w;
      if (plan.is_split) {
        const size_t d = static_cast<size_t>(dims(dot, 1 - plan.side, "contracting")[0]);
        std::vector<int64_t> low(static_cast<size_t>(b.type(w).rank()), 0);
        std::vector<int64_t> high(b.type(w).shape().begin(), b.type(w).shape().end());
        low[d] = part.low;
        high[d] = part.high;
        part.weights = b.slice(w, low, high);
      }
      if (!part.slice) continue;
      // The iterations are one more free dimension of the sequence.
      Attrs attrs = f.attrs(dot);
      for (const char* kind : {"batching", "contracting"}) {
        std::vector<int64_t> shifted = dims(dot, plan.side, kind);
        for (int64_t& d : shifted) d += d >= part.slice->axis ? 1 : 0;
        attrs.set((plan.side == 0 ? "lhs_" : "rhs_") + std::string(kind) + "_dimensions", shifted);
      }
      Value operands[2];
      operands[plan.side] = map().at(part.slice->whole);
      operands[1 - plan.side] = part.weights;
      const Type one = f.type(f.result(dot));
      std::vector<int64_t> shape(one.shape().begin(), one.shape().end());
      shape.insert(shape.begin() + place_in_result(dot, plan.side, part.slice->axis),
                   b.type(operands[plan.side]).dim(part.slice->axis));
      const Type types[] = {Type::tensor(one.element_type(), shape)};
      part.product = b.create(f.def(dot), operands, std::move(attrs), types)[0];
    }
  }

  /// Where a free dimension that is inserted at `axis` of an operand comes in the result.
  int64_t place_in_result(OpId dot, size_t side, int64_t axis) const {
    const auto free_before = [&](size_t s, int64_t end) {
      int64_t n = 0;
      for (int64_t d = 0; d < end; ++d) {
        n += std::ranges::count(dims(dot, s, "batching"), d) + std::ranges::count(dims(dot, s, "contracting"), d) == 0;
      }
      return n;
    };
    const int64_t batch = static_cast<int64_t>(dims(dot, 0, "batching").size());
    if (side == 0) return batch + free_before(0, axis);
    return batch + free_before(0, from().type(from().operand(dot, 0)).rank()) + free_before(1, axis);
  }

  Value in_loop(OpBuilder& b, OpId dot, const Plan& plan) {
    const Function& f = from();
    const Type result = f.type(f.result(dot));
    Value sum;
    for (const Part& part : plan.parts) {
      Value term;
      if (part.slice) {
        const int64_t at = place_in_result(dot, plan.side, part.slice->axis);
        const Value place = map().at(part.slice->place);
        std::vector<Value> starts(static_cast<size_t>(result.rank()) + 1, b.scalar(b.type(place).element_type(), 0));
        starts[static_cast<size_t>(at)] = place;
        std::vector<int64_t> sizes(result.shape().begin(), result.shape().end());
        sizes.insert(sizes.begin() + at, 1);
        term = b.reshape(b.dynamic_slice(part.product, starts, sizes), result.shape());
      } else {
        Value operands[2];
        operands[plan.side] = map().at(part.inside);
        operands[1 - plan.side] = part.weights;
        const Type types[] = {result};
        term = b.create(f.def(dot), operands, f.attrs(dot), types)[0];
      }
      sum = sum ? b.add(sum, term) : term;
    }
    return sum;
  }

  std::unordered_map<OpId, Plan> plans_;
};

}  // namespace

std::unique_ptr<Function> batch_inputs(const Function& f) { return InputBatcher(f).run(); }

}  // namespace weft
