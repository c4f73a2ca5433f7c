#include "transform/simplify.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ir/clone.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/quantized/quantization.h"
#include "ops/structural/dynamic.h"
#include "transform/dead_code.h"
#include "transform/same_ops.h"

namespace weft {
namespace {

struct Parts {
  bool rules, cse, licm, dce;
  explicit Parts(const std::vector<std::string>& disabled) {
    const auto on = [&](std::string_view name) { return std::ranges::find(disabled, name) == disabled.end(); };
    const bool any = on("simplify");
    rules = any && on("rules");
    cse = any && on("cse");
    licm = any && on("licm");
    dce = any && on("dce");
  }
};

/// One walk over a function, writing the simplified one.
class Walk : public SimplifyContext {
 public:
  Walk(const Function& f, const Module* module, const Parts& parts)
      : f_(f),
        module_(module),
        parts_(parts),
        to_(std::make_unique<Function>(f.name())),
        map_(f),
        source_uses_(f.num_values()) {
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      for (Value v : f.operands(OpId{i})) ++source_uses_[v.index];
    }
  }

  std::unique_ptr<Function> run() {
    copy_signature(f_, *to_);
    copy_args(f_.body(), to_->body());
    enter(to_->body(), Scope::Kind::kClosed);
    walk(f_.body());
    scopes_.pop_back();
    return std::move(to_);
  }
  size_t changes() const { return changes_; }
  /// By op of the result: a rule's ops stand for it. Where it has effects it would otherwise run beside them.
  const std::vector<bool>& replaced_ops() const { return replaced_ops_; }

  // SimplifyContext.
  OpBuilder& builder() override { return *builder_; }
  const Literal* constant(Value v) override {
    const OpId op = to_->defining_op(v);
    if (!op || !to_->operands(op).empty() || record(to_->def(op)).effects != Effects::kPure) return nullptr;
    if (to_->type(v).is_quantized()) return nullptr;  // the literal is of the storage type
    const Attr* value = to_->attrs(op).find("value");
    return value == nullptr ? nullptr : value->get_if<Literal>();
  }
  bool has_one_use(Value v) override { return v.index < uses_.size() && uses_[v.index] == 1; }

 private:
  struct Scope {
    enum class Kind : uint8_t {
      kOpen,    // outer values may be used (a branch)
      kLoop,    // the same, and what does not change in it may move out
      kClosed,  // nothing from outside may be used
    };
    RegionId region;
    Kind kind;
    std::unordered_multimap<size_t, OpId> ops;  // by hash, for common subexpressions
  };

  void enter(RegionId region, Scope::Kind kind) {
    depth_.resize(to_->num_regions());
    depth_[region.index] = scopes_.size();
    scopes_.push_back({region, kind, {}});
  }
  void copy_args(RegionId source, RegionId region) {
    for (Value v : f_.args(source)) set(v, to_->add_arg(region, f_.type(v)));
  }
  void set(Value source, Value v) {
    map_.set(source, v);
    if (uses_.size() <= v.index) uses_.resize(v.index + 1);
    uses_[v.index] += source_uses_[source.index];
  }

  void walk(RegionId source) {
    for (OpId op : f_.ops(source)) write(op);
  }

  void write(OpId op) {
    const OpView view{f_, op};
    std::vector<Value> operands;
    for (Value v : view.operands()) operands.push_back(map_.at(v));
    const RegionFlow flow = region_flow(view);
    const Scope::Kind kind = !flow.is_open                          ? Scope::Kind::kClosed
                             : flow.kind == RegionFlow::Kind::kLoop ? Scope::Kind::kLoop
                                                                    : Scope::Kind::kOpen;
    std::vector<RegionId> regions;
    for (RegionId r : view.regions()) {
      const RegionId region = to_->new_region();
      copy_args(r, region);
      enter(region, kind);
      walk(r);
      scopes_.pop_back();
      regions.push_back(region);
    }
    std::vector<Type> types;
    for (size_t i = 0; i < view.num_results(); ++i) types.push_back(view.result_type(i));
    const size_t scope = home_of(view, operands);
    if (scope + 1 != scopes_.size()) ++changes_;
    const OpId copy =
        to_->append(scopes_[scope].region, view.def(), operands, f_.shared_attrs(op), types, regions, view.loc());
    for (size_t i = 0; i < types.size(); ++i) set(view.result(i), to_->result(copy, i));
    const std::vector<Value> results = settle(copy, scope);
    for (size_t i = 0; i < types.size(); ++i) {
      if (results[i] != to_->result(copy, i)) set(view.result(i), results[i]);
    }
  }

