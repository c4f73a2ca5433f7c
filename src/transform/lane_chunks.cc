#include "transform/lane_chunks.h"

#include <algorithm>
#include <optional>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/control_flow/lane_choice.h"
#include "ops/control_flow/lane_ops.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/reduction/region_body.h"
#include "ops/structural/extents.h"
#include "transform/custom_rules.h"
#include "transform/dead_code.h"
#include "transform/inline.h"
#include "transform/install.h"
#include "transform/lane_crossings.h"
#include "transform/lane_numbers.h"
#include "transform/scratch.h"
#include "transform/uniformity.h"

namespace weft {
namespace {

constexpr ElementType kIndex = ElementType::kI64;

/// How the results of the chunks make up the whole.
struct Join {
  std::string_view body;  // "stablehlo.add", …: of all lanes; empty: rows of the result
  Type one;               // of one lane
  Value start;            // of a reduction: one element
};

class Chunks {
 public:
  Chunks(Module& module, int64_t lanes, const VectorizeOptions& options)
      : module_(module), lanes_(lanes), chunk_(options.chunk), options_(options) {}

  /// The results of `function`, whose last argument is the number of the lane, over all lanes. Operands that vary have the lanes on axis 0.
  std::vector<Value> write(OpBuilder& b, const std::string& function, std::span<const Value> operands,
                           const std::vector<bool>& varies, std::span<const Join> joins) {
    operands_ = operands;
    varies_ = varies;
    joins_ = joins;
    const bool has_effects = EffectAnalysis(&module_).has_effects(call_of(function));
    const bool is_plain = std::ranges::all_of(joins, [](const Join& j) { return j.body.empty(); });
    // Lanes that are run twice do no harm then, and no code for fewer lanes is needed.
    const int64_t rest = lanes_ % chunk_;
    const bool overlaps = rest != 0 && is_plain && !has_effects;
    const std::string whole = over_lanes(function, chunk_);
    std::vector<Value> carries = {b.zeros(Type::scalar(kIndex))};
    for (const Join& j : joins) {
      carries.push_back(j.body.empty() ? b.zeros(with_lanes(j.one, lanes_))
                                       : b.broadcast_scalar(j.start, j.one.shape()));
    }
    std::vector<Type> types;
    for (Value v : carries) types.push_back(b.type(v));
    const int64_t last = overlaps ? lanes_ : lanes_ - rest;
    const RegionId regions[] = {b.make_region(types,
                                              [&](OpBuilder& in, std::span<const Value> c) {
                                                return std::vector<Value>{in.compare(c[0], index(in, last), "LT")};
                                              }),
                                b.make_region(types, [&](OpBuilder& in, std::span<const Value> c) {
                                  // The last chunk begins early enough to be whole.
                                  const Value first = overlaps ? in.minimum(c[0], index(in, lanes_ - chunk_)) : c[0];
                                  std::vector<Value> next = joined(in, whole, chunk_, first, c.subspan(1));
                                  next.insert(next.begin(), in.add(c[0], index(in, chunk_)));
                                  return next;
                                })};
    std::vector<Value> out = b.create("stablehlo.while", carries, {}, types, regions);
    out.erase(out.begin());
    if (rest == 0 || overlaps) return out;
    return joined(b, over_lanes(function, rest), rest, index(b, last), out);
  }

 private:
  static Value index(OpBuilder& b, int64_t i) { return b.scalar(kIndex, static_cast<double>(i)); }

  /// A call of it somewhere, for what asks about ops.
  OpView call_of(const std::string& function) {
    const Function& f = module_.get(function);
    OpBuilder b(scratch_, scratch_.body(), &module_);
    std::vector<Value> args;
    for (const Type& t : f.arg_types()) args.push_back(scratch_.add_arg(scratch_.body(), t));
    b.create("func.call", args, Attrs{{"callee", function}}, f.result_types());
    return OpView{scratch_, scratch_.ops(scratch_.body()).back()};
  }

  std::string over_lanes(const std::string& function, int64_t lanes) {
    std::vector<int64_t> axes;
    for (bool v : varies_) axes.push_back(v ? 0 : kUniform);
    axes.push_back(0);
    VectorizeOptions options = options_;
    options.chunk = 0;
    options.name = module_.unique_name(function + "_chunk");
    options.broadcast_results = true;
    Function& made = vectorize(module_, function, axes, lanes, options);
    made.set_public(false);
    return made.name();
  }

