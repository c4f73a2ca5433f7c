#include "transform/refine_shapes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/clone.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/indexing/index_elements.h"
#include "ops/quantized/quantization.h"
#include "ops/structural/dynamic.h"
#include "ops/structural/extents.h"
#include "transform/dead_code.h"
#include "transform/open_lanes.h"
#include "transform/refine_calls.h"

namespace weft {
namespace {

bool is_open(Type t) { return t.is_tensor() && !t.is_static(); }

bool needs_refinement(const Module& module, const std::string& name, std::unordered_set<std::string>& seen) {
  const Function* f = module.find(name);
  if (f == nullptr || f->is_declaration() || !seen.insert(name).second) return false;
  for (uint32_t i = 0; i < f->num_values(); ++i) {
    if (is_open(f->type(Value{i}))) return true;
  }
  for (uint32_t i = 0; i < f->num_ops(); ++i) {
    const OpView op{*f, OpId{i}};
    if (is_dynamic_op(op.def()) || op.def().mnemonic == "weft.pfor") return true;
    const std::string* next = callee(op);
    if (next != nullptr && needs_refinement(module, *next, seen)) return true;
  }
  return false;
}

/// The extents on which both agree, and the bounds of the others.
Type join(Type a, Type b) { return is_compatible(a, b) ? join_types(a, b) : a; }

const Literal* literal_of(const Function& f, Value v) {
  const OpId op = f.defining_op(v);
  if (!op || f.def(op).mnemonic != "stablehlo.constant" || f.type(v).is_quantized()) return nullptr;
  return f.attrs(op).find("value")->get_if<Literal>();
}

/// The extents and bounds that a trip leaves as they are: joined bounds could grow with each trip.
Type loop_join(Type a, Type b) {
  if (a == b || !is_compatible(a, b) || !a.is_tensor()) return a;
  std::vector<Extent> extents = extents_of(a);
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] != extent_of(b, static_cast<int64_t>(d))) extents[d] = {};
  }
  return with_extents(a, extents);
}

/// Copies of functions, one for each signature: types of the arguments and values of small integer constants among them.
class Copies {
 public:
  Copies(Module& module, bool keeps_structure) : keeps_structure(keeps_structure), module_(module) {}
  const bool keeps_structure;
  Module& module() { return module_; }
  /// The name of the copy of `name` for these arguments; null literals are values known only at run time.
  std::string copy(const std::string& name, std::span<const Type> types, std::span<const Literal* const> constants);
  /// Gives a refined function the refined form of its derivative rule.
  void refine_rule(Function& f);

 private:
  /// A copy that is being written.
  struct Open {
    std::string source, copy;
    bool calls_itself = false;
  };
  std::unique_ptr<Function> write(const Function& source, const std::string& copy, std::span<const Type> types,
                                  std::span<const Literal* const> constants);

  Module& module_;
  std::unordered_map<std::string, std::string> names_;
  std::vector<Open> open_;
};

class Refiner : public SimplifyContext {
 public:
  Refiner(Copies& copies, const Function& f) : copies_(copies), f_(f), map_(f) {}

  std::unique_ptr<Function> run(std::string name, std::span<const Type> types,
                                std::span<const Literal* const> constants) {
    auto out = std::make_unique<Function>(std::move(name));
    to_ = out.get();
    copy_signature(f_, *to_);
    for (size_t i = 0; i < types.size(); ++i) map_.set(f_.args()[i], to_->add_arg(to_->body(), types[i]));
    OpBuilder b(*to_, to_->body());
    for (size_t i = 0; i < constants.size(); ++i) {
      if (constants[i] != nullptr) map_.set(f_.args()[i], b.constant(*constants[i]));
    }
    copy_ops(f_.body(), to_->body());
    return eliminate_dead_code(*to_, &copies_.module());
  }

  // SimplifyContext, for folding.
  OpBuilder& builder() override { return *builder_; }
  const Literal* constant(Value v) override { return literal_of(*to_, v); }
  bool has_one_use(Value) override { return false; }

 private:
  void copy_ops(RegionId source, RegionId region) {
    for (OpId id : f_.ops(source)) {
      const OpView op{f_, id};
      std::vector<Value> operands;
      for (Value v : op.operands()) operands.push_back(map_.at(v));
      const std::vector<Value> results = write(op, operands, region);
      for (size_t i = 0; i < results.size(); ++i) map_.set(op.result(i), results[i]);
    }
  }