  // ---- loop-invariant code ----

  /// The scope in which the op is to stand: that of the loop's surroundings while it uses nothing that the loop makes.
  size_t home_of(const OpView& op, std::span<const Value> operands) const {
    size_t scope = scopes_.size() - 1;
    if (!parts_.licm || operands.empty() || !is_movable(op)) return scope;
    size_t needed = 0;
    for (Value v : operands) needed = std::max(needed, depth_[to_->region(v).index]);
    while (scope > needed && scopes_[scope].kind == Scope::Kind::kLoop) --scope;
    return scope;
  }

  /// Pure and total, so running it when the loop makes no trip does no harm; not dear, and not a value that is larger than what it
  /// is made of, which would take memory across the loop that is better spent inside it.
  static bool is_movable(const OpView& op) {
    constexpr double kMaxFlops = 1 << 20, kSmallBytes = 4096;
    if (op.def().is_terminator || record(op).effects != Effects::kPure || !op.regions().empty() || has_stack(op) ||
        has_foreign(op) || is_dynamic_op(op.def()))
      return false;
    double in = 0, out = 0;
    for (size_t i = 0; i < op.num_operands(); ++i) in = std::max(in, bytes_of(op.operand_type(i)));
    for (size_t i = 0; i < op.num_results(); ++i) out += bytes_of(op.result_type(i));
    if (out > std::max(in, kSmallBytes)) return false;
    return record(op).cost.refused() || (*record(op).cost.rule())(op).flops <= kMaxFlops;
  }
  template <class Holds>
  static bool any_type(const OpView& op, Holds&& holds) {
    for (size_t i = 0; i < op.num_operands(); ++i) {
      if (holds(op.operand_type(i))) return true;
    }
    for (size_t i = 0; i < op.num_results(); ++i) {
      if (holds(op.result_type(i))) return true;
    }
    return false;
  }
  static bool has_stack(const OpView& op) {
    return any_type(op, [](Type t) { return t.is_stack(); });
  }
  /// Unranked tensors and the like, of which rules could not ask an extent.
  static bool has_foreign(const OpView& op) {
    return any_type(op, [](Type t) { return t.is_foreign(); });
  }

  // ---- common subexpressions ----

  static size_t hash_of(const OpView& op) {
    size_t h = std::hash<const void*>()(&op.def());
    for (Value v : op.operands()) h = h * 1000003 + v.index;
    for (size_t i = 0; i < op.num_results(); ++i) h = h * 1000003 + std::hash<Type>()(op.result_type(i));
    return h * 1000003 + op.attrs().hash();
  }
  /// An earlier op that computes the same, or none; the op is entered otherwise.
  OpId earlier(OpId op, size_t scope) {
    const OpView view{*to_, op};
    if (!parts_.cse || view.def().is_terminator || has_stack(view)) return {};
    const bool is_body = !view.regions().empty() && region_flow(view).kind == RegionFlow::Kind::kNone;
    if (record(view).effects != (is_body ? Effects::kRegions : Effects::kPure)) return {};
    const size_t h = hash_of(view);
    for (size_t s = scope + 1; s-- > 0;) {
      const auto [first, last] = scopes_[s].ops.equal_range(h);
      for (auto it = first; it != last; ++it) {
        ValuePairs pairs;
        if (is_same_op(*to_, it->second, op, pairs)) return it->second;
      }
      if (scopes_[s].kind == Scope::Kind::kClosed) break;
    }
    scopes_[scope].ops.emplace(h, op);
    return {};
  }

  // ---- the ops' own rules ----

  Value settled(Value v) const {
    while (v.index < replaced_.size() && replaced_[v.index]) v = replaced_[v.index];
    return v;
  }
  void replace(Value v, Value by) {
    if (to_->type(v) != to_->type(by)) {
      throw InternalError("a simplification changed a type: got " + to_->type(by).str() + ", expected " +
                          to_->type(v).str());
    }
    if (replaced_.size() <= v.index) replaced_.resize(v.index + 1);
    replaced_[v.index] = by;
  }

  /// Takes an op that has just been appended, and what its rule makes of it in turn, to their final form; returns its results.
  std::vector<Value> settle(OpId op, size_t scope) {
    simplify_op(op, scope, 0);
    std::vector<Value> results;
    for (Value v : to_->results(op)) results.push_back(settled(v));
    return results;
  }