  std::vector<Value> joined(OpBuilder& b, const std::string& function, int64_t lanes, Value first,
                            std::span<const Value> so_far) {
    std::vector<Value> args;
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (!varies_[i]) {
        args.push_back(operands_[i]);
        continue;
      }
      std::vector<int64_t> sizes(b.type(operands_[i]).shape().begin(), b.type(operands_[i]).shape().end());
      sizes[0] = lanes;
      args.push_back(b.dynamic_slice(operands_[i], at(b, first, sizes.size()), sizes));
    }
    const int64_t shape[] = {lanes};
    const Type numbers = Type::tensor(kIndex, shape);
    args.push_back(b.add(b.iota(numbers, 0), b.broadcast_scalar(first, shape)));
    const std::vector<Value> part =
        b.create("func.call", args, Attrs{{"callee", function}}, module_.get(function).result_types());
    std::vector<Value> out;
    const std::vector<int64_t> axis = {0};
    for (size_t r = 0; r < joins_.size(); ++r) {
      if (joins_[r].body.empty()) {
        out.push_back(
            b.dynamic_update_slice(so_far[r], part[r], at(b, first, static_cast<size_t>(b.type(so_far[r]).rank()))));
      } else {
        out.push_back(b.make(joins_[r].body, {so_far[r], b.reduce(part[r], axis, joins_[r].body)}));
      }
    }
    return out;
  }

  static std::vector<Value> at(OpBuilder& b, Value first, size_t rank) {
    std::vector<Value> starts(rank, b.zeros(Type::scalar(kIndex)));
    starts[0] = first;
    return starts;
  }

  Module& module_;
  int64_t lanes_, chunk_;
  VectorizeOptions options_;
  Function scratch_{"scratch"};
  std::span<const Value> operands_;
  std::vector<bool> varies_;
  std::span<const Join> joins_;
};

/// What lanes ask of all lanes next: the ops that need no other such answer first; where there are none, the first loop or branch that
/// holds such an op.
struct Round {
  std::vector<OpId> ops;
  OpId control;
  bool is_last() const { return ops.empty() && !control; }
};

class Questions {
 public:
  Questions(Module& module, std::string level) : module_(module), level_(std::move(level)) {}

  Round round(const Function& f) {
    Round out;
    std::vector<bool> waits(f.num_values());  // for an answer
    LaneCrossings crossings(module_, level_);
    for (OpId id : f.ops(f.body())) {
      const OpView op{f, id};
      const bool is_question = lane_use(op.def()) == LaneUse::kAll && is_of_level(op, level_);
      if (!is_question && crossings.crosses(op)) refuse_call(op);
      bool is_control = false;
      for (RegionId r : op.regions()) {
        const auto inner = crossings.first(f, r);
        if (!inner) continue;
        is_control = true;
        const RegionFlow flow = region_flow(op);
        if (flow.kind == RegionFlow::Kind::kNone || !flow.is_open) refuse(*inner, op);
      }
      bool needs = false;
      for (Value v : op.operands()) needs = needs || waits[v.index];
      for (RegionId r : op.regions()) {
        for (Value v : captures(f, r)) needs = needs || waits[v.index];
      }
      if (is_question && !needs) out.ops.push_back(id);
      if (is_control && !needs && !out.control) out.control = id;
      for (size_t i = 0; i < op.num_results(); ++i) waits[op.result(i).index] = needs || is_question || is_control;
    }
    if (!out.ops.empty()) out.control = {};
    return out;
  }

  /// A function of f's arguments that returns these values of its body, which need no answer.
  std::string asked(const Function& f, std::span<const Value> values) {
    auto out = started(f, "_asks");
    ValueMap map(f);
    for (Value v : f.args()) map.set(v, out->add_arg(out->body(), f.type(v)));
    for (OpId id : f.ops(f.body())) {
      const OpView op{f, id};
      if (op.def().is_terminator) break;
      bool is_known = true;
      for (Value v : op.operands()) is_known = is_known && map.get(v);
      for (RegionId r : op.regions()) {
        for (Value v : captures(f, r)) is_known = is_known && map.get(v);
      }
      // Effects are those of the last round.
      const Effects effects = record(op).effects;
      const bool is_question = lane_use(op.def()) == LaneUse::kAll && is_of_level(op, level_);
      if (is_question || !is_known || effects == Effects::kIo || effects == Effects::kCheck || holds_question(op))
        continue;
      clone_op(f, id, *out, out->body(), map);
    }
    std::vector<Value> results;
    for (Value v : values) results.push_back(map.at(v));
    OpBuilder(*out, out->body(), &module_).yield(results);
    return module_.add(eliminate_dead_code(*out, &module_)).name();
  }