  std::vector<Value> write(const OpView& op, std::span<const Value> operands, RegionId region) {
    if (is_true_assertion(op, operands)) return {};
    if (is_dynamic_op(op.def())) {
      if (auto results = write_static_form(op, operands, region)) return *results;
      if (auto results = write_moving_slice(op, operands, region)) return *results;
    }
    if (op.def().mnemonic == "stablehlo.custom_call" || op.def().mnemonic == "stablehlo.rng") {
      OpBuilder b(*to_, region, &copies_.module());
      b.loc = op.loc();
      const auto known = [&](Value v) { return constant(v); };
      auto made = op.def().mnemonic == "stablehlo.rng" ? refine_rng(b, op, operands, known)
                                                       : refine_custom_call(b, op, operands, known);
      if (made) return *made;
    }
    if (op.def().mnemonic == "weft.pfor") return write_lanes(op, operands, region);
    const std::string* name = callee(op);
    if (name != nullptr && needs_refinement(copies_.module(), *name)) return write_call(op, *name, operands, region);
    switch (region_flow(op).kind) {
      case RegionFlow::Kind::kLoop: return write_loop(op, operands, region);
      case RegionFlow::Kind::kBranches: return write_branches(op, operands, region);
      case RegionFlow::Kind::kNone: break;
    }
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) regions.push_back(copy_region(r, {}));
    if (op.def().is_terminator) return append(op, operands, op.attrs(), region, {}, regions);
    const TypeContext context{op.def(), types_of(operands), op.attrs(),        *to_,
                              regions,  declared(op),       &copies_.module(), op.loc()};
    return folded(op, append(op, operands, op.attrs(), region, refined_results(context), regions), region);
  }

  std::vector<Value> append(const OpView& op, std::span<const Value> operands, const Attrs& attrs, RegionId region,
                            std::span<const Type> types, std::span<const RegionId> regions = {}) {
    return to_->results(to_->append(region, op.def(), operands, attrs, types, regions, op.loc()));
  }

  /// The results as constants when the op that makes them folds; `source` is what it was copied from.
  std::vector<Value> folded(const OpView& source, std::vector<Value> results, RegionId region) {
    if (results.empty()) return results;
    for (size_t i = 0; copies_.keeps_structure && i < source.num_results(); ++i) {
      if (is_open(source.result_type(i))) return results;
    }
    const OpView op{*to_, to_->defining_op(results[0])};
    OpBuilder b(*to_, region, &copies_.module());
    b.loc = op.loc();
    builder_ = &b;
    std::vector<Value> constants = fold_constants(*this, op);
    return constants.empty() ? results : constants;
  }

  std::optional<std::vector<Value>> write_static_form(const OpView& op, std::span<const Value> operands,
                                                      RegionId region) {
    std::vector<std::optional<Tensor>> shapes(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!is_shape_operand(op.def(), i)) continue;
      const Literal* literal = constant(operands[i]);
      if (literal == nullptr) return std::nullopt;
      shapes[i] = literal->materialize();
    }
    if (op.attrs().has("dimension")) {  // get_dimension_size, set_dimension_size
      const Type x = to_->type(operands[0]);
      const bool is_known = op.num_operands() == 1 ? x.dim(op.attrs().integer("dimension")) != kDynamic : x.is_static();
      if (!is_known) return std::nullopt;
    }
    OpBuilder b(*to_, region, &copies_.module());
    b.loc = op.loc();
    return folded(op, static_form(b, op, operands, shapes), region);
  }

  /// A slice whose limits are its starts plus constants has known extents wherever it begins: it is a dynamic_slice. (One that reaches
  /// beyond its operand is an error; dynamic_slice moves it inside.)
  std::optional<std::vector<Value>> write_moving_slice(const OpView& op, std::span<const Value> operands,
                                                       RegionId region) {
    if (op.def().mnemonic != "stablehlo.real_dynamic_slice") return std::nullopt;
    const Type x = to_->type(operands[0]);
    const Literal* strides = constant(operands[3]);
    const auto sizes = constant_difference(operands[2], operands[1]);
    if (strides == nullptr || !sizes || !x.is_static()) return std::nullopt;
    for (int64_t stride : index_elements(strides->materialize())) {
      if (stride != 1) return std::nullopt;
    }
    OpBuilder b(*to_, region, &copies_.module());
    b.loc = op.loc();
    std::vector<Value> starts;
    for (int64_t d = 0; d < x.rank(); ++d) {
      const int64_t size = (*sizes)[static_cast<size_t>(d)], from[] = {d}, to[] = {d + 1};
      if (size < 0 || size > x.dim(d)) return std::nullopt;
      starts.push_back(b.reshape(b.slice(operands[1], from, to), {}));
    }
    const Value made = b.dynamic_slice(operands[0], starts, *sizes);
    if (!is_compatible(to_->type(made), op.result_type())) {
      throw UserError("[stablehlo.real_dynamic_slice] type of the result: got " + op.result_type().str() +
                          ", expected " + to_->type(made).str(),
                      op.loc());
    }
    return std::vector<Value>{made};
  }

  /// a - b, where a is the sum of a constant and of something that is b; none when that does not show.
  std::optional<std::vector<int64_t>> constant_difference(Value a, Value b) {
    const OpId sum = to_->defining_op(a);
    if (!sum || to_->def(sum).mnemonic != "stablehlo.add" || !is_integer(to_->type(a).element_type()))
      return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      const Literal* addend = constant(to_->operand(sum, i));
      int64_t budget = 256;
      if (addend != nullptr && are_same(to_->operand(sum, 1 - i), b, budget))
        return index_elements(addend->materialize());
    }
    return std::nullopt;
  }

  /// Whether two values are computed by the same ops from the same values; false also when the budget of comparisons is used up.
  bool are_same(Value a, Value b, int64_t& budget) const {
    if (a == b) return true;
    const OpId p = to_->defining_op(a), q = to_->defining_op(b);
    if (!p || !q || --budget < 0 || &to_->def(p) != &to_->def(q) || to_->position(a) != to_->position(b)) return false;
    if (record(to_->def(p)).effects != Effects::kPure || !to_->regions(p).empty() || to_->type(a) != to_->type(b) ||
        to_->operands(p).size() != to_->operands(q).size() || !(to_->attrs(p) == to_->attrs(q))) {
      return false;
    }
    for (size_t i = 0; i < to_->operands(p).size(); ++i) {
      if (!are_same(to_->operand(p, i), to_->operand(q, i), budget)) return false;
    }
    return true;
  }

  /// JAX states what it assumes of dimensions by @shape_assertion(condition).
  bool is_true_assertion(const OpView& op, std::span<const Value> operands) {
    if (op.def().mnemonic != "stablehlo.custom_call" || op.num_results() != 0 || operands.empty()) return false;
    if (op.attrs().text_or("call_target_name", "") != "shape_assertion") return false;
    const Literal* literal = constant(operands[0]);
    if (literal == nullptr || literal->type.element_type() != ElementType::kI1) return false;
    if (*literal->element(0) == std::byte{0})
      throw UserError(
          "[shape_assertion] " +
              with_values(op.attrs().text_or("error_message", "the shapes do not satisfy it"), operands.subspan(1)),
          op.loc());
    return true;
  }

  /// "{0}" in an assertion's message stands for the first value behind the condition.
  std::string with_values(std::string message, std::span<const Value> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const Literal* literal = constant(values[i]);
      if (literal == nullptr || !is_integer(literal->type.element_type()) || literal->type.num_elements() != 1)
        continue;
      const std::string hole = "{" + std::to_string(i) + "}";
      const std::string value = std::to_string(index_elements(literal->materialize())[0]);
      for (size_t at = 0; (at = message.find(hole, at)) != std::string::npos; at += value.size())
        message.replace(at, hole.size(), value);
    }
    return message;
  }

  std::vector<Value> write_call(const OpView& op, const std::string& name, std::span<const Value> operands,
                                RegionId region) {
    constexpr int64_t kMaxElements = 64;
    std::vector<const Literal*> constants;
    for (Value v : operands) {
      const Literal* literal = constant(v);
      const bool says_shape = literal != nullptr && is_integer(literal->type.element_type()) &&
                              literal->type.num_elements() <= kMaxElements;
      constants.push_back(says_shape ? literal : nullptr);
    }
    const std::string copy = copies_.copy(name, types_of(operands), constants);
    Attrs attrs = op.attrs();
    attrs.set(op.def().mnemonic == "func.call" ? "callee" : "decomposition", copy);
    const Function& target = copies_.module().get(copy);
    std::vector<Value> results = append(op, operands, attrs, region, target.result_types());
    // Shapes that the callee computes are constants here, too.
    if (const OpId last = target.terminator(target.body())) {
      OpBuilder b(*to_, region);
      b.loc = op.loc();
      for (size_t i = 0; i < results.size(); ++i) {
        const Literal* literal = literal_of(target, target.operand(last, i));
        if (literal != nullptr && literal->type.num_elements() <= kMaxElements) results[i] = b.constant(*literal);
      }
    }
    return results;
  }

  /// Lanes whose number is known now.
  std::vector<Value> write_lanes(const OpView& op, std::span<const Value> operands, RegionId region) {
    PforCall call(op.attrs());
    int64_t lanes = kDynamic;
    std::vector<Type> types = types_of(operands);
    for (size_t i = 0; i < types.size(); ++i) {
      if (call.varies[i] == 0) continue;
      lanes = types[i].shape()[0] != kDynamic ? types[i].shape()[0] : lanes;
      types[i] = one_lane(types[i]);
    }
    const bool is_known = lanes != kDynamic && std::ranges::none_of(types, is_open);
    if (!is_known) return append(op, operands, op.attrs(), region, declared(op));
    Module& module = copies_.module();
    call.callee = with_lane_count(module, call.callee, call.level, lanes);
    const std::vector<Type> formal = module.get(call.callee).arg_types();
    if (needs_refinement(module, call.callee) || !std::ranges::equal(formal, types))
      call.callee = copies_.copy(call.callee, types, std::vector<const Literal*>(types.size(), nullptr));
    OpBuilder b(*to_, region, &module);
    b.loc = op.loc();
    return expand_pfor(module, b, call, operands, lanes);
  }

  std::vector<Value> write_loop(const OpView& op, std::span<const Value> operands, RegionId region) {
    const size_t carries = region_flow(op).carries;
    std::vector<Type> types = types_of(operands);
    while (true) {
      std::vector<RegionId> regions;
      for (RegionId r : op.regions()) regions.push_back(copy_region(r, types));
      // An extent that a trip changes is open; each round opens at least one.
      bool changed = false;
      const std::vector<Type> next = results_of(regions[1]);
      for (size_t i = 0; i < carries; ++i) {
        const Type both = loop_join(types[i], next[i]);
        changed = changed || both != types[i];
        types[i] = both;
      }
      if (!changed) return append(op, operands, op.attrs(), region, std::span(types).first(carries), regions);
    }
  }

  std::vector<Value> write_branches(const OpView& op, std::span<const Value> operands, RegionId region) {
    std::vector<RegionId> regions;
    std::vector<Type> types;
    for (RegionId r : op.regions()) {
      regions.push_back(copy_region(r, {}));
      const std::vector<Type> results = results_of(regions.back());
      if (regions.size() == 1) types = results;
      for (size_t i = 0; i < types.size(); ++i) types[i] = join(types[i], results[i]);
    }
    return append(op, operands, op.attrs(), region, types, regions);
  }

  /// A copy whose arguments have `types`; their own when none are given.
  RegionId copy_region(RegionId source, std::span<const Type> types) {
    const RegionId region = to_->new_region();
    const auto args = f_.args(source);
    for (size_t i = 0; i < args.size(); ++i)
      map_.set(args[i], to_->add_arg(region, types.empty() ? f_.type(args[i]) : types[i]));
    copy_ops(source, region);
    return region;
  }

  std::vector<Type> results_of(RegionId region) const {
    const auto values = to_->operands(to_->terminator(region));
    return types_of({values.begin(), values.end()});
  }
  std::vector<Type> types_of(std::span<const Value> values) const {
    std::vector<Type> out;
    for (Value v : values) out.push_back(to_->type(v));
    return out;
  }
  static std::vector<Type> declared(const OpView& op) {
    std::vector<Type> out;
    for (size_t i = 0; i < op.num_results(); ++i) out.push_back(op.result_type(i));
    return out;
  }

  Copies& copies_;
  const Function& f_;
  Function* to_ = nullptr;
  ValueMap map_;
  OpBuilder* builder_ = nullptr;
};

