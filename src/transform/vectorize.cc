#include "transform/vectorize.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/lane_ops.h"
#include "ops/control_flow/region_flow.h"
#include "ops/distribution/sharding.h"
#include "ops/families.h"
#include "ops/foreign/foreign.h"
#include "ops/quantized/quantization.h"
#include "ops/structural/extents.h"
#include "transform/custom_rules.h"
#include "transform/install.h"
#include "transform/lane_chunks.h"
#include "transform/lane_crossings.h"
#include "transform/lane_numbers.h"
#include "transform/open_lanes.h"
#include "transform/stack_calls.h"
#include "transform/uniformity.h"

namespace weft {
namespace {

/// One function under one pattern of varying arguments.
struct Variant {
  const Function* source;
  std::unique_ptr<Function> inlined;  // the source, where it is not the module's
  std::vector<bool> args;
  std::unique_ptr<Uniformity> uniformity;
  std::string name;  // of the function over lanes; empty until it is declared

  /// Results that vary. Those of a function with a derivative rule do so together, since their tangents may.
  std::vector<bool> results() const {
    std::vector<bool> out = uniformity->results();
    if (derivative_rule(*source).is_custom() && std::ranges::find(args, true) != args.end())
      out.assign(out.size(), true);
    return out;
  }
};

class Vectorizer {
 public:
  Vectorizer(Module& module, int64_t lanes, const VectorizeOptions& options)
      : module_(module), lanes_(lanes), level_(options.level), options_(options), crossings_(module, level_) {}
  Module& module() { return module_; }
  int64_t lanes() const { return lanes_; }
  const std::string& level() const { return level_; }

  LaneCrossings& crossings() { return crossings_; }
  void chose(const LaneChoice& choice) {
    if (options_.choices != nullptr) {
      const auto is_known = [&](const LaneChoice& c) { return c.str() == choice.str(); };
      if (std::ranges::none_of(*options_.choices, is_known)) options_.choices->push_back(choice);
    }
    if (!options_.strict || !choice.is_loop()) return;
    throw Unsupported("[" + choice.op + "] strict lanes: " + choice.why +
                          ", and lanes would run one after another because of " + choice.obstacle +
                          "; remedy: " + choice.remedy,
                      choice.loc);
  }

  Variant& variant(const std::string& name, const std::vector<bool>& args, Loc loc) {
    if (const auto it = variants_.find({name, args}); it != variants_.end()) return it->second;
    const Function* source = module_.find(name);
    if (source == nullptr) throw UserError("[func.call] there is no function @" + name, loc);
    if (source->is_declaration()) throw Unsupported("[func.call] lanes: @" + name + " has no body", loc);
    return variant(name, *source, args, loc);
  }
  /// `name` may be one that no function of the module has.
  Variant& variant(const std::string& name, const Function& source, const std::vector<bool>& args, Loc loc) {
    const auto [it, is_new] = variants_.try_emplace({name, args});
    Variant& v = it->second;
    if (is_new) {
      v.inlined = without_stack_calls(module_, source);
      v.source = v.inlined ? v.inlined.get() : &source;
      v.args = args;
      v.uniformity = std::make_unique<Uniformity>(
          *v.source,
          [this, loc](const std::string& callee, const std::vector<bool>& pattern) {
            return variant(callee, pattern, loc).results();
          },
          [this](const OpView& op) { return crossings_.crosses(op); });
      analysed_ = false;
    }
    return v;
  }

  /// Runs all analyses until none learns anything: calls read each other's results, recursion included.
  void analyse() {
    while (!analysed_) {
      analysed_ = true;
      // A sweep may add variants; std::map keeps the iterators valid and those added are met on the next round at the latest.
      for (auto& [key, v] : variants_) {
        if (v.uniformity->run(v.args)) analysed_ = false;
      }
    }
  }

  /// The variant as a function of the module.
  RegionVectorizer::Callee callee(const std::string& name, const std::vector<bool>& args, Loc loc);

 private:
  Module& module_;
  int64_t lanes_;
  std::string level_;
  const VectorizeOptions& options_;
  LaneCrossings crossings_;
  bool analysed_ = true;
  std::map<std::pair<std::string, std::vector<bool>>, Variant> variants_;
};

/// Writes one variant.
class Writer : public VectorizeContext, public RegionVectorizer, public LaneChoices {
 public:
  Writer(Vectorizer& vectorizer, const Function& source, const Uniformity& uniformity, Function& to)
      : vectorizer_(vectorizer),
        f_(source),
        uniformity_(uniformity),
        to_(to),
        map_(source.num_values()),
        uniform_(source) {
    enter(to.body());
  }