  /// f with one more argument for each result of the ops, in front of the last one.
  std::string answered(const Function& f, const std::vector<OpId>& ops) {
    auto out = started(f, "_told");
    ValueMap map(f);
    const auto args = f.args();
    for (size_t i = 0; i + 1 < args.size(); ++i) map.set(args[i], out->add_arg(out->body(), f.type(args[i])));
    for (OpId id : ops) {
      for (size_t i = 0; i < f.num_results(id); ++i)
        map.set(f.result(id, i), out->add_arg(out->body(), f.type(f.result(id, i))));
    }
    map.set(args.back(), out->add_arg(out->body(), f.type(args.back())));
    for (OpId id : f.ops(f.body())) {
      if (std::ranges::find(ops, id) == ops.end()) clone_op(f, id, *out, out->body(), map);
    }
    return module_.add(std::move(out)).name();
  }

  /// A region as a function of its arguments, of what it uses from around it, and of the lane's number, which is the last argument of f.
  std::string of_region(const Function& f, RegionId region, std::span<const Value> captured) {
    auto out = started(f, "_part");
    ValueMap map(f);
    for (Value v : f.args(region)) map.set(v, out->add_arg(out->body(), f.type(v)));
    for (Value v : captured) map.set(v, out->add_arg(out->body(), f.type(v)));
    const Value number = f.args().back();
    map.set(number, out->add_arg(out->body(), f.type(number)));
    OpBuilder(*out, out->body(), &module_).yield(clone_ops(f, region, *out, out->body(), map));
    return module_.add(std::move(out)).name();
  }

  bool crosses(const OpView& op) {
    LaneCrossings crossings(module_, level_);
    return crossings.crosses(op) || holds_question(op);
  }

 private:
  std::unique_ptr<Function> started(const Function& f, const std::string& what) {
    auto out = std::make_unique<Function>(module_.unique_name(f.name() + what));
    out->set_loc(f.loc());
    out->set_public(false);
    return out;
  }
  bool holds_question(const OpView& op) {
    LaneCrossings crossings(module_, level_);
    return std::ranges::any_of(op.regions(), [&](RegionId r) { return crossings.first(op.function, r).has_value(); });
  }
  [[noreturn]] static void refuse_call(const OpView& op) {
    throw Unsupported("[" + std::string(op.def().mnemonic) +
                          "] lanes in chunks: what it calls asks for all lanes and calls itself; run all lanes at once",
                      op.loc());
  }
  [[noreturn]] static void refuse(const OpView& inner, const OpView& outer) {
    throw Unsupported("[" + std::string(inner.def().mnemonic) + "] lanes in chunks: it stands in a region of " +
                          std::string(outer.def().mnemonic) + ", which is no loop or branch; run all lanes at once",
                      inner.loc());
  }

  Module& module_;
  std::string level_;
};

[[noreturn]] void refuse_type(const std::string& function, Type t, Loc loc) {
  throw Unsupported(
      "[vectorize] @" + function + ": lanes in chunks of a value of type " + t.str() +
          (t.is_stack() ? ", which a derivative taken over lanes keeps; differentiate the function of one "
                          "lane, then run that in chunks"
                        : ""),
      loc);
}

Value over_lanes(OpBuilder& b, Value v, int64_t lanes) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < b.type(v).rank(); ++d) dims.push_back(d + 1);
  return b.broadcast_in_dim(v, dims, with_lanes(b.type(v), lanes).shape());
}

/// A function of one lane, in chunks of lanes: one loop over them where no lane asks for all; otherwise one for each round of such
/// questions, and around these the loops and branches in which lanes ask, which all lanes go through together.
class ChunkedLanes {
 public:
  ChunkedLanes(Module& module, int64_t lanes, const VectorizeOptions& options)
      : module_(module), lanes_(lanes), options_(options), questions_(module, options.level) {}