std::string Copies::copy(const std::string& name, std::span<const Type> types,
                         std::span<const Literal* const> constants) {
  // A function that calls itself with ever other constants or extents would be copied for ever.
  constexpr std::ptrdiff_t kMostTypes = 8;
  const std::ptrdiff_t times = std::ranges::count(open_, name, &Open::source);
  const std::vector<const Literal*> none(constants.size(), nullptr);
  if (times > 0) constants = none;
  const std::vector<Type> declared = module_.get(name).arg_types();
  if (times >= kMostTypes) types = declared;
  std::string key = name;
  for (size_t i = 0; i < types.size(); ++i) {
    key += "|" + types[i].str();
    if (constants[i] == nullptr) continue;
    const Tensor t = constants[i]->materialize();
    key += "=" + std::string(reinterpret_cast<const char*>(t.raw()), t.size_bytes());
  }
  const auto [entry, is_new] = names_.emplace(key, "");
  if (!is_new) {
    for (Open& open : open_) open.calls_itself = open.calls_itself || open.copy == entry->second;
    return entry->second;
  }
  const std::string copy = module_.unique_name(name);
  entry->second = copy;
  std::unique_ptr<Function> written = write(module_.get(name), copy, types, constants);
  written->set_public(false);
  refine_rule(*written);
  module_.replace(std::move(written));
  return copy;
}

