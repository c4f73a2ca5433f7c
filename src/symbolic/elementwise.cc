// Elementwise operations.
#include "symbolic/elementwise.h"

#include <array>
#include <cmath>

#include "base/format.h"
#include "ops/record.h"

namespace weft {
namespace symbolic {

Shape broadcast_shapes(std::string_view op, const Loc& loc, const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      fail(op, loc,
           "shapes do not broadcast: got " + format_list(a) + " and " + format_list(b) +
               ", expected extents that are equal or 1, counted from the last axis");
    }
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Value broadcast_value(OpBuilder& b, Value v, std::span<const int64_t> shape) {
  const Type t = b.type(v);
  if (std::ranges::equal(t.shape(), shape)) return v;
  // broadcast_in_dim stretches extents of 1 itself.
  std::vector<int64_t> dimensions;
  for (int64_t i = 0; i < t.rank(); ++i) dimensions.push_back(static_cast<int64_t>(shape.size()) - t.rank() + i);
  return b.broadcast_in_dim(v, dimensions, shape);
}

ElementType common_type(std::string_view op, std::span<const Operand> operands) {
  const Operand* typed = nullptr;
  bool all_integral = true;
  for (const Operand& o : operands) {
    if (o.is_number()) {
      all_integral = all_integral && o.is_integral();
      continue;
    }
    const ElementType t = tensor_operand(op, o).element_type();
    if (typed == nullptr) {
      typed = &o;
    } else if (t != typed->expr().element_type()) {
      fail(op, to_loc(o.loc()),
           "the operands differ in element type: got " + std::string(name(typed->expr().element_type())) + " and " +
               std::string(name(t)) + ", expected one type (use cast)");
    }
  }
  if (typed == nullptr) return all_integral ? ElementType::kI32 : ElementType::kF32;
  return typed->expr().element_type();
}

Expr broadcasting(std::string_view op, std::span<const Operand> operands, std::span<const ElementType> types,
                  Combine combine) {
  const Loc loc = to_loc(operands[0].loc());
  Shape shape;
  std::vector<Expr> inputs;
  std::vector<double> numbers;
  std::vector<bool> is_number;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& o = operands[i];
    is_number.push_back(o.is_number());
    numbers.push_back(o.number());
    if (!o.is_number()) {
      inputs.push_back(tensor_operand(op, o));
      shape = broadcast_shapes(op, loc, shape, o.expr().shape());
    } else if (!is_float(types[i]) && !is_complex(types[i]) && o.number() != std::floor(o.number())) {
      fail(op, to_loc(o.loc()),
           "a fraction meets integers: got " + format_float(o.number()) + " with " + std::string(name(types[i])) +
               ", expected a whole number (use cast on the other operand)");
    }
  }
  const std::vector<ElementType> number_types(types.begin(), types.end());
  return make_op(loc, std::move(inputs), [=](OpBuilder& b, std::span<const Value> values) {
    std::vector<Value> full;
    size_t next = 0;
    for (size_t i = 0; i < is_number.size(); ++i) {
      full.push_back(is_number[i] ? b.splat(Type::tensor(number_types[i], shape), numbers[i])
                                  : broadcast_value(b, values[next++], shape));
    }
    return std::vector<Value>{combine(b, full)};
  });
}

Expr unary(std::string_view op, std::string_view mnemonic, const Operand& a) {
  const Expr x = to_expr(op, a, ElementType::kF32);
  const std::string name(mnemonic);
  return make_op(to_loc(a.loc()), {x},
                 [name](OpBuilder& b, std::span<const Value> v) { return std::vector<Value>{b.make(name, {v[0]})}; });
}

namespace {

Expr binary(std::string_view op, std::string_view mnemonic, const Operand& a, const Operand& b) {
  const std::array operands = {a, b};
  const ElementType t = common_type(op, operands);
  const std::string name(mnemonic);
  return broadcasting(op, operands, std::array{t, t},
                      [name](OpBuilder& build, std::span<const Value> v) { return build.make(name, {v[0], v[1]}); });
}

Expr comparison(std::string_view op, const char* direction, const Operand& a, const Operand& b) {
  const std::array operands = {a, b};
  const ElementType t = common_type(op, operands);
  return broadcasting(op, operands, std::array{t, t}, [direction](OpBuilder& build, std::span<const Value> v) {
    return build.compare(v[0], v[1], direction);
  });
}

/// Numbers are true when they are not 0.
Expr logical(std::string_view op, std::string_view mnemonic, const Operand& a, const Operand& b) {
  for (const Operand* o : {&a, &b}) {
    if (!o->is_number() && tensor_operand(op, *o).element_type() != ElementType::kI1) {
      fail(op, to_loc(o->loc()),
           "the operand is not boolean: got " + describe(o->expr()) + ", expected element type i1 (compare first)");
    }
  }
  return binary(op, mnemonic, a, b);
}

}  // namespace
}  // namespace symbolic

using namespace symbolic;