  // VectorizeContext.
  OpBuilder& builder() override { return scopes_.back().builder; }
  int64_t lanes() const override { return vectorizer_.lanes(); }
  RegionVectorizer& regions() override { return *this; }
  Value broadcast(const LaneValue& v) override {
    if (v.varies || to_.type(v.value).is_token()) return v.value;
    for (const Scope& scope : scopes_) {
      const auto it = scope.broadcasts.find(v.value);
      if (it != scope.broadcasts.end()) return it->second;
    }
    const Type type = to_.type(v.value);
    Value out;
    if (type.is_stack()) {
      const OpId maker = to_.defining_op(v.value);
      if (!maker || !to_.operands(maker).empty()) {
        throw Unsupported("a stack that all lanes share is used by lanes apart: got " + type.str(), builder().loc);
      }
      // Never cached: a stack is used once.
      return builder().create(to_.def(maker), {}, {}, std::vector<Type>{with_lanes(type, lanes())})[0];
    }
    if (!type.is_tensor()) throw Unsupported("lanes: a value of type " + type.str() + " has none", builder().loc);
    std::vector<int64_t> dimensions;
    for (int64_t d = 0; d < type.rank(); ++d) dimensions.push_back(d + 1);
    out = builder().broadcast_in_dim(v.value, dimensions, with_lanes(type, lanes()).shape());
    scopes_.back().broadcasts.emplace(v.value, out);
    return out;
  }

  // LaneChoices.
  void chose(const LaneChoice& choice) override { vectorizer_.chose(choice); }

