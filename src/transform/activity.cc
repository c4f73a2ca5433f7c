#include "transform/activity.h"

#include "ir/clone.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/foreign/foreign.h"
#include "ops/tangent_space.h"

namespace weft {
namespace {

using Kind = RegionFlow::Kind;

struct Marks {
  explicit Marks(const Function& f) : bits(f.num_values()) {}
  bool has(Value v) const { return bits[v.index]; }
  void mark(Value v) { bits[v.index] = true; }
  size_t count(std::span<const Value> values) const {
    size_t n = 0;
    for (Value v : values) n += has(v) ? 1 : 0;
    return n;
  }
  std::vector<bool> bits;
};

class ActiveValues {
 public:
  explicit ActiveValues(const Function& f) : f_(f), marks(f) {}

  void walk(RegionId region) {
    for (OpId id : f_.ops(region)) visit(OpView{f_, id});
  }

 private:
  void mark(Value v) {
    if (has_tangent(f_.type(v)) || hides_tangent(v)) marks.mark(v);
  }

  /// Whether a dependence may go on through a value that has no tangent itself, so that its op must be asked: it then refuses.
  bool hides_tangent(Value v) const {
    const OpId op = f_.defining_op(v);
    if (op && is_foreign_op(f_.def(op))) return true;
    const TypeKind kind = f_.type(v).kind();
    return kind == TypeKind::kTuple || kind == TypeKind::kFuture || kind == TypeKind::kForeign;
  }

  void visit(const OpView& op) {
    const RegionFlow flow = region_flow(op);
    if (flow.kind == Kind::kLoop) return visit_loop(op, flow);
    if (flow.kind == Kind::kBranches) {
      for (RegionId r : op.regions()) {
        walk(r);
        const std::span<const Value> yielded = f_.operands(f_.terminator(r));
        for (size_t i = 0; i < op.num_results(); ++i) {
          if (marks.has(yielded[i])) mark(op.result(i));
        }
      }
      return;
    }
    if (record(op).linearize.rule() == linearize_zero) return;
    bool any = false;
    for (Value v : op.operands()) any = any || marks.has(v);
    for (RegionId r : op.regions()) {
      for (Value v : captures(f_, r)) any = any || marks.has(v);
    }
    if (!any) return;
    for (size_t i = 0; i < op.num_results(); ++i) mark(op.result(i));
  }

  void visit_loop(const OpView& op, const RegionFlow& flow) {
    const RegionId body = op.region(1);
    const std::span<const Value> args = f_.args(body), yielded = f_.operands(f_.terminator(body));
    for (size_t i = 0; i < args.size(); ++i) {
      if (marks.has(op.operand(i))) mark(args[i]);
    }
    // The body is walked in order, so only carries ask for another round.
    for (size_t before = SIZE_MAX; before != marks.count(args);) {
      before = marks.count(args);
      walk(body);
      for (size_t i = 0; i < flow.carries; ++i) {
        if (marks.has(yielded[i])) mark(args[i]);
      }
    }
    for (size_t i = 0; i < flow.carries; ++i) {
      if (marks.has(args[i])) mark(op.result(i));
    }
  }

  const Function& f_;

 public:
  Marks marks;
};

class UsefulValues {
 public:
  explicit UsefulValues(const Function& f) : f_(f), marks(f) {}

  void walk(RegionId region) {
    const std::span<const OpId> ops = f_.ops(region);
    for (size_t i = ops.size(); i-- > 0;) visit(OpView{f_, ops[i]});
  }

 private:
  void visit(const OpView& op) {
    if (op.def().is_terminator) return;
    const RegionFlow flow = region_flow(op);
    if (flow.kind == Kind::kLoop) return visit_loop(op, flow);
    bool any = leaves_function(op);
    for (size_t i = 0; i < op.num_results(); ++i) any = any || marks.has(op.result(i));
    if (!any) return;
    for (Value v : op.operands()) marks.mark(v);
    for (RegionId r : op.regions()) {
      if (flow.kind == Kind::kBranches) {
        const std::span<const Value> yielded = f_.operands(f_.terminator(r));
        for (size_t i = 0; i < op.num_results(); ++i) {
          if (marks.has(op.result(i))) marks.mark(yielded[i]);
        }
        walk(r);
      } else {
        for (Value v : captures(f_, r)) marks.mark(v);
      }
    }
  }

  void visit_loop(const OpView& op, const RegionFlow& flow) {
    const RegionId body = op.region(1);
    const std::span<const Value> args = f_.args(body), yielded = f_.operands(f_.terminator(body));
    for (size_t i = 0; i < flow.carries; ++i) {
      if (marks.has(op.result(i))) marks.mark(args[i]);
    }
    for (size_t before = SIZE_MAX; before != marks.count(args);) {
      before = marks.count(args);
      for (size_t i = 0; i < flow.carries; ++i) {
        if (marks.has(args[i])) marks.mark(yielded[i]);
      }
      walk(body);
    }
    for (size_t i = 0; i < args.size(); ++i) {
      if (marks.has(args[i])) marks.mark(op.operand(i));
    }
  }

  const Function& f_;

 public:
  Marks marks;
};

}  // namespace

bool leaves_function(const OpView& op) {
  const OpRecord& r = record(op);
  return r.effects == Effects::kIo && r.linearize.refused() && !is_foreign_op(op.def());
}

std::vector<bool> active_values(const Function& f, const std::vector<bool>& args) {
  ActiveValues analysis(f);
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] && has_tangent(f.type(f.args()[i]))) analysis.marks.mark(f.args()[i]);
  }
  analysis.walk(f.body());
  return std::move(analysis.marks.bits);
}

std::vector<bool> useful_values(const Function& f, const std::vector<bool>& results) {
  UsefulValues analysis(f);
  const std::span<const Value> returned = f.operands(f.terminator(f.body()));
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]) analysis.marks.mark(returned[i]);
  }
  analysis.walk(f.body());
  return std::move(analysis.marks.bits);
}

std::vector<bool> differentiated_values(const Function& f, const std::vector<bool>& args,
                                        const std::vector<bool>& results) {
  std::vector<bool> active = active_values(f, args);
  const std::vector<bool> useful = useful_values(f, results);
  for (size_t i = 0; i < active.size(); ++i) active[i] = active[i] && useful[i];
  return active;
}

}  // namespace weft