  /// The results of `function`, whose last argument is the number of the lane. Operands that vary have the lanes on axis 0.
  std::vector<LaneValue> write(OpBuilder& b, std::string function, std::vector<Value> operands,
                               std::vector<bool> varies) {
    for (;;) {
      const Function& f = module_.get(function);
      const Round round = questions_.round(f);
      if (round.is_last()) return last(b, f, operands, varies);
      std::vector<OpId> answered = round.ops;
      std::vector<LaneValue> answers;
      if (round.control) {
        answered = {round.control};
        answers = control(b, OpView{f, round.control}, operands, varies);
      } else {
        for (Value v : ask(b, f, round.ops, operands, varies)) answers.push_back({v, false});
      }
      function = questions_.answered(f, answered);
      for (const LaneValue& a : answers) {
        operands.push_back(a.value);
        varies.push_back(a.varies);
      }
    }
  }

 private:
  Uniformity uniformity_of(const Function& f, const std::vector<bool>& varies) {
    // Calls that are left are recursive ones and those of functions with a derivative rule.
    Uniformity u(
        f,
        [this](const std::string& name, const std::vector<bool>& args) {
          return std::vector<bool>(module_.get(name).result_types().size(),
                                   std::ranges::find(args, true) != args.end());
        },
        [this](const OpView& op) { return questions_.crosses(op); });
    std::vector<bool> args = varies;
    args.push_back(true);
    u.run(args);
    return u;
  }

  std::vector<Value> ask(OpBuilder& b, const Function& f, const std::vector<OpId>& ops, std::span<const Value> operands,
                         const std::vector<bool>& varies) {
    const Uniformity u = uniformity_of(f, varies);
    ValueMap shared = shared_operands(f, operands, varies);
    std::vector<Join> joins;
    std::vector<Value> asked;
    for (OpId id : ops) {
      const OpView op{f, id};
      for (size_t i = 0; i < op.num_results(); ++i) {
        Join join{{}, op.operand_type(i), {}};
        asked.push_back(op.operand(i));
        if (!op.regions().empty()) {
          const BodyKind kind = op.num_results() == 1 ? classify_body(f, op.region(0)) : BodyKind::kOther;
          join.body = body_mnemonic(kind);
          if (join.body.empty() || u.varies(op.operand(1)) || op.result_type() != op.operand_type(0)) {
            throw Unsupported(
                "[weft.lanes_reduce] lanes in chunks: parts are joined for sums, products, extremes and bits of one "
                "type "
                "whose start value all lanes share; weft.lanes_concat followed by reduce does for any other",
                op.loc());
          }
          join.start = shared_value(b, f, op.operand(1), shared);
        }
        joins.push_back(join);
      }
    }
    return Chunks(module_, lanes_, options_).write(b, questions_.asked(f, asked), operands, varies, joins);
  }

  /// The results of f, in which no lane asks for all.
  std::vector<LaneValue> last(OpBuilder& b, const Function& f, std::span<const Value> operands,
                              const std::vector<bool>& varies) {
    std::vector<Value> wanted;
    for (Value v : f.operands(f.terminator(f.body()))) wanted.push_back(v);
    for (Value v : wanted) {
      if (!f.type(v).is_tensor()) refuse_type(f.name(), f.type(v), f.loc());
    }
    return values(b, f, wanted, f.name(), operands, varies);
  }

