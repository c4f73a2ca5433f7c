#include "transform/loop_lanes.h"

#include <algorithm>
#include <map>

#include "ops/control_flow/region_flow.h"
#include "ops/record.h"
#include "transform/counted_loop.h"
#include "transform/loop_rewriter.h"
#include "transform/vectorize.h"
#include "weft/error.h"

namespace weft {
namespace {

constexpr int64_t kFewestLanes = 16;

class MapSpreader : public LoopRewriter {
 public:
  explicit MapSpreader(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const auto loop = counted_loop(from(), op);
    if (!loop || loop->trips < kFewestLanes) return false;
    const Function& f = from();
    const RegionId body = f.regions(op)[1];
    std::vector<OpId> writes(f.num_results(op));  // by carry
    for (size_t i = 0; i < writes.size(); ++i) {
      if (i == loop->counter) continue;
      writes[i] = row_write(op, *loop, i);
      if (!writes[i]) return false;
    }
    if (writes.size() < 2 || !is_small(body, writes, loop->trips)) return false;

    // One iteration as a function of the counter, slices by it, and what stays the same.
    Module module;
    auto one = std::make_unique<Function>("iteration");
    ValueMap values(f);
    std::vector<int64_t> axes;
    std::vector<Value> arguments;
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    const auto argument = [&](Value inside, Value given, int64_t axis) {
      values.set(inside, one->add_arg(one->body(), f.type(inside)));
      arguments.push_back(given);
      axes.push_back(axis);
    };
    const ElementType index = f.type(f.args(body)[loop->counter]).element_type();
    const Type all = Type::tensor(index, std::vector<int64_t>{loop->trips});
    Value counters = b.iota(all, 0);
    if (loop->step != 1) counters = b.multiply(counters, b.splat(all, static_cast<double>(loop->step)));
    if (loop->start != 0) counters = b.add(counters, b.splat(all, static_cast<double>(loop->start)));
    argument(f.args(body)[loop->counter], counters, 0);
    for (Value v : captures(f, body)) argument(v, map().at(v), kUniform);
    for (OpId inner : f.ops(body)) {
      if (f.def(inner).is_terminator || std::ranges::find(writes, inner) != writes.end()) continue;
      const auto slice = f.num_results(inner) == 1 ? slice_by_iteration(f, op, *loop, f.result(inner)) : std::nullopt;
      if (slice && slice->order.factor == 1) {
        argument(f.result(inner), map().at(slice->whole), slice->axis);
      } else {
        clone_op(f, inner, *one, one->body(), values);
      }
    }
    std::vector<Value> rows;
    for (OpId write : writes) {
      if (write) rows.push_back(values.at(f.operand(write, 1)));
    }
    OpBuilder(*one, one->body()).yield(rows);
    module.add(std::move(one));
    const Function* lanes = nullptr;
    try {
      lanes = &vectorize(module, "iteration", axes, loop->trips, {.name = "iterations"});
    } catch (const Unsupported&) { return false; }
    ValueMap given(*lanes);
    for (size_t i = 0; i < arguments.size(); ++i) given.set(lanes->args()[i], arguments[i]);
    const std::vector<Value> results = clone_ops(*lanes, lanes->body(), to(), region, given);
    size_t next = 0;
    for (size_t i = 0; i < writes.size(); ++i) {
      const Value old = f.result(op, i);
      map().set(old, writes[i] ? b.reshape(results[next++], f.type(old).shape())
                               : b.scalar(index, static_cast<double>(loop->start + loop->step * loop->trips)));
    }
    return true;
  }

 private:
  /// The op by which iteration t writes row t of carry i, if that is all that happens to the carry and every row is written.
  OpId row_write(OpId op, const CountedLoop& loop, size_t carry) const {
    const Function& f = from();
    const RegionId body = f.regions(op)[1];
    const Value before = f.args(body)[carry], after = f.operand(f.terminator(body), carry);
    const OpId write = f.defining_op(after);
    if (!write || f.parent(write) != body || f.def(write).mnemonic != "stablehlo.dynamic_update_slice") return {};
    if (f.operand(write, 0) != before || uses(before) != 1 || uses(after) != 1 ||
        uses(f.args(f.regions(op)[0])[carry]) != 0)
      return {};
    const Type whole = f.type(before), row = f.type(f.operand(write, 1));
    if (!whole.is_static() || whole.dim(0) != loop.trips || row.dim(0) != 1) return {};
    for (int64_t d = 1; d < whole.rank(); ++d) {
      if (row.dim(d) != whole.dim(d)) return {};
    }
    const auto order = affine_in_iteration(f, op, loop, f.operand(write, 2));
    return order && order->factor == 1 && order->offset == 0 ? write : OpId{};
  }