void Copies::refine_rule(Function& f) {
  DerivativeRule rule = derivative_rule(f);
  if (!rule.is_custom()) return;
  const auto refined = [&](const std::string& name, std::vector<Type> types, const std::vector<Type>& more) {
    types.insert(types.end(), more.begin(), more.end());
    return copy(name, types, std::vector<const Literal*>(types.size(), nullptr));
  };
  const std::vector<Type> args = f.arg_types(), results = f.result_types();
  if (!rule.jvp.empty()) rule.jvp = refined(rule.jvp, args, tangent_types(args));
  if (rule.has_vjp()) {
    rule.forward = refined(rule.forward, args, {});
    std::vector<Type> kept = module_.get(rule.forward).result_types();
    kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(results.size()));
    rule.backward = refined(rule.backward, kept, tangent_types(results));
  }
  set_derivative_rule(f, rule);
}

// Until the copy is written, calls of itself find the results of a promise: at first that each has the type of an argument, then
// what that led to. A promise that is kept is right; without one the declared results are.
std::unique_ptr<Function> Copies::write(const Function& source, const std::string& copy, std::span<const Type> types,
                                        std::span<const Literal* const> constants) {
  constexpr int kMostRounds = 3;
  const std::vector<Type> declared = source.result_types();
  std::vector<Type> results = declared;
  for (Type& r : results) {
    const auto it = std::ranges::find_if(types, [&](Type t) { return !r.is_static() && is_compatible(r, t); });
    if (it != types.end()) r = *it;
  }
  const std::unordered_map<std::string, std::string> before = names_;
  module_.add(std::make_unique<Function>(copy));
  for (int round = 0;; ++round) {
    auto promise = std::make_unique<Function>(copy);
    promise->declare_results(results);
    module_.replace(std::move(promise));
    open_.push_back({source.name(), copy});
    std::unique_ptr<Function> written = Refiner(*this, source).run(copy, types, constants);
    const bool calls_itself = open_.back().calls_itself;
    open_.pop_back();
    if (!calls_itself || round == kMostRounds || std::ranges::equal(written->result_types(), results)) return written;
    // Copies that took the promise for kept are made anew.
    names_ = before;
    results = round + 1 == kMostRounds ? declared : written->result_types();
  }
}

}  // namespace