Expr operator+(Operand a, Operand b) { return binary("add", "stablehlo.add", a, b); }
Expr operator-(Operand a, Operand b) { return binary("subtract", "stablehlo.subtract", a, b); }
Expr operator*(Operand a, Operand b) { return binary("multiply", "stablehlo.multiply", a, b); }
Expr operator/(Operand a, Operand b) { return binary("divide", "stablehlo.divide", a, b); }
Expr operator-(const Expr& a) {
  type_of(a);
  return make_op(a.node()->loc, {a},
                 [](OpBuilder& b, std::span<const Value> v) { return std::vector<Value>{b.negate(v[0])}; });
}
Expr operator<(Operand a, Operand b) { return comparison("less", "LT", a, b); }
Expr operator<=(Operand a, Operand b) { return comparison("less_equal", "LE", a, b); }
Expr operator>(Operand a, Operand b) { return comparison("greater", "GT", a, b); }
Expr operator>=(Operand a, Operand b) { return comparison("greater_equal", "GE", a, b); }
Expr equal(Operand a, Operand b) { return comparison("equal", "EQ", a, b); }
Expr not_equal(Operand a, Operand b) { return comparison("not_equal", "NE", a, b); }
Expr operator&&(Operand a, Operand b) { return logical("and", "stablehlo.and", a, b); }
Expr operator||(Operand a, Operand b) { return logical("or", "stablehlo.or", a, b); }
Expr operator!(const Expr& a) {
  if (type_of(a).element_type() != ElementType::kI1) {
    fail("not", a.node()->loc,
         "the operand is not boolean: got " + describe(a) + ", expected element type i1 (compare first)");
  }
  return make_op(a.node()->loc, {a},
                 [](OpBuilder& b, std::span<const Value> v) { return std::vector<Value>{b.logical_not(v[0])}; });
}

namespace {

/// The mnemonic behind a name of `elementwise`, which must be an elementwise op without attributes of its own.
std::string elementwise_mnemonic(std::string_view op, const Loc& loc) {
  const std::string name = op.find('.') == std::string_view::npos ? "stablehlo." + std::string(op) : std::string(op);
  const OpRecord* found = find_op(name);
  if (found == nullptr)
    fail("elementwise", loc,
         "there is no such op: got \"" + std::string(op) + "\", expected a name of the StableHLO specification");
  if (found->scalar.refused() || found->schema.begin() != found->schema.end()) {
    fail("elementwise", loc,
         "the op does not apply to single elements by name alone: got \"" + std::string(op) +
             "\", expected an op such as tanh");
  }
  return name;
}

}  // namespace

Expr elementwise(std::string_view op, Operand a) { return unary(op, elementwise_mnemonic(op, to_loc(a.loc())), a); }
Expr elementwise(std::string_view op, Operand a, Operand b) {
  return binary(op, elementwise_mnemonic(op, to_loc(a.loc())), a, b);
}

Expr abs(Operand a) { return unary("abs", "stablehlo.abs", a); }
Expr exp(Operand a) { return unary("exp", "stablehlo.exponential", a); }
Expr expm1(Operand a) { return unary("expm1", "stablehlo.exponential_minus_one", a); }
Expr log(Operand a) { return unary("log", "stablehlo.log", a); }
Expr log1p(Operand a) { return unary("log1p", "stablehlo.log_plus_one", a); }
Expr sqrt(Operand a) { return unary("sqrt", "stablehlo.sqrt", a); }
Expr rsqrt(Operand a) { return unary("rsqrt", "stablehlo.rsqrt", a); }
Expr tanh(Operand a) { return unary("tanh", "stablehlo.tanh", a); }
Expr sin(Operand a) { return unary("sin", "stablehlo.sine", a); }
Expr cos(Operand a) { return unary("cos", "stablehlo.cosine", a); }
Expr erf(Operand a) { return unary("erf", "chlo.erf", a); }
Expr sign(Operand a) { return unary("sign", "stablehlo.sign", a); }
Expr floor(Operand a) { return unary("floor", "stablehlo.floor", a); }
Expr ceil(Operand a) { return unary("ceil", "stablehlo.ceil", a); }
Expr round(Operand a) { return unary("round", "stablehlo.round_nearest_even", a); }
Expr is_finite(Operand a) { return unary("is_finite", "stablehlo.is_finite", a); }
Expr stop_gradient(Operand a) { return unary("stop_gradient", "weft.stop_gradient", a); }
Expr sigmoid(Operand a) { return unary("sigmoid", "stablehlo.logistic", a); }

Expr cbrt(Operand a) { return elementwise("cbrt", a); }

Expr square(Operand a) {
  const Expr x = to_expr("square", a);
  return make_op(to_loc(a.loc()), {x},
                 [](OpBuilder& b, std::span<const Value> v) { return std::vector<Value>{b.multiply(v[0], v[0])}; });
}

Expr relu(Operand a) { return binary("relu", "stablehlo.maximum", a, Operand(0, a.loc())); }
Expr pow(Operand a, Operand b) { return binary("pow", "stablehlo.power", a, b); }
Expr maximum(Operand a, Operand b) { return binary("maximum", "stablehlo.maximum", a, b); }
Expr minimum(Operand a, Operand b) { return binary("minimum", "stablehlo.minimum", a, b); }
Expr remainder(Operand a, Operand b) { return binary("remainder", "stablehlo.remainder", a, b); }
Expr atan2(Operand y, Operand x) { return binary("atan2", "stablehlo.atan2", y, x); }
Expr clamp(Operand a, Operand low, Operand high) { return minimum(Operand(maximum(a, low), a.loc()), high); }

Expr where(Operand pred, Operand a, Operand b) {
  if (!pred.is_number() && tensor_operand("where", pred).element_type() != ElementType::kI1) {
    fail("where", to_loc(pred.loc()),
         "the predicate is not boolean: got " + describe(pred.expr()) + ", expected element type i1 (compare first)");
  }
  const ElementType t = common_type("where", std::array{a, b});
  return broadcasting("where", std::array{pred, a, b}, std::array{ElementType::kI1, t, t},
                      [](OpBuilder& build, std::span<const Value> v) { return build.select(v[0], v[1], v[2]); });
}

Expr cast(Operand a, ElementType type) {
  Expr x = to_expr("cast", a, a.is_number() ? std::optional(type) : std::nullopt);
  if (x.element_type() == type) return x;
  return make_op(to_loc(a.loc()), {x},
                 [type](OpBuilder& b, std::span<const Value> v) { return std::vector<Value>{b.convert(v[0], type)}; });
}

}  // namespace weft