  // RegionVectorizer.
  std::string_view level() const override { return vectorizer_.level(); }
  bool varies(Value source) override { return uniformity_.varies(source); }
  LaneValue lookup(Value source) override {
    const LaneValue v = map_[source.index];
    if (!v.value)
      throw InternalError("value " + std::to_string(source.index) + " of @" + f_.name() +
                          " has no counterpart over lanes");
    return v;
  }
  RegionId vectorize_region(RegionId source, const std::vector<bool>& arg_varies,
                            const std::vector<bool>& result_varies) override {
    const RegionId region = to_.new_region();
    std::vector<LaneValue> args;
    const auto formal = f_.args(source);
    for (size_t i = 0; i < formal.size(); ++i) {
      const Type t = f_.type(formal[i]);
      args.push_back({to_.add_arg(region, arg_varies[i] ? with_lanes(t, lanes()) : t), arg_varies[i]});
    }
    const Loc loc = builder().loc;
    enter(region);
    builder().loc = loc;
    std::vector<Value> results;
    const std::vector<LaneValue> values = inline_region(source, args);
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].varies && !result_varies[i]) {
        throw InternalError("result " + std::to_string(i) + " of a region varies by lane, expected a uniform one",
                            builder().loc);
      }
      results.push_back(result_varies[i] ? broadcast(values[i]) : values[i].value);
    }
    builder().loc = loc;
    builder().yield(results);
    scopes_.pop_back();
    return region;
  }
  std::vector<LaneValue> inline_region(RegionId source, std::span<const LaneValue> args) override {
    const auto formal = f_.args(source);
    for (size_t i = 0; i < formal.size(); ++i) set(formal[i], args[i]);
    std::vector<LaneValue> results;
    const std::vector<OpId> ops(f_.ops(source).begin(), f_.ops(source).end());
    for (OpId op : ops) {
      if (f_.def(op).is_terminator) {
        for (Value v : f_.operands(op)) results.push_back(lookup(v));
      } else {
        write(OpView{f_, op});
      }
    }
    return results;
  }
  RegionId copy_region(RegionId source) override {
    refuse_crossing(source);
    return clone_region(f_, source, to_, uniform_);
  }
  std::vector<Value> captured(std::span<const RegionId> sources) override {
    std::vector<Value> out;
    for (RegionId r : sources) {
      for (Value v : captures(f_, r)) {
        if (!is_constant(v) && std::ranges::find(out, v) == out.end()) out.push_back(v);
      }
    }
    return out;
  }
  std::vector<Value> copy_ops(OpBuilder& into, RegionId source, std::span<const Value> args,
                              std::span<const Value> captured_values, std::span<const Value> replacements) override {
    refuse_crossing(source);
    ValueMap map(f_);
    const auto formal = f_.args(source);
    for (size_t i = 0; i < formal.size(); ++i) map.set(formal[i], args[i]);
    for (size_t i = 0; i < captured_values.size(); ++i) map.set(captured_values[i], replacements[i]);
    for (Value v : captures(f_, source)) {
      if (!map.get(v)) clone_op(f_, f_.defining_op(v), to_, into.region(), map);
    }
    return clone_ops(f_, source, to_, into.region(), map);
  }
  Callee vectorize_callee(const std::string& name, const std::vector<bool>& arg_varies, Loc loc) override {
    return vectorizer_.callee(name, arg_varies, loc);
  }

 private:
  struct Scope {
    OpBuilder builder;
    std::unordered_map<Value, Value> broadcasts;
  };
  void enter(RegionId region) { scopes_.push_back({OpBuilder(to_, region, &vectorizer_.module()), {}}); }
  void set(Value source, LaneValue v) {
    map_[source.index] = v;
    if (!v.varies) uniform_.set(source, v.value);
  }
  /// Made anew wherever it is needed rather than passed.
  bool is_constant(Value v) const {
    const OpId op = f_.defining_op(v);
    return op && f_.operands(op).empty() && f_.regions(op).empty() && f_.type(v).is_tensor() &&
           record(f_.def(op)).effects == Effects::kPure;
  }

  void write(const OpView& op) {
    builder().loc = op.loc();
    std::vector<LaneValue> operands;
    bool varies = uniformity_.touches_varying(op.id);
    for (Value v : op.operands()) {
      operands.push_back(lookup(v));
      varies = varies || operands.back().varies;
    }
    if (!varies) {
      const OpId copy = clone_op(f_, op.id, to_, builder().region(), uniform_);
      for (size_t i = 0; i < op.num_results(); ++i) map_[op.result(i).index] = {to_.result(copy, i), false};
      return;
    }
    refuse_captures(op);
    if (touches_quantized(op)) {
      throw Unsupported("[" + std::string(op.def().mnemonic) + "] lanes: not with quantized operands or results",
                        op.loc());
    }
    const auto first = std::ranges::find_if(operands, [](const LaneValue& v) { return v.varies; });
    const VectorizeFn& rule = record(op).vectorize.require(
        op, first == operands.end() ? "lanes" : "lanes of operand " + std::to_string(first - operands.begin()));
    if (const Type t = foreign_type_of(op)) {
      throw Unsupported("[" + std::string(op.def().mnemonic) + "] lanes: not with values of type " + t.str(), op.loc());
    }
    const std::vector<LaneValue> results = rule(*this, op, operands);
    if (results.size() != op.num_results()) {
      throw InternalError("[" + std::string(op.def().mnemonic) + "] results over lanes: got " +
                              std::to_string(results.size()) + ", expected " + std::to_string(op.num_results()),
                          op.loc());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const Type got = to_.type(results[i].value), one = op.result_type(i);
      const Type expected = results[i].varies && !one.is_token() ? with_lanes(one, lanes()) : one;
      if (!is_compatible(got, expected) || (results[i].varies && !uniformity_.varies(op.result(i)))) {
        throw InternalError("[" + std::string(op.def().mnemonic) + "] result " + std::to_string(i) +
                                " over lanes: got " + got.str() + ", expected " + expected.str() +
                                (uniformity_.varies(op.result(i)) ? "" : " the same for every lane"),
                            op.loc());
      }
      set(op.result(i), results[i]);
    }
  }

  /// Where lanes run apart, not all arrive at one op at one time.
  void refuse_crossing(RegionId source) {
    const std::optional<OpView> op = vectorizer_.crossings().first(f_, source);
    if (!op) return;
    const OpId owner = f_.owner(source);
    const RegionFlow::Kind kind = region_flow(OpView{f_, owner}).kind;
    const std::string where = std::string(f_.def(owner).mnemonic) + at_place(f_.loc(owner));
    throw Unsupported("[" + std::string(op->def().mnemonic) + "] lanes: not all lanes arrive at it, for it stands in " +
                          (kind == RegionFlow::Kind::kLoop       ? "a loop that lanes leave apart (" + where + ")"
                           : kind == RegionFlow::Kind::kBranches ? "a branch that lanes take apart (" + where + ")"
                                                                 : "a region of " + where) +
                          (&op->function != &f_ ? ", by way of @" + op->function.name() : "") +
                          "; take it out of there, or make what decides (trip count, branch) the same for all lanes",
                      op->loc());
  }

  /// Bodies of reductions, comparators and the like run on single elements, which belong to no lane.
  void refuse_captures(const OpView& op) {
    if (record(op).effects == Effects::kRegions) return;
    for (RegionId r : op.regions()) {
      for (Value v : captures(f_, r)) {
        if (!map_[v.index].varies) continue;
        const OpId maker = f_.defining_op(v);
        throw Unsupported(
            "[" + std::string(op.def().mnemonic) + "] lanes: its region uses a value from outside that varies by lane" +
                (maker ? " (made by " + std::string(f_.def(maker).mnemonic) + at_place(f_.loc(maker)) + ")" : "") +
                "; pass it as an operand",
            op.loc());
      }
    }
  }

  Vectorizer& vectorizer_;
  const Function& f_;
  const Uniformity& uniformity_;
  Function& to_;
  std::vector<LaneValue> map_;
  ValueMap uniform_;          // the part of map_ that does not vary
  std::deque<Scope> scopes_;  // builders are handed out by reference
};

