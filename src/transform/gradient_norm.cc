#include "transform/gradient_norm.h"

#include <algorithm>
#include <numeric>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/families.h"
#include "transform/callees.h"
#include "transform/dead_code.h"
#include "transform/gradient.h"
#include "transform/inline.h"
#include "transform/install.h"

namespace weft {
namespace {

std::vector<int64_t> all_axes(Type t) {
  std::vector<int64_t> out(static_cast<size_t>(t.rank()));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Value sum_of_squares(OpBuilder& b, Value x) {
  if (!is_complex(b.type(x).element_type())) return b.reduce(b.multiply(x, x), all_axes(b.type(x)), "stablehlo.add");
  const Value re = b.make("stablehlo.real", {x}), im = b.make("stablehlo.imag", {x});
  return b.add(sum_of_squares(b, re), sum_of_squares(b, im));
}

/// A side of a product as a matrix [terms, rest].
struct Side {
  Value matrix;
  int64_t rest = 1;
};
Side side(OpBuilder& b, Value x, const std::vector<int64_t>& contracting) {
  const Type t = b.type(x);
  std::vector<int64_t> order = contracting;
  int64_t terms = 1, rest = 1;
  for (int64_t d : contracting) terms *= t.dim(d);
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (std::ranges::count(contracting, d) != 0) continue;
    order.push_back(d);
    rest *= t.dim(d);
  }
  return {b.reshape(b.transpose(x, order), std::vector<int64_t>{terms, rest}), rest};
}

class Norms {
 public:
  Norms(const Function& f, const ValueMap& map) : f_(f), map_(map) {}

  /// Of a value of the source, written from the copies of what it is made of.
  Value write(OpBuilder& b, Value v) const {
    const OpId dot = product(v);
    return dot ? of_product(b, dot) : sum_of_squares(b, map_.at(v));
  }

 private:
  /// The product of which v is an arrangement; none where forming it is cheaper.
  OpId product(Value v) const {
    OpId op = f_.defining_op(v);
    while (op && (f_.def(op).mnemonic == "stablehlo.transpose" || f_.def(op).mnemonic == "stablehlo.reshape"))
      op = f_.defining_op(f_.operand(op, 0));
    if (!op || f_.def(op).mnemonic != "stablehlo.dot_general" || f_.attrs(op).has("lhs_precision_type")) return {};
    const ElementType e = f_.type(f_.result(op)).element_type();
    const Attrs& attrs = f_.attrs(op);
    if (!is_float(e) || !attrs.ints("lhs_batching_dimensions").empty()) return {};
    int64_t terms = 1;
    for (size_t i = 0; i < 2; ++i) {
      const Type t = f_.type(f_.operand(op, i));
      if (!t.is_static() || t.element_type() != e) return {};
    }
    const Type lhs = f_.type(f_.operand(op, 0));
    for (int64_t d : attrs.ints("lhs_contracting_dimensions")) terms *= lhs.dim(d);
    if (terms == 0) return {};
    const int64_t rows = lhs.num_elements() / terms, columns = f_.type(f_.operand(op, 1)).num_elements() / terms;
    return terms * (rows + columns + terms) <= rows * columns ? op : OpId{};
  }

  Value of_product(OpBuilder& b, OpId dot) const {
    const Side lhs = side(b, map_.at(f_.operand(dot, 0)), f_.attrs(dot).ints("lhs_contracting_dimensions")),
               rhs = side(b, map_.at(f_.operand(dot, 1)), f_.attrs(dot).ints("rhs_contracting_dimensions"));
    if (b.type(lhs.matrix).dim(0) == 1) return b.multiply(sum_of_squares(b, lhs.matrix), sum_of_squares(b, rhs.matrix));
    const DotDims rows_by_rows{{}, {}, {1}, {1}};
    const Value both = b.multiply(b.dot_general(lhs.matrix, lhs.matrix, rows_by_rows),
                                  b.dot_general(rhs.matrix, rhs.matrix, rows_by_rows));
    const Value sum = b.reduce(both, std::vector<int64_t>{0, 1}, "stablehlo.add");
    return b.maximum(sum, b.zeros(b.type(sum)));  // rounding may leave a zero length a little below zero
  }

  const Function& f_;
  const ValueMap& map_;
};

}  // namespace

Function& squared_gradient_norm(Module& module, const std::string& name, std::span<const size_t> args,
                                const std::string& as) {
  const std::string made = module.unique_name(name + "_gradient");
  gradient(module, name, args, made).set_public(false);
  const std::unique_ptr<Function> g = inline_calls(
      module, module.get(made), [](const Function& callee, bool) { return derivative_rule(callee).exists(); });
  const Type loss = defined_function(module, name).result_types()[0];
  Function out(as);
  out.set_loc(g->loc());
  ValueMap map(*g);
  for (Value v : g->args()) map.set(v, out.add_arg(out.body(), g->type(v)));
  clone_ops(*g, g->body(), out, out.body(), map);
  OpBuilder b(out, out.body(), &module);
  b.loc = g->loc();
  const Norms norms(*g, map);
  Value total = b.zeros(loss);
  for (Value v : g->operands(g->terminator(g->body())))
    total = b.add(total, b.convert(norms.write(b, v), loss.element_type()));
  b.yield(std::vector<Value>{total});
  return install(module, eliminate_dead_code(out, &module));
}

}  // namespace weft