  /// Values of the body that all iterations may have at once.
  bool is_small(RegionId body, const std::vector<OpId>& writes, int64_t trips) const {
    constexpr int64_t kMostElements = 64, kMostBytes = int64_t{1} << 30;
    const Function& f = from();
    int64_t bytes = 0;
    for (OpId op : f.ops(body)) {
      if (f.def(op).is_terminator || std::ranges::find(writes, op) != writes.end()) continue;
      if (!is_quiet(op)) return false;
      for (Value r : f.results(op)) {
        if (!f.type(r).is_tensor() || !f.type(r).is_static() || f.type(r).num_elements() > kMostElements) return false;
        bytes += static_cast<int64_t>(f.type(r).num_bytes());
      }
    }
    return bytes <= kMostBytes / trips;
  }
  bool is_quiet(OpId op) const {
    const OpView v{from(), op};
    const Effects effects = record(v).effects;
    if ((effects != Effects::kPure && effects != Effects::kRegions) || callee(v) != nullptr) return false;
    for (RegionId r : v.regions()) {
      for (OpId inner : from().ops(r)) {
        if (!from().def(inner).is_terminator && !is_quiet(inner)) return false;
      }
    }
    return true;
  }
};

class LaneFreer : public LoopRewriter {
 public:
  explicit LaneFreer(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const Function& f = from();
    if (f.def(op).mnemonic != "stablehlo.while" || f.num_results(op) == 0) return false;
    const RegionId cond = f.regions(op)[0], body = f.regions(op)[1];
    const Type shape = f.type(f.result(op));
    if (!shape.is_tensor() || !shape.is_static() || shape.rank() == 0 || shape.num_elements() < kFewestLanes)
      return false;
    for (size_t i = 0; i < f.num_results(op); ++i) {
      if (!is_lane_type(f.type(f.result(op, i)), shape)) return false;
    }
    const Value wants = any_operand(cond, shape);
    if (!wants || !is_scalar_code(cond, shape, f.defining_op(f.operand(f.terminator(cond), 0))) ||
        !is_scalar_code(body, shape, {}))
      return false;
    // Each carry is chosen by what the condition asks of its lane.
    std::map<Value, Value> same;
    for (size_t i = 0; i < f.num_results(op); ++i) {
      const OpId choice = f.defining_op(f.operand(f.terminator(body), i));
      if (!choice || f.parent(choice) != body || f.def(choice).mnemonic != "stablehlo.select" ||
          f.operand(choice, 2) != f.args(body)[i] || !is_same(wants, f.operand(choice, 0), cond, body, same))
        return false;
    }
    write(op, region, shape, wants);
    return true;
  }

 private:
  static bool is_lane_type(Type t, Type shape) {
    if (!t.is_tensor() || !t.is_static() || t.is_quantized() || !std::ranges::equal(t.shape(), shape.shape()))
      return false;
    const ElementType e = t.element_type();
    return is_boolean(e) || (is_integer(e) && bit_width(e) >= 8) || e == ElementType::kF32 || e == ElementType::kF64 ||
           e == ElementType::kF16 || e == ElementType::kBF16;
  }

  /// x when the region's result is whether any element of x holds.
  Value any_operand(RegionId cond, Type shape) const {
    const Function& f = from();
    const OpId reduce = f.defining_op(f.operand(f.terminator(cond), 0));
    if (!reduce || f.parent(reduce) != cond || f.def(reduce).mnemonic != "stablehlo.reduce" ||
        f.num_results(reduce) != 1 || static_cast<int64_t>(f.attrs(reduce).ints("dimensions").size()) != shape.rank())
      return {};
    const RegionId r = f.regions(reduce)[0];
    if (f.ops(r).size() != 2 || f.def(f.ops(r)[0]).mnemonic != "stablehlo.or" ||
        f.operand(f.terminator(r), 0) != f.result(f.ops(r)[0]))
      return {};
    const auto splat = splat_bits(f.operand(reduce, 1));
    return splat && *splat == 0 ? f.operand(reduce, 0) : Value{};
  }

  std::optional<uint8_t> splat_bits(Value v) const {
    const OpId op = from().defining_op(v);
    if (!op || from().def(op).mnemonic != "stablehlo.constant") return std::nullopt;
    return static_cast<uint8_t>(*from().attrs(op).literal("value").element(0));
  }

  bool is_splat(OpId op) const {
    if (from().def(op).mnemonic != "stablehlo.constant") return false;
    const Literal& literal = from().attrs(op).literal("value");
    return literal.splat || literal.type.num_elements() == 1;
  }
  bool is_spread(OpId op) const {
    return from().def(op).mnemonic == "stablehlo.broadcast_in_dim" && from().type(from().operand(op, 0)).rank() == 0;
  }

  /// Ops on whole tensors that do the same to each element; `but`: one that is not looked at.
  bool is_scalar_code(RegionId region, Type shape, OpId but) const {
    const Function& f = from();
    for (OpId op : f.ops(region)) {
      if (f.def(op).is_terminator || op == but) continue;
      const OpView v{f, op};
      if (v.num_results() != 1 || !v.regions().empty()) return false;
      if (v.result_type().rank() == 0 && is_splat(op)) continue;
      if (!is_lane_type(v.result_type(), shape)) return false;
      if (is_splat(op)) continue;
      if (is_spread(op)) {
        // Of a number from outside, or of a constant.
        const OpId source = f.defining_op(v.operand(0));
        if (is_outside(v.operand(0), region) || (source && is_splat(source))) continue;
        return false;
      }
      if (record(v).scalar.refused() || record(v).effects != Effects::kPure) return false;
      for (size_t i = 0; i < v.num_operands(); ++i) {
        if (!is_lane_type(v.operand_type(i), shape)) return false;
      }
    }
    return true;
  }

