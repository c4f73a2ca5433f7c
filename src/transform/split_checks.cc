#include "transform/split_checks.h"

#include <functional>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "transform/first_failure.h"

namespace weft {
namespace {

bool is_check(const OpView& op, bool weft_checks) {
  const std::string_view name = op.def().mnemonic;
  return (weft_checks && name == "weft.check") || name.starts_with("check.") ||
         (name == "stablehlo.custom_call" && op.attrs().text("call_target_name").starts_with("check."));
}

/// Walks the body of the entry: its ops go to the program, its checks elsewhere.
class Splitter {
 public:
  Splitter(const Function& f, Function& program, Function& checks, bool weft_checks)
      : f_(f), g_(program), checks_(checks), weft_checks_(weft_checks), map_(f), looked_at_(f) {}

  /// Whether it found any.
  bool run() {
    for (Value v : f_.args()) map_.set(v, g_.add_arg(g_.body(), f_.type(v)));
    for (OpId id : f_.ops(f_.body())) {
      const OpView op{f_, id};
      if (op.def().is_terminator) {
        std::vector<Value> results;
        for (Value v : op.operands()) results.push_back(map_.at(v));
        results.insert(results.end(), seen_.begin(), seen_.end());
        g_.append(g_.body(), op.def(), results, f_.shared_attrs(id), {}, {}, op.loc());
        checks_.append(checks_.body(), op.def(), {}, f_.shared_attrs(id), {}, {}, op.loc());
      } else if (is_check(op, weft_checks_)) {
        move_check(op);
      } else if (weft_checks_ && (has_inner_checks(f_, id) || (!failures_.empty() && may_not_end(f_, id)))) {
        carry_out(op);
      } else {
        clone_op(f_, id, g_, g_.body(), map_);
      }
    }
    return any_;
  }

 private:
  void move_check(const OpView& op) {
    any_ = true;
    for (Value v : op.operands()) {
      if (looked_at_.get(v)) continue;
      seen_.push_back(map_.at(v));
      looked_at_.set(v, checks_.add_arg(checks_.body(), f_.type(v)));
    }
    if (op.def().mnemonic == "weft.check") {
      const Value pred = map_.at(op.operand(0));
      failures_.push_back([pred](OpBuilder& b) { return b.logical_not(all_hold(b, pred)); });
    }
    clone_op(f_, op.id, checks_, checks_.body(), looked_at_);
    // What a check gives when it holds: true.
    for (Value v : f_.results(op.id)) map_.set(v, OpBuilder(g_, g_.body()).splat(f_.type(v), 1));
  }

  /// An op with checks within, or one that need not end once a check has failed.
  void carry_out(const OpView& op) {
    OpBuilder b(g_, g_.body());
    b.loc = op.loc();
    Value earlier = b.scalar(ElementType::kI32, 0);
    if (!failures_.empty()) {
      Value any = failures_[0](b);
      for (size_t i = 1; i < failures_.size(); ++i) any = b.logical_or(any, failures_[i](b));
      // One number from now on stands for all of them.
      failures_ = {[any](OpBuilder&) { return any; }};
      earlier = b.select(any, b.scalar(ElementType::kI32, -1), earlier);
    }
    const FirstFailure first = copy_with_failures(f_, op.id, b, map_, earlier);
    if (first.sites.empty()) return;
    any_ = true;
    failures_.push_back([site = first.site](OpBuilder& inner) {
      return inner.compare(site, inner.scalar(ElementType::kI32, 0), "NE");
    });
    const auto look_at = [&](Value v) {
      seen_.push_back(v);
      return checks_.add_arg(checks_.body(), g_.type(v));
    };
    const Value site = look_at(first.site);
    std::vector<Value> reports;
    for (Value v : first.reports) reports.push_back(look_at(v));
    OpBuilder c(checks_, checks_.body());
    for (size_t k = 0, next = 0; k < first.sites.size(); ++k) {
      const OpView check{f_, first.sites[k]};
      c.loc = check.loc();
      std::vector<Value> operands{c.compare(site, c.scalar(ElementType::kI32, static_cast<double>(k + 1)), "NE")};
      for (size_t i = 1; i < check.num_operands(); ++i) operands.push_back(reports[next++]);
      c.create(check.def(), operands, check.attrs());
    }
  }

  const Function& f_;
  Function &g_, &checks_;
  const bool weft_checks_;
  ValueMap map_, looked_at_;
  std::vector<Value> seen_;                                 // values of the program that the checks look at
  std::vector<std::function<Value(OpBuilder&)>> failures_;  // whether an earlier check failed
  bool any_ = false;
};

}  // namespace

SplitChecks split_checks(const Module& module, const std::string& entry, bool weft_checks) {
  const Function& f = module.get(entry);
  auto plain = std::make_unique<Function>(entry);
  copy_signature(f, *plain);
  auto checks = std::make_unique<Function>("checks");
  const bool any = Splitter(f, *plain, *checks, weft_checks).run();
  if (!plain->result_attrs().empty()) plain->result_attrs().resize(plain->result_types().size());
  SplitChecks out;
  out.num_results = f.result_types().size();
  auto program = std::make_shared<Module>();
  program->attrs = module.attrs;
  program->foreign_ops = module.foreign_ops;
  for (const auto& other : module.functions())
    program->add(other->name() == entry ? std::move(plain) : clone_function(*other, other->name()));
  out.program = program;
  if (any) {
    auto tests = std::make_shared<Module>();
    tests->add(std::move(checks));
    out.checks = tests;
  }
  return out;
}

}  // namespace weft
