#include "transform/unit_seed.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/families.h"
#include "ops/reduction/region_body.h"
#include "transform/dead_code.h"

namespace weft {
namespace {

/// factor · (the unit vector with its one at `place`, counted in row-major order).
struct Unit {
  Value place;
  Value factor;  // scalar; missing: 1
};

class UnitWriter {
 public:
  UnitWriter(const Module& module, const Function& f, size_t seed, const std::string& name)
      : f_(f), seed_(f.args()[seed]), out_(name), map_(f), b_(out_, out_.body(), &module) {
    out_.set_loc(f.loc());
    out_.set_public(false);
    const Type t = f.type(seed_);
    place_type_ = t.num_elements() < (int64_t{1} << 31) ? ElementType::kI32 : ElementType::kI64;
    for (Value v : f.args()) {
      const Value arg = out_.add_arg(out_.body(), v == seed_ ? Type::scalar(place_type_) : f.type(v));
      if (v == seed_) units_[v] = {arg, {}};
      else map_.set(v, arg);
    }
  }

  std::unique_ptr<Function> write(const Module& module) {
    for (OpId op : f_.ops(f_.body())) {
      if (f_.def(op).is_terminator) break;
      b_.loc = f_.loc(op);
      if (!push(op)) copy(op);
    }
    std::vector<Value> results;
    for (Value v : f_.operands(f_.terminator(f_.body()))) results.push_back(plain(v));
    b_.yield(results);
    return eliminate_dead_code(out_, &module);
  }

 private:
  bool is_unit(Value v) const { return units_.contains(v); }

  void copy(OpId op) {
    for (Value v : f_.operands(op)) plain(v);
    for (RegionId r : f_.regions(op)) {
      for (Value v : captures(f_, r)) plain(v);
    }
    clone_op(f_, op, out_, out_.body(), map_);
  }

  /// The elements of a unit vector, made where the first op needs them.
  Value plain(Value v) {
    const auto it = units_.find(v);
    if (it == units_.end() || map_.get(v)) return map_.at(v);
    const Type t = f_.type(v);
    const Value is_it = is_at(t.shape(), places(it->second.place, t.shape()), all_axes(t.rank()), t.shape());
    Value out = b_.convert(is_it, t.element_type());
    if (it->second.factor) out = b_.select(is_it, b_.broadcast_scalar(it->second.factor, t.shape()), b_.zeros(t));
    map_.set(v, out);
    return out;
  }

  static std::vector<int64_t> all_axes(int64_t rank) {
    std::vector<int64_t> out;
    for (int64_t d = 0; d < rank; ++d) out.push_back(d);
    return out;
  }

  // ---- places ----

  Value number(int64_t n) { return b_.scalar(place_type_, static_cast<double>(n)); }

  const std::vector<Value>& places(Value place, std::span<const int64_t> shape) {
    std::vector<Value>& out = places_[{place.index, {shape.begin(), shape.end()}}];
    if (!out.empty()) return out;
    out.resize(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
      if (shape[d] == 1) {
        out[d] = number(0);
        continue;
      }
      const bool is_rest =
          std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d), [](int64_t n) { return n == 1; });
      out[d] = is_rest ? place : b_.make("stablehlo.remainder", {place, number(shape[d])});
      if (!is_rest) place = b_.divide(place, number(shape[d]));
    }
    return out;
  }

  Value place_of(std::span<const Value> coordinates, std::span<const int64_t> shape) {
    Value out = number(0);
    for (size_t d = 0; d < shape.size(); ++d) out = b_.add(b_.multiply(out, number(shape[d])), coordinates[d]);
    // Where it is again what it was taken apart from, the parts are known.
    places_.try_emplace({out.index, {shape.begin(), shape.end()}}, coordinates.begin(), coordinates.end());
    return out;
  }

  /// One comparison for all that ask for the same.
  Value is_at(std::span<const int64_t> shape, std::span<const Value> coordinates, const std::vector<int64_t>& axes,
              std::span<const int64_t> extents) {
    std::vector<uint32_t> key;
    for (Value v : coordinates) key.push_back(v.index);
    Value& out = masks_[{{shape.begin(), shape.end()}, axes, key}];
    if (!out) out = compare_places(shape, coordinates, axes, extents);
    return out;
  }

