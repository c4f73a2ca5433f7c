#include "transform/lane_chunks.h"

#include <algorithm>
#include <optional>

#include "ir/clone.h"
#include "ops/builder.h"
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

/// One round of what lanes ask of all lanes: the ops that need no other such answer first.
struct Round {
  std::vector<OpId> ops;
  std::vector<bool> waits;  // by value: it needs an answer
};

class Questions {
 public:
  Questions(Module& module, std::string level) : module_(module), level_(std::move(level)) {}

  Round round(const Function& f) {
    Round out;
    out.waits.assign(f.num_values(), false);
    LaneCrossings crossings(module_, level_);
    for (OpId id : f.ops(f.body())) {
      const OpView op{f, id};
      const bool is_question = lane_use(op.def()) == LaneUse::kAll && is_of_level(op, level_);
      if (!is_question && crossings.crosses(op)) refuse_call(op);
      for (RegionId r : op.regions()) {
        if (const auto inner = crossings.first(f, r)) refuse(*inner, op);
      }
      bool waits = false;
      for (Value v : op.operands()) waits = waits || out.waits[v.index];
      for (RegionId r : op.regions()) {
        for (Value v : captures(f, r)) waits = waits || out.waits[v.index];
      }
      if (is_question && !waits) out.ops.push_back(id);
      for (size_t i = 0; i < op.num_results(); ++i) out.waits[op.result(i).index] = waits || is_question;
    }
    return out;
  }

  /// A function of f's arguments that returns the operands of the ops.
  std::string asked(const Function& f, const Round& round) {
    auto out = std::make_unique<Function>(module_.unique_name(f.name() + "_asks"));
    out->set_loc(f.loc());
    out->set_public(false);
    ValueMap map(f);
    for (Value v : f.args()) map.set(v, out->add_arg(out->body(), f.type(v)));
    std::vector<Value> results;
    for (OpId id : f.ops(f.body())) {
      const OpView op{f, id};
      if (op.def().is_terminator) break;
      if (std::ranges::find(round.ops, id) != round.ops.end()) {
        for (size_t i = 0; i < op.num_results(); ++i) results.push_back(map.at(op.operand(i)));
        continue;
      }
      bool is_known = true;
      for (Value v : op.operands()) is_known = is_known && map.get(v);
      for (RegionId r : op.regions()) {
        for (Value v : captures(f, r)) is_known = is_known && map.get(v);
      }
      // Effects are those of the last round.
      const Effects effects = record(op).effects;
      if (!is_known || effects == Effects::kIo || effects == Effects::kCheck) continue;
      clone_op(f, id, *out, out->body(), map);
    }
    OpBuilder(*out, out->body(), &module_).yield(results);
    return module_.add(eliminate_dead_code(*out, &module_)).name();
  }

  /// f with one more argument for each result of the ops, in front of the last one.
  std::string answered(const Function& f, const Round& round) {
    auto out = std::make_unique<Function>(module_.unique_name(f.name() + "_told"));
    out->set_loc(f.loc());
    out->set_public(false);
    ValueMap map(f);
    const auto args = f.args();
    for (size_t i = 0; i + 1 < args.size(); ++i) map.set(args[i], out->add_arg(out->body(), f.type(args[i])));
    for (OpId id : round.ops) {
      for (size_t i = 0; i < f.num_results(id); ++i)
        map.set(f.result(id, i), out->add_arg(out->body(), f.type(f.result(id, i))));
    }
    map.set(args.back(), out->add_arg(out->body(), f.type(args.back())));
    for (OpId id : f.ops(f.body())) {
      if (std::ranges::find(round.ops, id) == round.ops.end()) clone_op(f, id, *out, out->body(), map);
    }
    return module_.add(std::move(out)).name();
  }

 private:
  [[noreturn]] static void refuse_call(const OpView& op) {
    throw Unsupported("[" + std::string(op.def().mnemonic) +
                          "] lanes in chunks: what it calls asks for all lanes and calls itself; run all lanes at once",
                      op.loc());
  }
  [[noreturn]] static void refuse(const OpView& inner, const OpView& outer) {
    throw Unsupported("[" + std::string(inner.def().mnemonic) + "] lanes in chunks: it stands in " +
                          std::string(outer.def().mnemonic) +
                          ", each turn of which would need all chunks; run all lanes at once",
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
  const std::string numbered = LaneNumbers(module, options.level, lanes).of(lane);
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

  Chunks chunks(module, lanes, options);
  Questions questions(module, options.level);
  for (;;) {
    const Function& source = module.get(lane);
    const Round round = questions.round(source);
    if (round.ops.empty()) break;
    std::vector<Join> joins;
    for (OpId id : round.ops) {
      const OpView op{source, id};
      for (size_t i = 0; i < op.num_results(); ++i) {
        Join join{{}, op.operand_type(i), {}};
        if (!op.regions().empty()) {
          const BodyKind kind = op.num_results() == 1 ? classify_body(source, op.region(0)) : BodyKind::kOther;
          join.body = body_mnemonic(kind);
          const OpId start = source.defining_op(op.operand(1));
          const bool is_constant = start && source.operands(start).empty();
          if (join.body.empty() || !is_constant || op.result_type() != op.operand_type(0)) {
            throw Unsupported(
                "[weft.lanes_reduce] lanes in chunks: parts are joined for sums, products, extremes and bits of "
                "constant "
                "start value and one type; weft.lanes_concat followed by reduce does for any other",
                op.loc());
          }
          ValueMap map(source);
          join.start = to->result(clone_op(source, start, *to, to->body(), map));
        }
        joins.push_back(join);
      }
    }
    const std::string asked = questions.asked(source, round);
    const std::vector<Value> answers = chunks.write(b, asked, operands, varies, joins);
    lane = questions.answered(source, round);
    operands.insert(operands.end(), answers.begin(), answers.end());
    varies.insert(varies.end(), answers.size(), false);
  }
  std::vector<Join> rows;
  for (const Type& t : module.get(lane).result_types()) {
    if (!t.is_tensor()) refuse_type(function, t, f.loc());
    rows.push_back({{}, t, {}});
  }
  b.yield(chunks.write(b, lane, operands, varies, rows));
  return install(module, std::move(to));
}

}  // namespace weft