  /// Values of f's body: those that all lanes share are computed here, the others by a loop over chunks. `whole`: a function that returns
  /// them all with effects, if it is not f without what has some.
  std::vector<LaneValue> values(OpBuilder& b, const Function& f, std::span<const Value> wanted,
                                const std::string& whole, std::span<const Value> operands,
                                const std::vector<bool>& varies) {
    const Uniformity u = uniformity_of(f, varies);
    std::vector<LaneValue> out(wanted.size());
    std::vector<size_t> apart;
    ValueMap shared = shared_operands(f, operands, varies);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (u.varies(wanted[i])) apart.push_back(i);
      else out[i] = {shared_value(b, f, wanted[i], shared), false};
    }
    const Function& all = module_.get(whole);
    EffectAnalysis effects(&module_);
    const bool has_effects = std::ranges::any_of(
        all.ops(all.body()), [&](OpId op) { return !all.def(op).is_terminator && effects.has_effects({all, op}); });
    if (apart.empty() && !has_effects) return out;
    std::vector<Join> rows;
    for (size_t i : apart) rows.push_back({{}, f.type(wanted[i]), {}});
    const std::string part = with_results(module_, all, apart);
    const std::vector<Value> made = Chunks(module_, lanes_, options_).write(b, part, operands, varies, rows);
    for (size_t k = 0; k < apart.size(); ++k) out[apart[k]] = {made[k], true};
    return out;
  }

  static ValueMap shared_operands(const Function& f, std::span<const Value> operands, const std::vector<bool>& varies) {
    ValueMap shared(f);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!varies[i]) shared.set(f.args()[i], operands[i]);
    }
    return shared;
  }
  /// A value that all lanes share, computed in front of the loops over chunks.
  static Value shared_value(OpBuilder& b, const Function& f, Value v, ValueMap& shared) {
    if (const Value known = shared.get(v)) return known;
    const OpId op = f.defining_op(v);
    for (Value o : f.operands(op)) shared_value(b, f, o, shared);
    for (RegionId r : f.regions(op)) {
      for (Value c : captures(f, r)) shared_value(b, f, c, shared);
    }
    clone_op(f, op, b.function(), b.region(), shared);
    return shared.at(v);
  }

  /// A loop or branch in which lanes ask for all: all lanes go through it together, their chunks within.
  std::vector<LaneValue> control(OpBuilder& b, const OpView& op, std::span<const Value> operands,
                                 const std::vector<bool>& varies) {
    const Function& f = op.function;
    const Uniformity u = uniformity_of(f, varies);
    const bool is_loop = region_flow(op).kind == RegionFlow::Kind::kLoop;
    const Value decides = is_loop ? f.operand(f.terminator(op.region(0)), 0) : op.operand(0);
    if (u.varies(decides)) refuse_apart(op, is_loop);
    // What it begins with and what it uses from around it; the lane's number is an argument of every part.
    std::vector<Value> wanted(op.operands().begin(), op.operands().end()), captured;
    for (RegionId r : op.regions()) {
      for (Value v : captures(f, r)) {
        if (v != f.args().back() && std::ranges::find(captured, v) == captured.end()) captured.push_back(v);
      }
    }
    wanted.insert(wanted.end(), captured.begin(), captured.end());
    for (Value v : wanted) {
      if (!f.type(v).is_tensor()) refuse_type(f.name(), f.type(v), op.loc());
    }
    const std::vector<LaneValue> had = values(b, f, wanted, questions_.asked(f, wanted), operands, varies);
    const size_t first = op.num_operands();
    std::vector<bool> flags;  // of carries, or of results
    for (size_t i = 0; i < op.num_results(); ++i)
      flags.push_back(u.varies(is_loop ? f.args(op.region(1))[i] : op.result(i)));
    const auto as_flagged = [&](OpBuilder& in, const LaneValue& v, bool flag) {
      return flag && !v.varies ? over_lanes(in, v.value, lanes_) : v.value;
    };
    const auto part = [&](OpBuilder& in, size_t region, std::span<const Value> carries) {
      std::vector<Value> args(carries.begin(), carries.end());
      std::vector<bool> vary = carries.empty() ? std::vector<bool>{} : flags;
      for (size_t i = first; i < had.size(); ++i) {
        args.push_back(had[i].value);
        vary.push_back(had[i].varies);
      }
      return write(in, questions_.of_region(f, op.region(region), captured), args, vary);
    };
    std::vector<RegionId> regions;
    std::vector<Value> starts;
    if (is_loop) {
      for (size_t i = 0; i < first; ++i) starts.push_back(as_flagged(b, had[i], flags[i]));
      std::vector<Type> types;
      for (Value v : starts) types.push_back(b.type(v));
      for (size_t r = 0; r < 2; ++r) {
        regions.push_back(b.make_region(types, [&](OpBuilder& in, std::span<const Value> carries) {
          const std::vector<LaneValue> made = part(in, r, carries);
          std::vector<Value> out;
          for (size_t i = 0; i < made.size(); ++i) out.push_back(as_flagged(in, made[i], r == 1 && flags[i]));
          return out;
        }));
      }
    } else {
      starts.push_back(had[0].value);
      for (size_t r = 0; r < op.regions().size(); ++r) {
        regions.push_back(b.make_region({}, [&](OpBuilder& in, std::span<const Value>) {
          const std::vector<LaneValue> made = part(in, r, {});
          std::vector<Value> out;
          for (size_t i = 0; i < made.size(); ++i) out.push_back(as_flagged(in, made[i], flags[i]));
          return out;
        }));
      }
    }
    const std::vector<Value> results = b.create(op.def(), starts, op.attrs(), {}, regions);
    std::vector<LaneValue> out;
    for (size_t i = 0; i < results.size(); ++i) out.push_back({results[i], flags[i]});
    return out;
  }
  [[noreturn]] static void refuse_apart(const OpView& op, bool is_loop) {
    const Function& f = op.function;
    const Value decides = is_loop ? f.operand(f.terminator(op.region(0)), 0) : op.operand(0);
    throw Unsupported(
        "[" + std::string(op.def().mnemonic) + "] lanes ask for all lanes in a " +
            (is_loop ? "loop that they leave apart: its condition " : "branch that they take apart: its index ") +
            made_by(f, decides) + " varies by lane; make it the same for all",
        op.loc());
  }

  Module& module_;
  int64_t lanes_;
  const VectorizeOptions& options_;
  Questions questions_;
};

}  // namespace