  /// [shape], true where the coordinates along `axes` are these; `extents` of those axes. One comparison of places.
  Value compare_places(std::span<const int64_t> shape, std::span<const Value> coordinates,
                       const std::vector<int64_t>& axes, std::span<const int64_t> extents) {
    const Type t = Type::tensor(place_type_, shape);
    Value here = b_.zeros(t), there = number(0);
    for (size_t i = 0; i < axes.size(); ++i) {
      if (extents[i] == 1) continue;
      here = b_.add(b_.multiply(here, b_.splat(t, static_cast<double>(extents[i]))), b_.iota(t, axes[i]));
      there = b_.add(b_.multiply(there, number(extents[i])), coordinates[i]);
    }
    return b_.compare(here, b_.broadcast_scalar(there, shape), "EQ");
  }

  /// The element of v at the unit's place.
  Value element(Value v, const Unit& u) {
    const Value x = map_.at(v);
    const Type t = b_.type(x);
    const std::vector<int64_t> ones(static_cast<size_t>(t.rank()), 1);
    return b_.reshape(b_.dynamic_slice(x, places(u.place, t.shape()), ones), std::vector<int64_t>{});
  }

  // ---- ops ----

  /// Writes what the op makes of a unit vector; false: it needs the elements.
  bool push(OpId op) {
    const auto operands = f_.operands(op);
    if (f_.num_results(op) != 1) return false;
    if (f_.def(op).mnemonic == "stablehlo.reduce") return add_up(op);
    if (!f_.regions(op).empty()) return false;
    const Value result = f_.result(op);
    if (!f_.type(result).is_tensor() || std::ranges::none_of(operands, [&](Value v) { return is_unit(v); }))
      return false;
    const std::string_view name = f_.def(op).mnemonic;
    if (name == "stablehlo.dot_general") return contract(op);
    const Value v = operands[0];
    if (operands.size() == 1) {
      const Unit& u = units_.at(v);
      const Type from = f_.type(v), to = f_.type(result);
      if (name == "stablehlo.reshape") return set(result, u);
      if (name == "stablehlo.convert" && is_float(to.element_type()))
        return set(result, {u.place, u.factor ? b_.convert(u.factor, to.element_type()) : Value{}});
      if (name == "stablehlo.negate") return set(result, {u.place, b_.negate(factor(u, from))});
      if (name == "stablehlo.transpose") {
        const std::vector<Value> at = places(u.place, from.shape());
        std::vector<Value> moved;
        for (int64_t d : f_.attrs(op).ints("permutation")) moved.push_back(at[static_cast<size_t>(d)]);
        return set(result, {place_of(moved, to.shape()), u.factor});
      }
      return false;
    }
    if (operands.size() == 2 && is_unit(operands[0]) != is_unit(operands[1])) {
      const size_t which = is_unit(operands[0]) ? 0 : 1;
      const Unit& u = units_.at(operands[which]);
      const bool is_product = name == "stablehlo.multiply", is_quotient = name == "stablehlo.divide" && which == 0;
      if (!is_product && !is_quotient) return false;
      const Value by = element(operands[1 - which], u);
      if (is_quotient) return set(result, {u.place, b_.divide(factor(u, f_.type(v)), by)});
      return set(result, {u.place, u.factor ? b_.multiply(u.factor, by) : by});
    }
    return false;
  }

  bool is_zero_constant(OpId op) const {
    if (f_.def(op).mnemonic != "stablehlo.constant") return false;
    const Literal& literal = f_.attrs(op).literal("value");
    if (!literal.splat && literal.type.num_elements() != 1) return false;
    const std::byte* bytes = literal.element(0);
    return std::all_of(bytes, bytes + byte_size(literal.type.element_type()),
                       [](std::byte b) { return b == std::byte{0}; });
  }

  bool set(Value v, Unit u) {
    if (f_.type(v).rank() == 0) map_.set(v, factor(u, f_.type(v)));
    else units_[v] = u;
    return true;
  }
  Value factor(const Unit& u, Type t) { return u.factor ? u.factor : b_.scalar(t.element_type(), 1); }