RegionVectorizer::Callee Vectorizer::callee(const std::string& name, const std::vector<bool>& args, Loc loc) {
  Variant& v = variant(name, args, loc);
  analyse();
  const std::vector<bool> varies = v.results();
  const std::vector<Type> one = v.source->result_types();
  std::vector<Type> types;
  for (size_t i = 0; i < one.size(); ++i) types.push_back(varies[i] ? with_lanes(one[i], lanes_) : one[i]);
  if (v.name.empty()) {
    v.name = module_.unique_name(name + "_lanes");
    auto declared = std::make_unique<Function>(v.name);
    declared->set_public(false);
    declared->set_loc(v.source->loc());
    declared->declare_results(types);  // before the body, for a function that calls itself
    Function& to = module_.add(std::move(declared));
    std::vector<LaneValue> values;
    for (size_t i = 0; i < args.size(); ++i) {
      const Type t = v.source->type(v.source->args()[i]);
      values.push_back({to.add_arg(to.body(), args[i] ? with_lanes(t, lanes_) : t), args[i]});
    }
    Writer writer(*this, *v.source, *v.uniformity, to);
    std::vector<Value> results;
    const std::vector<LaneValue> returned = writer.inline_region(v.source->body(), values);
    for (size_t i = 0; i < returned.size(); ++i)
      results.push_back(varies[i] ? writer.broadcast(returned[i]) : returned[i].value);
    writer.builder().yield(results);
    forget_numbered(to);
    fit_shardings(to, module_);
    const auto over_lanes = [&](const std::string& rule, const std::vector<bool>& pattern) {
      return callee(rule, pattern, loc);
    };
    set_derivative_rule(to, rule_over_lanes(module_, *v.source, args, varies, lanes_, over_lanes));
  }
  return {v.name, varies, types};
}

std::vector<int64_t> with_axis(std::span<const int64_t> shape, int64_t axis, int64_t extent) {
  std::vector<int64_t> out(shape.begin(), shape.end());
  out.insert(out.begin() + axis, extent);
  return out;
}

/// Arguments stay cut as they are; lanes are not cut.
void copy_shardings(const Function& from, std::span<const int64_t> lane_axes, Function& to) {
  for (size_t i = 0; i < std::min(from.arg_attrs().size(), lane_axes.size()); ++i) {
    const Attr* attr = from.arg_attrs()[i].find(kShardingAttribute);
    const auto* text = attr == nullptr ? nullptr : attr->get_if<OpaqueAttr>();
    std::optional<Sharding> sharding = text == nullptr ? std::nullopt : read_sharding(text->text);
    if (!sharding) continue;
    if (lane_axes[i] >= 0 && lane_axes[i] <= static_cast<int64_t>(sharding->dimensions.size()))
      sharding->dimensions.insert(sharding->dimensions.begin() + lane_axes[i], DimensionSharding());
    to.arg_attrs().resize(std::max(to.arg_attrs().size(), lane_axes.size()));
    to.arg_attrs()[i].set(kShardingAttribute, OpaqueAttr{text_of(*sharding)});
  }
}

}  // namespace