bool needs_refinement(const Module& module, const std::string& function) {
  std::unordered_set<std::string> seen;
  return needs_refinement(module, function, seen);
}

void refine_shapes(Module& module, const std::string& function, std::span<const Type> arg_types,
                   const RefineOptions& options) {
  const Function& f = module.get(function);
  const std::vector<Type> declared = f.arg_types();
  if (declared.size() != arg_types.size()) {
    throw UserError("@" + function + ": got " + std::to_string(arg_types.size()) + " argument types, expected " +
                    std::to_string(declared.size()));
  }
  std::vector<Type> types;
  for (size_t i = 0; i < declared.size(); ++i) {
    Type given = arg_types[i];
    // Values of quantized types come as their stored integers.
    if (declared[i].is_quantized() && is_compatible(storage_type(declared[i]), given))
      given = given.with_elements_of(declared[i]);
    if (!is_compatible(declared[i], given)) {
      throw UserError("@" + function + ", type of argument " + std::to_string(i) + ": got " + given.str() +
                          ", expected one that fits " + declared[i].str(),
                      f.loc());
    }
    types.push_back(merge_types(given, declared[i]));
  }
  Copies copies(module, options.keeps_structure);
  std::vector<const Literal*> constants = options.constants;
  constants.resize(types.size(), nullptr);
  std::unique_ptr<Function> refined = Refiner(copies, f).run(function, types, constants);
  copies.refine_rule(*refined);
  module.replace(std::move(refined));
}

}  // namespace weft