  /// A sum of a unit vector along some axes is one along the others.
  bool add_up(OpId op) {
    if (f_.operands(op).size() != 2 || !is_unit(f_.operand(op, 0)) ||
        classify_body(f_, f_.regions(op)[0]) != BodyKind::kAdd ||
        f_.type(f_.result(op)).element_type() != f_.type(f_.operand(op, 0)).element_type())
      return false;
    const OpId start = f_.defining_op(f_.operand(op, 1));
    if (!start || !is_zero_constant(start)) return false;
    const Type from = f_.type(f_.operand(op, 0)), to = f_.type(f_.result(op));
    const Unit& u = units_.at(f_.operand(op, 0));
    const std::vector<Value> at = places(u.place, from.shape());
    const auto& summed = f_.attrs(op).ints("dimensions");
    std::vector<Value> kept;
    for (int64_t d = 0; d < from.rank(); ++d) {
      if (std::ranges::count(summed, d) == 0) kept.push_back(at[static_cast<size_t>(d)]);
    }
    return set(f_.result(op), {place_of(kept, to.shape()), u.factor});
  }

  bool contract(OpId op) {
    const auto operands = f_.operands(op);
    const Attrs& attrs = f_.attrs(op);
    if (is_unit(operands[0]) == is_unit(operands[1]) || !attrs.ints("lhs_batching_dimensions").empty() ||
        attrs.has("lhs_precision_type"))
      return false;
    const size_t which = is_unit(operands[0]) ? 0 : 1;
    const Value v = operands[which], other = operands[1 - which], result = f_.result(op);
    const Type unit = f_.type(v), matrix = f_.type(other), t = f_.type(result);
    if (!matrix.is_static() || unit.element_type() != t.element_type() || matrix.element_type() != t.element_type())
      return false;
    const auto& along = attrs.ints(which == 0 ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions");
    const auto& in_other = attrs.ints(which == 0 ? "rhs_contracting_dimensions" : "lhs_contracting_dimensions");
    const Unit& u = units_.at(v);
    const std::vector<Value> at = places(u.place, unit.shape());

    std::vector<Value> starts(static_cast<size_t>(matrix.rank()), number(0));
    std::vector<int64_t> sizes(matrix.shape().begin(), matrix.shape().end()), row_shape;
    for (size_t i = 0; i < along.size(); ++i) {
      starts[static_cast<size_t>(in_other[i])] = at[static_cast<size_t>(along[i])];
      sizes[static_cast<size_t>(in_other[i])] = 1;
    }
    for (int64_t d = 0; d < matrix.rank(); ++d) {
      if (std::ranges::count(in_other, d) == 0) row_shape.push_back(matrix.dim(d));
    }
    Value row = b_.reshape(b_.dynamic_slice(map_.at(other), starts, sizes), row_shape);
    if (u.factor) row = b_.multiply(row, b_.broadcast_scalar(u.factor, row_shape));

    std::vector<Value> free_at;
    std::vector<int64_t> free_axes, free_extents, row_axes;
    const auto rows = static_cast<int64_t>(row_shape.size());
    for (int64_t d = 0; d < unit.rank(); ++d) {
      if (std::ranges::count(along, d) != 0) continue;
      free_axes.push_back((which == 0 ? 0 : rows) + static_cast<int64_t>(free_axes.size()));
      free_at.push_back(at[static_cast<size_t>(d)]);
      free_extents.push_back(unit.dim(d));
    }
    for (int64_t d = 0; d < rows; ++d)
      row_axes.push_back((which == 0 ? static_cast<int64_t>(free_axes.size()) : 0) + d);
    if (!free_axes.empty()) {
      row = b_.select(is_at(t.shape(), free_at, free_axes, free_extents), b_.broadcast_in_dim(row, row_axes, t.shape()),
                      b_.zeros(t));
    }
    map_.set(result, row);
    return true;
  }

  const Function& f_;
  Value seed_;
  Function out_;
  ValueMap map_;
  OpBuilder b_;
  ElementType place_type_ = ElementType::kI32;
  std::map<Value, Unit> units_;
  std::map<std::pair<uint32_t, std::vector<int64_t>>, std::vector<Value>> places_;  // by place and shape
  std::map<std::tuple<std::vector<int64_t>, std::vector<int64_t>, std::vector<uint32_t>>, Value> masks_;
};

}  // namespace

std::string of_unit_seed(Module& module, const std::string& name, size_t seed) {
  const std::string made = module.unique_name(name + "_of_place");
  return module.add(UnitWriter(module, module.get(name), seed, made).write(module)).name();
}

}  // namespace weft