  /// A rule's ops are written beside the program and brought in one by one, each after all that became of those it uses.
  void simplify_op(OpId op, size_t scope, int generation) {
    constexpr int kMaxGenerations = 12;  // ends chains of rules that undo each other
    if (const OpId same = earlier(op, scope)) {
      ++changes_;
      for (size_t i = 0; i < to_->num_results(op); ++i) replace(to_->result(op, i), to_->result(same, i));
      return;
    }
    const OpView view{*to_, op};
    if (!parts_.rules || generation >= kMaxGenerations || record(view).simplify.refused()) return;
    if (touches_quantized(view) || has_foreign(view)) return;  // rules read elements as plain numbers
    const RegionId draft = spare_draft_ ? std::exchange(spare_draft_, {}) : to_->new_region();
    OpBuilder here(*to_, draft, module_);
    here.loc = view.loc();
    OpBuilder* const around = std::exchange(builder_, &here);
    std::vector<Value> values = (*record(view).simplify.rule())(*this, view);
    builder_ = around;
    // What knows more extents than the op's own result is of another type to those that use it.
    for (size_t i = 0; i < values.size(); ++i) {
      const Type own = to_->type(to_->result(op, i)), got = to_->type(values[i]);
      if (own != got && is_compatible(own, got)) { values.clear(); }
    }
    if (!values.empty()) {
      ++changes_;
      const std::vector<OpId> ops(to_->ops(draft).begin(), to_->ops(draft).end());
      for (OpId drafted : ops) bring_in(drafted, scope, generation + 1);
      for (size_t i = 0; i < values.size(); ++i) {
        if (settled(values[i]) != to_->result(op, i)) replace(to_->result(op, i), settled(values[i]));
      }
      if (replaced_ops_.size() <= op.index) replaced_ops_.resize(op.index + 1);
      replaced_ops_[op.index] = true;
    }
    if (to_->ops(draft).empty()) spare_draft_ = draft;
  }

  void bring_in(OpId drafted, size_t scope, int generation) {
    settle_operands(drafted);
    const std::vector<Value> operands(to_->operands(drafted).begin(), to_->operands(drafted).end());
    const std::vector<RegionId> regions(to_->regions(drafted).begin(), to_->regions(drafted).end());
    std::vector<Type> types;
    for (Value v : to_->results(drafted)) types.push_back(to_->type(v));
    const OpId op = to_->append(scopes_[scope].region, to_->def(drafted), operands, to_->shared_attrs(drafted), types,
                                regions, to_->loc(drafted));
    for (size_t i = 0; i < types.size(); ++i) replace(to_->result(drafted, i), to_->result(op, i));
    simplify_op(op, scope, generation);
  }

  void settle_operands(OpId op) {
    const std::vector<Value> operands(to_->operands(op).begin(), to_->operands(op).end());
    for (size_t i = 0; i < operands.size(); ++i) to_->set_operand(op, i, settled(operands[i]));
    for (RegionId r : to_->regions(op)) {
      for (OpId inner : to_->ops(r)) settle_operands(inner);
    }
  }

  const Function& f_;
  const Module* module_;
  Parts parts_;
  std::unique_ptr<Function> to_;
  ValueMap map_;
  std::vector<uint32_t> source_uses_, uses_;
  std::vector<Scope> scopes_;
  std::vector<size_t> depth_;  // by region: position of its scope
  std::vector<Value> replaced_;
  std::vector<bool> replaced_ops_;
  RegionId spare_draft_;  // an empty one
  OpBuilder* builder_ = nullptr;
  size_t changes_ = 0;
};

}  // namespace

std::unique_ptr<Function> simplify(const Function& f, const Module* module, const SimplifyOptions& options) {
  const Parts parts(options.disabled);
  const int max_rounds = parts.dce ? 8 : 1;  // what the rules leave behind would be simplified again
  auto current = clone_function(f, f.name());
  for (int round = 0; round < max_rounds; ++round) {
    Walk walk(*current, module, parts);
    auto next = walk.run();
    const bool changed = walk.changes() != 0;
    const size_t before = current->num_ops();
    if (parts.dce) next = eliminate_dead_code(*next, module, walk.replaced_ops());
    const bool shrunk = next->num_ops() != before;
    current = std::move(next);
    if (!changed && !shrunk) break;
  }
  return current;
}

void simplify(Module& module, const SimplifyOptions& options) {
  std::vector<std::string> names;
  for (const auto& f : module.functions()) names.push_back(f->name());
  for (const std::string& name : names) {
    if (module.get(name).terminator(module.get(name).body()))
      module.replace(simplify(module.get(name), &module, options));
  }
}

}  // namespace weft
