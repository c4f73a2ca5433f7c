#include "transform/known_stacks.h"

#include <algorithm>
#include <vector>

#include "transform/loop_rewriter.h"

namespace weft {
namespace {

/// What lies on a stack, and on the stacks that lie on it: nothing so far, one value, or this and that.
struct Content {
  enum Kind : uint8_t { kNothing, kOne, kSeveral } kind = kNothing;
  Value value = {};
};

bool is_constant(const Function& f, Value v) {
  const OpId op = f.defining_op(v);
  return op && f.def(op).mnemonic == "stablehlo.constant";
}

bool are_same(const Function& f, Value a, Value b) {
  if (a == b) return true;
  if (!is_constant(f, a) || !is_constant(f, b)) return false;
  return f.type(a) == f.type(b) &&
         f.attrs(f.defining_op(a)).literal("value") == f.attrs(f.defining_op(b)).literal("value");
}

/// The contents of all stacks of a function: they only grow until nothing changes.
class Contents {
 public:
  explicit Contents(const Function& f) : f_(f), of_(f.num_values()) {
    for (Value v : f.args()) put(v, {Content::kSeveral});
    while (changed_) {
      changed_ = false;
      follow(f.body());
    }
  }

  Content of(Value v) const { return of_[v.index]; }

 private:
  void put(Value into, Content c) {
    Content& now = of_[into.index];
    if (!f_.type(into).is_stack() || c.kind == Content::kNothing || now.kind == Content::kSeveral) return;
    if (now.kind == Content::kOne && c.kind == Content::kOne && are_same(f_, now.value, c.value)) return;
    now = now.kind == Content::kNothing ? c : Content{Content::kSeveral};
    changed_ = true;
  }

  /// Outside of its region, and in the region's next run, a value is another one, unless it is a constant.
  Content leaving(RegionId region, Value v) const {
    const Content c = of(v);
    const bool stays = c.kind != Content::kOne || is_constant(f_, c.value) || !f_.is_within(f_.region(c.value), region);
    return stays ? c : Content{Content::kSeveral};
  }

  void follow(RegionId region) {
    for (OpId op : f_.ops(region)) {
      if (!f_.def(op).is_terminator) follow(op);
    }
  }

  void follow(OpId op) {
    const std::string_view name = f_.def(op).mnemonic;
    if (name == "weft.stack_push") {
      const Value stack = f_.operand(op, 0), pushed = f_.operand(op, 1);
      put(f_.result(op), of(stack));
      put(f_.result(op), f_.type(pushed).is_stack() ? of(pushed) : Content{Content::kOne, pushed});
    } else if (name == "weft.stack_pop") {
      for (Value v : f_.results(op)) put(v, of(f_.operand(op, 0)));
    } else if (name == "stablehlo.while") {
      follow_loop(op);
    } else if (name == "stablehlo.if" || name == "stablehlo.case") {
      for (RegionId r : f_.regions(op)) {
        follow(r);
        for (size_t i = 0; i < f_.num_results(op); ++i)
          put(f_.result(op, i), leaving(r, f_.operand(f_.terminator(r), i)));
      }
    } else if (name != "weft.stack_new") {
      for (Value v : f_.results(op)) put(v, {Content::kSeveral});
      for (RegionId r : f_.regions(op)) {
        for (Value v : f_.args(r)) put(v, {Content::kSeveral});
        follow(r);
      }
    }
  }

  void follow_loop(OpId op) {
    const RegionId cond = f_.regions(op)[0], body = f_.regions(op)[1];
    for (size_t i = 0; i < f_.num_results(op); ++i) {
      for (const Content& c : {of(f_.operand(op, i)), leaving(body, f_.operand(f_.terminator(body), i))}) {
        for (Value v : {f_.args(cond)[i], f_.args(body)[i], f_.result(op, i)}) put(v, c);
      }
    }
    follow(cond);
    follow(body);
  }

  const Function& f_;
  std::vector<Content> of_;  // by value
  bool changed_ = true;
};

class KnownPops : public LoopRewriter {
 public:
  explicit KnownPops(const Function& f) : LoopRewriter(f), contents_(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const Function& f = from();
    if (f.def(op).mnemonic != "weft.stack_pop") return false;
    const Value popped = f.result(op, 1);
    const Content c = contents_.of(f.operand(op, 0));
    if (f.type(popped).is_stack() || uses(popped) == 0 || c.kind != Content::kOne) return false;
    const bool made_anew = is_constant(f, c.value);
    if (f.type(popped) != f.type(c.value) || (!made_anew && !f.is_within(f.parent(op), f.region(c.value))))
      return false;
    copy_op(op, region);
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    map().set(popped, made_anew ? b.constant(f.attrs(f.defining_op(c.value)).literal("value")) : map().at(c.value));
    return true;
  }

 private:
  Contents contents_;
};

}  // namespace

std::unique_ptr<Function> know_stacks(const Function& f) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (f.def(OpId{i}).mnemonic == "weft.stack_pop") return KnownPops(f).run();
  }
  return nullptr;
}

}  // namespace weft
