#include "transform/lane_numbers.h"

#include <set>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/control_flow/lane_ops.h"
#include "ops/control_flow/region_flow.h"

namespace weft {
/// Writes one copy.
class LaneNumberWriter {
 public:
  LaneNumberWriter(LaneNumbers& numbers, const Function& f, bool named_only)
      : numbers_(numbers), f_(f), named_only_(named_only), map_(f) {}

  std::unique_ptr<Function> run(const std::string& name) {
    auto out = std::make_unique<Function>(name);
    to_ = out.get();
    copy_signature(f_, *to_);
    to_->set_public(false);
    to_->declare_results(f_.result_types());
    for (Value v : f_.args()) map_.set(v, to_->add_arg(to_->body(), f_.type(v)));
    lane_ = to_->add_arg(to_->body(), Type::scalar(ElementType::kI64));
    to_->arg_attrs().resize(to_->arg_attrs().empty() ? 0 : to_->args().size());
    copy_ops(f_.body(), to_->body());
    return out;
  }

 private:
  void copy_ops(RegionId source, RegionId region) {
    for (OpId id : f_.ops(source)) copy_op(OpView{f_, id}, region);
  }

  void copy_op(const OpView& op, RegionId region) {
    OpBuilder b(*to_, region);
    b.loc = op.loc();
    if (numbers_.asks_itself(op, named_only_)) {
      const bool is_count = op.def().mnemonic == "weft.lane_count";
      const Type t = op.result_type();
      map_.set(op.result(),
               is_count ? b.splat(t, static_cast<double>(numbers_.lanes_)) : b.convert(lane_, t.element_type()));
      return;
    }
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(map_.at(v));
    Attrs attrs = op.attrs();
    if (numbers_.is_unnumbered(op, named_only_, numbers_.is_top(f_, op.id))) {
      operands.insert(operands.begin() + 1, lane_);
      attrs.set(kNumbered, numbers_.level_);
    }
    bool named_only = named_only_;
    const std::string* name = callee(op);
    if (name != nullptr && reaches_through(op, numbers_.level_, named_only)) {
      const std::string copy = numbers_.of(*name, named_only);
      if (copy != *name) {
        operands.push_back(lane_);
        if (!is_plain_call(op)) {
          Attr::Ints varies = attrs.ints("varies");
          varies.push_back(0);
          attrs.set("varies", varies);
          attrs.set("callee", copy);
          append(op, op.def(), operands, std::move(attrs), {}, region);
          return;
        }
        auto [def, call_attrs] = call_shape(op);
        call_attrs.set("callee", copy);
        append(op, def, operands, std::move(call_attrs), {}, region);
        return;
      }
    }
    // Closed regions get the number as one more value that stays the same.
    const RegionFlow flow = region_flow(op);
    const bool is_closed_loop = flow.kind == RegionFlow::Kind::kLoop && !flow.is_open && asks_inside(op);
    if (is_closed_loop) {
      operands.push_back(lane_);
      Attr::Ints varies = attrs.ints("varies");
      varies.push_back(0);
      attrs.set("varies", varies);
    }
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) {
      const RegionId copy = to_->new_region();
      for (Value v : f_.args(r)) map_.set(v, to_->add_arg(copy, f_.type(v)));
      const Value outer = lane_;
      if (is_closed_loop) lane_ = to_->add_arg(copy, Type::scalar(ElementType::kI64));
      copy_ops(r, copy);
      lane_ = outer;
      regions.push_back(copy);
    }
    append(op, op.def(), operands, std::move(attrs), regions, region);
  }

  void append(const OpView& op, const OpDef& def, std::span<const Value> operands, Attrs attrs,
              std::span<const RegionId> regions, RegionId region) {
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    const OpId made = to_->append(region, def, operands, std::move(attrs), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), to_->result(made, i));
  }

  bool asks_inside(const OpView& op) {
    for (RegionId r : op.regions()) {
      for (OpId id : f_.ops(r)) {
        const OpView inner{f_, id};
        const std::string* name = callee(inner);
        bool named_only = named_only_;
        if (numbers_.asks_itself(inner, named_only_) || numbers_.is_unnumbered(inner, named_only_, false) ||
            asks_inside(inner) ||
            (name != nullptr && reaches_through(inner, numbers_.level_, named_only) &&
             numbers_.asks(*name, named_only)))
          return true;
      }
    }
    return false;
  }

  LaneNumbers& numbers_;
  const Function& f_;
  const bool named_only_;
  Function* to_ = nullptr;
  ValueMap map_;
  Value lane_;  // in the region that is being written
};

void forget_numbered(Function& f) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (!f.attrs(OpId{i}).has(kNumbered)) continue;
    Attrs attrs = f.attrs(OpId{i});
    attrs.erase(kNumbered);
    f.set_attrs(OpId{i}, std::move(attrs));
  }
}

void LaneNumbers::forget() {
  for (const auto& [source, copy] : names_) {
    if (Function* f = module_.find(copy)) forget_numbered(*f);
  }
}

bool LaneNumbers::is_top(const Function& f, OpId op) const { return f.name() == entry_ && f.parent(op) == f.body(); }

bool LaneNumbers::is_unnumbered(const OpView& op, bool named_only, bool is_top) const {
  return op.def().mnemonic == "interpreter.print" && !is_top && !named_only &&
         !(op.attrs().has(kNumbered) && op.attrs().text(kNumbered) == level_);
}

bool LaneNumbers::asks_itself(const OpView& op, bool named_only) const {
  return lane_use(op.def()) == LaneUse::kNumber && is_of_level(op, level_) &&
         !(named_only && op.attrs().text_or("level", "").empty());
}

bool LaneNumbers::asks(const std::string& name, bool named_only) {
  if (const auto known = asks_.find({name, named_only}); known != asks_.end()) return known->second;
  bool found = false;
  std::set<std::pair<std::string, bool>> seen = {{name, named_only}};
  std::vector<std::pair<std::string, bool>> waiting = {{name, named_only}};
  while (!waiting.empty() && !found) {
    const Function* f = module_.find(waiting.back().first);
    const bool is_named = waiting.back().second;
    waiting.pop_back();
    for (uint32_t i = 0; f != nullptr && !f->is_declaration() && i < f->num_ops(); ++i) {
      const OpView op{*f, OpId{i}};
      found = found || asks_itself(op, is_named) || is_unnumbered(op, is_named, is_top(*f, op.id));
      const std::string* next = callee(op);
      bool next_named = is_named;
      if (next != nullptr && reaches_through(op, level_, next_named) && seen.insert({*next, next_named}).second)
        waiting.emplace_back(*next, next_named);
    }
  }
  return asks_[{name, named_only}] = found;
}

std::string LaneNumbers::of(const std::string& name, bool named_only) {
  const auto key = std::pair(name, named_only);
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  if (entry_.empty()) entry_ = name;
  const Function* f = module_.find(name);
  if (f == nullptr || f->is_declaration() || !asks(name, named_only)) return name;
  if (derivative_rule(*f).is_custom()) {
    throw Unsupported(
        "[func.func] lanes: @" + name +
            " has a derivative rule and asks for the number of its lane, which the rule does not get; hand "
            "weft.lane_index in as an argument",
        f->loc());
  }
  const std::string copy = module_.unique_name(name + "_of_lane");
  names_[key] = copy;
  // Its name is taken before it exists: a function that calls itself finds it.
  module_.add(std::make_unique<Function>(copy)).set_public(false);
  module_.replace(LaneNumberWriter(*this, *f, named_only).run(copy));
  return copy;
}

}  // namespace weft
