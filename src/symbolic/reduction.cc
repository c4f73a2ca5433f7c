// Reductions and what is made of them.
#include <array>

#include "base/format.h"
#include "symbolic/elementwise.h"

namespace weft {

using namespace symbolic;

namespace {

using Values = std::vector<Value>;
using Ints = std::vector<int64_t>;

Expr reduce(std::string_view op, std::string_view body, const Operand& a, const Ints& axes, bool keep) {
  const Expr& x = tensor_operand(op, a);
  const Loc loc = to_loc(a.loc());
  const Ints dims = normalize_axes(op, loc, axes, x.rank());
  Shape kept = x.shape();
  for (int64_t d : dims) kept[static_cast<size_t>(d)] = 1;
  const std::string name(body);
  return make_op(loc, {x}, [=](OpBuilder& b, std::span<const Value> v) {
    const Value r = dims.empty() ? v[0] : b.reduce(v[0], dims, name);
    return Values{keep ? b.reshape(r, kept) : r};
  });
}

/// Truth values are counted, as NumPy does.
Operand countable(std::string_view op, const Operand& a, ElementType counted_as) {
  const ElementType t = tensor_operand(op, a).element_type();
  return is_boolean(t) ? Operand(cast(a, counted_as), a.loc()) : a;
}

void expect_nonempty(std::string_view op, const Operand& a, const Ints& axes) {
  const Expr& x = tensor_operand(op, a);
  for (int64_t d : normalize_axes(op, to_loc(a.loc()), axes, x.rank())) {
    if (x.dim(d) == 0)
      fail(op, to_loc(a.loc()),
           "there is nothing to choose from: got " + describe(x) + ", expected extents of 1 or more");
  }
}

/// The maximum for shifting exponents: finite, and no path of derivatives, since the shift cancels.
Expr exponent_shift(std::string_view op, const Operand& a, int64_t axis) {
  const Expr m = stop_gradient(Operand(reduce(op, "stablehlo.maximum", a, {axis}, true), a.loc()));
  return where(Operand(is_finite(Operand(m, a.loc())), a.loc()), Operand(m, a.loc()), Operand(0, a.loc()));
}

int64_t float_axis(std::string_view op, const Operand& a, int64_t axis) {
  const Expr& x = tensor_operand(op, a);
  if (!is_float(x.element_type()))
    fail(op, to_loc(a.loc()), "element type: got " + describe(x) + ", expected a floating-point type");
  return normalize_axis(op, to_loc(a.loc()), axis, x.rank());
}

}  // namespace

Expr sum(Operand a, std::vector<int64_t> axes, bool keep) {
  return reduce("sum", "stablehlo.add", countable("sum", a, ElementType::kI32), axes, keep);
}
Expr prod(Operand a, std::vector<int64_t> axes, bool keep) {
  return reduce("prod", "stablehlo.multiply", countable("prod", a, ElementType::kI32), axes, keep);
}
Expr max(Operand a, std::vector<int64_t> axes, bool keep) { return reduce("max", "stablehlo.maximum", a, axes, keep); }
Expr min(Operand a, std::vector<int64_t> axes, bool keep) { return reduce("min", "stablehlo.minimum", a, axes, keep); }

Expr mean(Operand a, std::vector<int64_t> axes, bool keep) {
  const Expr& x = tensor_operand("mean", a);
  double count = 1;
  for (int64_t d : normalize_axes("mean", to_loc(a.loc()), axes, x.rank())) count *= static_cast<double>(x.dim(d));
  const Operand numbers =
      is_float(x.element_type()) || is_complex(x.element_type()) ? a : Operand(cast(a, ElementType::kF32), a.loc());
  const Expr total = reduce("mean", "stablehlo.add", numbers, axes, keep);
  return Operand(total, a.loc()) / Operand(count, a.loc());
}

Expr variance(Operand a, std::vector<int64_t> axes, bool keep) {
  const Expr deviation = a - Operand(mean(a, axes, true), a.loc());
  return mean(Operand(square(Operand(deviation, a.loc())), a.loc()), axes, keep);
}

Expr all(Operand a, std::vector<int64_t> axes, bool keep) { return reduce("all", "stablehlo.and", a, axes, keep); }
Expr any(Operand a, std::vector<int64_t> axes, bool keep) { return reduce("any", "stablehlo.or", a, axes, keep); }

Expr argmax(Operand a, int64_t axis) {
  const Expr& x = tensor_operand("argmax", a);
  const Loc loc = to_loc(a.loc());
  const int64_t d = normalize_axis("argmax", loc, axis, x.rank());
  expect_nonempty("argmax", a, {d});
  return make_op(loc, {x}, [d](OpBuilder& b, std::span<const Value> v) {
    const Type t = b.type(v[0]), positions = t.with_element(ElementType::kI32);
    Ints kept;
    for (int64_t k = 0; k < t.rank(); ++k) {
      if (k != d) kept.push_back(k);
    }
    const Value best = b.broadcast_in_dim(b.reduce(v[0], Ints{d}, "stablehlo.maximum"), kept, t.shape());
    // NaN is the maximum of its row, and the only element that differs from itself.
    const Value hit = b.logical_or(b.compare(v[0], best, "EQ"), b.compare(v[0], v[0], "NE"));
    const Value position = b.select(hit, b.iota(positions, d), b.splat(positions, static_cast<double>(t.dim(d))));
    return Values{b.reduce(position, Ints{d}, "stablehlo.minimum")};
  });
}

Expr logsumexp(Operand a, int64_t axis, bool keep) {
  const int64_t d = float_axis("logsumexp", a, axis);
  const auto at = [&](const Expr& e) { return Operand(e, a.loc()); };
  const Expr shift = exponent_shift("logsumexp", a, d);
  const Expr total = log(at(sum(at(exp(at(a - at(shift)))), {d}, true)));
  const Expr out = at(total) + at(shift);
  return keep ? out : reduce("logsumexp", "stablehlo.add", at(out), {d}, false);
}

Expr softmax(Operand a, int64_t axis) {
  const int64_t d = float_axis("softmax", a, axis);
  const auto at = [&](const Expr& e) { return Operand(e, a.loc()); };
  const Expr e = exp(at(a - at(exponent_shift("softmax", a, d))));
  return at(e) / at(sum(at(e), {d}, true));
}

Expr log_softmax(Operand a, int64_t axis) {
  const int64_t d = float_axis("log_softmax", a, axis);
  const auto at = [&](const Expr& e) { return Operand(e, a.loc()); };
  const Expr shifted = a - at(exponent_shift("log_softmax", a, d));
  return at(shifted) - at(log(at(sum(at(exp(at(shifted))), {d}, true))));
}

Expr softmax_cross_entropy(Operand logits, Operand labels) {
  const Expr& x = tensor_operand("softmax_cross_entropy", logits);
  const Expr& l = tensor_operand("softmax_cross_entropy", labels);
  const Loc loc = to_loc(logits.loc());
  if (x.rank() != 2 || !is_float(x.element_type())) {
    fail("softmax_cross_entropy", loc, "logits: got " + describe(x) + ", expected floating-point [n, classes]");
  }
  if (l.rank() != 1 || !is_integer(l.element_type()) || l.dim(0) != x.dim(0)) {
    fail("softmax_cross_entropy", to_loc(labels.loc()),
         "labels: got " + describe(l) + ", expected integers of shape " + format_list(Ints{x.dim(0)}));
  }
  const auto at = [&](const Expr& e) { return Operand(e, logits.loc()); };
  // A select and not a product: a logit of -inf beside the label must not make NaN.
  const Expr hit = one_hot(labels, x.dim(1), ElementType::kI1);
  const Expr picked = where(at(hit), at(log_softmax(logits, 1)), Operand(0, logits.loc()));
  return -(at(sum(at(picked))) / Operand(static_cast<double>(x.dim(0)), logits.loc()));
}

}  // namespace weft