  /// Whether a value of the condition and one of the body are the same function of the carries.
  bool is_same(Value a, Value b, RegionId cond, RegionId body, std::map<Value, Value>& known) const {
    const Function& f = from();
    if (const auto it = known.find(a); it != known.end() && it->second == b) return true;
    const bool a_outside = is_outside(a, cond), b_outside = is_outside(b, body);
    const OpId x = f.defining_op(a), y = f.defining_op(b);
    const bool is_constant = x && y && is_splat(x) && is_splat(y);
    if (a_outside && b_outside && !is_constant) return a == b;
    if (!x || !y) return !x && !y && !a_outside && !b_outside && f.position(a) == f.position(b);
    if (&f.def(x) != &f.def(y) || f.type(a) != f.type(b) || !(f.attrs(x) == f.attrs(y)) ||
        f.operands(x).size() != f.operands(y).size())
      return false;
    for (size_t i = 0; i < f.operands(x).size(); ++i) {
      if (!is_same(f.operand(x, i), f.operand(y, i), cond, body, known)) return false;
    }
    known[a] = b;
    return true;
  }

  void write(OpId op, RegionId region, Type shape, Value wants) {
    const Function& f = from();
    const size_t carries = f.num_results(op);
    OpBuilder b(to(), region);
    b.loc = f.loc(op);
    std::vector<Value> operands, outside;
    std::vector<int64_t> varies;
    for (Value v : f.operands(op)) {
      operands.push_back(map().at(v));
      varies.push_back(1);
    }
    for (RegionId r : f.regions(op)) {
      for (Value v : captures(f, r)) {
        const OpId source = f.defining_op(v);
        if ((source && is_splat(source)) || std::ranges::find(outside, v) != outside.end()) continue;
        outside.push_back(v);
        operands.push_back(map().at(v));
        varies.push_back(f.type(v).rank() == 0 ? 0 : 1);
      }
    }
    std::vector<RegionId> regions;
    for (size_t r = 0; r < 2; ++r) {
      const RegionId source = f.regions(op)[r], made = to().new_region();
      ValueMap values(f);
      for (Value v : f.args(source)) values.set(v, to().add_arg(made, scalar_of(f.type(v))));
      for (Value v : outside) values.set(v, to().add_arg(made, scalar_of(f.type(v))));
      OpBuilder c(to(), made);
      c.loc = b.loc;
      const auto value = [&](Value v) {
        if (const Value known = values.get(v)) return known;
        const Literal& literal = f.attrs(f.defining_op(v)).literal("value");  // a splat from outside
        values.set(v, constant_of(c, literal));
        return values.at(v);
      };
      for (OpId inner : f.ops(source)) {
        if (f.def(inner).is_terminator || (r == 0 && inner == f.defining_op(f.operand(f.terminator(source), 0))))
          continue;
        const Value result = f.result(inner);
        if (is_splat(inner)) {
          values.set(result, constant_of(c, f.attrs(inner).literal("value")));
        } else if (is_spread(inner)) {
          values.set(result, value(f.operand(inner, 0)));
        } else {
          std::vector<Value> args;
          for (Value v : f.operands(inner)) args.push_back(value(v));
          const Type types[] = {scalar_of(f.type(result))};
          values.set(result, c.create(f.def(inner), args, f.attrs(inner), types)[0]);
        }
      }
      std::vector<Value> results;
      if (r == 0) {
        results.push_back(value(wants));
      } else {
        for (Value v : f.operands(f.terminator(source))) results.push_back(value(f.operand(f.defining_op(v), 1)));
      }
      c.yield(results);
      regions.push_back(made);
    }
    const std::vector<Value> results = b.create("weft.lane_while", operands,
                                                {{"lanes", Attr::Ints(shape.shape().begin(), shape.shape().end())},
                                                 {"num_carries", static_cast<int64_t>(carries)},
                                                 {"varies", varies}},
                                                {}, regions);
    for (size_t i = 0; i < carries; ++i) map().set(f.result(op, i), results[i]);
  }

  static Type scalar_of(Type t) { return Type::scalar(t.element_type()); }
  static Value constant_of(OpBuilder& b, const Literal& literal) {
    Tensor one(literal.type.element_type(), {});
    std::copy_n(literal.element(0), one.size_bytes(), static_cast<std::byte*>(one.raw()));
    return b.constant(Literal::dense(one));
  }
};

}  // namespace

std::unique_ptr<Function> spread_maps(const Function& f) { return MapSpreader(f).run(); }
std::unique_ptr<Function> free_lanes(const Function& f) { return LaneFreer(f).run(); }

}  // namespace weft