Function& vectorize(Module& module, const std::string& function, std::span<const int64_t> lane_axes, int64_t lanes,
                    const VectorizeOptions& options) {
  const Function& f = module.get(function);
  const std::string what = "[vectorize] @" + function + ": ";
  if (lanes < 0 && lanes != kDynamic)
    throw UserError(what + "number of lanes: got " + std::to_string(lanes) + ", expected 0 or more");
  if (options.chunk < 0)
    throw UserError(what + "chunk: got " + std::to_string(options.chunk) + ", expected 0 (all lanes) or more");
  if (lane_axes.size() != f.args().size()) {
    throw UserError(what + "lane axes: got " + std::to_string(lane_axes.size()) + ", expected one for each of " +
                    std::to_string(f.args().size()) + " arguments");
  }
  std::vector<bool> varies;
  for (size_t i = 0; i < lane_axes.size(); ++i) {
    const Type t = f.type(f.args()[i]);
    const int64_t rank = t.is_tensor() ? t.rank() : t.is_stack() ? 0 : -1;
    if (lane_axes[i] != kUniform && (lane_axes[i] < 0 || lane_axes[i] > rank)) {
      throw UserError(what + "lane axis of argument " + std::to_string(i) + ": got " + std::to_string(lane_axes[i]) +
                      ", expected 0 to " + std::to_string(rank) + " or none, for " + t.str());
    }
    varies.push_back(lane_axes[i] != kUniform);
  }

  if (lanes == kDynamic) return vectorize_open(module, function, lane_axes, options);
  if (options.chunk > 0 && options.chunk < lanes)
    return vectorize_in_chunks(module, function, lane_axes, lanes, options);

  Vectorizer vectorizer(module, lanes, options);
  // A function with a derivative rule is called, so that the function over lanes calls one with a rule.
  const std::unique_ptr<const Function> call = call_of_ruled(module, f);
  // The lane's number is one more argument where something asks for it.
  LaneNumbers numbers(module, options.level, lanes);
  const std::string numbered = call ? function : numbers.of(function);
  const bool is_numbered = numbered != function;
  std::vector<bool> pattern = varies;
  if (is_numbered) pattern.push_back(true);
  const Function& source = call ? *call : module.get(numbered);
  Variant& v = vectorizer.variant(call ? "" : numbered, source, pattern, f.loc());
  vectorizer.analyse();
  auto to = std::make_unique<Function>(options.name.empty() ? module.unique_name(function + "_lanes") : options.name);
  to->set_loc(f.loc());
  to->attrs() = f.attrs();
  set_derivative_rule(*to, {});
  std::vector<LaneValue> args;
  for (size_t i = 0; i < varies.size(); ++i) {
    const Type t = f.type(f.args()[i]);
    args.push_back(
        {to->add_arg(to->body(), !varies[i]     ? t
                                 : t.is_stack() ? with_lanes(t, lanes)
                                                : t.with_shape(with_axis(t.shape(), lane_axes[i], lanes))
                                                      .with_bounds(with_axis(bounds_of(t), lane_axes[i], kDynamic))),
         varies[i]});
  }
  Writer writer(vectorizer, *v.source, *v.uniformity, *to);
  for (size_t i = 0; i < varies.size(); ++i) {
    if (!varies[i] || lane_axes[i] == 0) continue;
    std::vector<int64_t> permutation = {lane_axes[i]};
    for (int64_t d = 0; d < to->type(args[i].value).rank(); ++d) {
      if (d != lane_axes[i]) permutation.push_back(d);
    }
    args[i].value = writer.builder().transpose(args[i].value, permutation);
  }
  if (is_numbered) {
    const int64_t shape[] = {lanes};
    args.push_back({writer.builder().iota(Type::tensor(ElementType::kI64, shape), 0), true});
  }
  std::vector<Value> results;
  for (const LaneValue& r : writer.inline_region(v.source->body(), args)) {
    results.push_back(options.broadcast_results ? writer.broadcast(r) : r.value);
  }
  writer.builder().yield(results);
  forget_numbered(*to);
  numbers.forget();
  copy_shardings(f, lane_axes, *to);
  fit_shardings(*to, module);
  return install(module, std::move(to));
}

}  // namespace weft