Function& vectorize_in_chunks(Module& module, const std::string& function, std::span<const int64_t> lane_axes,
                              int64_t lanes, const VectorizeOptions& options) {
  const Function& f = module.get(function);
  auto to = std::make_unique<Function>(options.name.empty() ? module.unique_name(function + "_lanes") : options.name);
  to->set_loc(f.loc());
  to->attrs() = f.attrs();
  set_derivative_rule(*to, {});
  OpBuilder b(*to, to->body(), &module);
  b.loc = f.loc();
  std::vector<Value> operands;
  std::vector<bool> varies;
  for (size_t i = 0; i < lane_axes.size(); ++i) {
    Type t = f.type(f.args()[i]);
    varies.push_back(lane_axes[i] != kUniform);
    if (!t.is_tensor()) refuse_type(function, t, f.loc());
    if (varies[i]) {
      std::vector<int64_t> shape(t.shape().begin(), t.shape().end()), bounds = bounds_of(t);
      shape.insert(shape.begin() + lane_axes[i], lanes);
      bounds.insert(bounds.begin() + lane_axes[i], kDynamic);
      t = t.with_shape(shape).with_bounds(bounds);
    }
    operands.push_back(to->add_arg(to->body(), t));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (lane_axes[i] <= 0) continue;
    std::vector<int64_t> order = {lane_axes[i]};
    for (int64_t d = 0; d < b.type(operands[i]).rank(); ++d) {
      if (d != lane_axes[i]) order.push_back(d);
    }
    operands[i] = b.transpose(operands[i], order);
  }

  // One lane as one function of its arguments and its number.
  std::unique_ptr<Function> one = call_of_ruled(module, f);
  if (!one) one = inline_calls(module, f);
  one->set_name(module.unique_name(function + "_lane"));
  one->set_public(false);
  std::string lane = module.add(std::move(one)).name();
  LaneNumbers numbers(module, options.level, lanes);
  const std::string numbered = numbers.of(lane);
  if (numbered == lane) {
    const Function& source = module.get(lane);
    auto more = std::make_unique<Function>(module.unique_name(lane));
    more->set_public(false);
    ValueMap map(source);
    for (Value v : source.args()) map.set(v, more->add_arg(more->body(), source.type(v)));
    more->add_arg(more->body(), Type::scalar(kIndex));
    clone_ops(source, source.body(), *more, more->body(), map, /*with_terminator=*/true);
    lane = module.add(std::move(more)).name();
  } else {
    lane = numbered;
  }

  std::vector<Value> results;
  for (const LaneValue& r : ChunkedLanes(module, lanes, options).write(b, lane, operands, varies))
    results.push_back(r.varies || !options.broadcast_results ? r.value : over_lanes(b, r.value, lanes));
  b.yield(results);
  numbers.forget();
  return install(module, std::move(to));
}

}  // namespace weft
