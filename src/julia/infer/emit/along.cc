// Reductions and running reductions along dimensions by functions that IR has no op for: element after element.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/elements_of.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

Abstract first_of(Compiler& c, const Abstract& f, const Abstract& op, const Abstract& x) {
  return c.call_base("mapreduce_first", {f, op, x});
}

/// What is written in a region that nobody runs, to see its type.
Abstract tried(Compiler& c, const std::function<Abstract()>& body) {
  const std::vector<HeapObject> objects = c.heap().objects;
  const bool was_dead = c.activation()->is_dead;
  Abstract out;
  {
    const Compiler::Region scratch(c, {});
    out = body();
  }
  c.heap().objects = objects;
  c.activation()->is_dead = was_dead;
  if (!out.is_defined()) c.fail(Cause::kWidening, "a reduction gives values of two types");
  return out;
}

/// A flat array of results that are written one by one, in the shape `dims` at the end.
Abstract in_shape(Compiler& c, const Abstract& flat, const Type* element, const std::vector<int64_t>& dims) {
  std::vector<IrValue> leaves = c.object(flat).leaves;
  for (IrValue& v : leaves) v = c.b().reshape(v, reversed(dims));
  return c.new_array(array_type(element, static_cast<int64_t>(dims.size())), dims, std::move(leaves));
}

/// The linear position in an array of the k-th of the positions along some dimensions only.
IrValue offset_along(Compiler& c, IrValue k, const std::vector<int64_t>& dims, const std::vector<bool>& chosen) {
  IrValue left = k, out = c.int_constant(0);
  int64_t stride = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (chosen[d] && dims[d] > 1) {
      const IrValue i = op2(c, "stablehlo.remainder", left, int_like(c, left, dims[d]));
      left = op2(c, "stablehlo.divide", left, int_like(c, left, dims[d]));
      out = op2(c, "stablehlo.add", out, op2(c, "stablehlo.multiply", i, int_like(c, i, stride)));
    }
    stride *= dims[d];
  }
  return out;
}

}  // namespace

Abstract reduce_along(Compiler& c, const Abstract& f, const Abstract& op, const Abstract& container,
                      const std::vector<int64_t>& region, const Abstract& init) {
  const Abstract array =
      array_argument(c, is_array_object(c, container) ? container : c.call_base("collect", {container}));
  const HeapObject o = c.object(array);
  std::vector<bool> reduced(o.dims.size(), false), others(o.dims.size(), true);
  std::vector<int64_t> kept = o.dims;
  int64_t each = 1;
  for (const int64_t d : region) {
    if (d < 1) c.fail(Cause::kUnsupported, "a reduction along dimension " + std::to_string(d));
    const auto at = static_cast<size_t>(d - 1);
    if (at >= o.dims.size() || reduced[at]) continue;
    reduced[at] = true;
    others[at] = false;
    each *= o.dims[at];
    kept[at] = 1;
  }
  const int64_t n = num_elements(kept);
  const auto x_at = [&](IrValue i) { return element_at(c, array, i); };
  const IrValue zero = c.int_constant(0), one = c.int_constant(1);
  const auto start = [&](IrValue base) {
    if (init.is_defined()) return init;
    return first_of(c, f, op, x_at(base));
  };
  const auto next = [&](const Abstract& v, IrValue i) { return c.call(op, {v, c.call(f, {x_at(i)})}); };
  if (each == 0 && !init.is_defined()) {
    // What an empty reduction is, by the type of an element.
    const std::string name = op.type->name->function ? op.type->name->function.text() : "";
    const Abstract like = tried(c, [&] { return start(zero); });
    const char* neutral = name == "+" || name == "add_sum"    ? "zero"
                          : name == "*" || name == "mul_prod" ? "one"
                                                              : nullptr;
    Abstract v;
    if (neutral != nullptr) v = c.call_base(neutral, {Abstract::of_constant(Value::of_type(like.type))});
    else if (name == "|" || name == "&") v = Abstract::of_constant(boolean(name == "&"));
    if (n > 0 && !v.is_defined()) {
      c.throws(
          "ArgumentError: reducing over an empty collection is not allowed; consider supplying `init` to the reducer");
      return Abstract::nothing();
    }
    return make_filled(c, v.is_defined() ? v.type : like.type, kept, v.is_defined() ? &v : nullptr);
  }
  Abstract like = tried(c, [&] { return start(zero); });
  const Abstract after = tried(c, [&] { return next(like, zero); });
  if (each > (init.is_defined() ? 0 : 1) && after.type != like.type) {
    if (!number_kind(after.type) || !number_kind(like.type))
      c.fail(Cause::kWidening,
             "a reduction that starts as " + type_text(like.type) + " and goes on as " + type_text(after.type));
    like = after;
  }
  const Type* type = like.type;
  const Abstract made = make_filled(c, type, {n}, nullptr);
  c.fold(zero, c.int_constant(n), Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    const IrValue base = offset_along(c, k, o.dims, others);
    const Abstract v = c.fold(init.is_defined() ? zero : one, c.int_constant(each), c.convert(type, start(base)),
                              [&](IrValue q, const Abstract& before) {
                                const IrValue i = op2(c, "stablehlo.add", base, offset_along(c, q, o.dims, reduced));
                                return next(before, i);
                              });
    c.put_element(made, k, v);
    return none;
  });
  return in_shape(c, made, type, kept);
}

Abstract accumulate_along(Compiler& c, const Abstract& op, const Abstract& array, int64_t along, const Abstract& init) {
  const HeapObject o = c.object(array);
  if (along < 1) {
    c.throws("ArgumentError: dims must be ≥ 1, got " + std::to_string(along));
    return Abstract::nothing();
  }
  const auto axis = static_cast<size_t>(along - 1);
  const int64_t n = length_of(o), extent = axis < o.dims.size() ? o.dims[axis] : 1;
  int64_t stride = 1;
  for (size_t d = 0; d < std::min(axis, o.dims.size()); ++d) stride *= o.dims[d];
  const Abstract identity = Abstract::of_constant(c.evaluator().base_function("identity"));
  const auto first = [&](const Abstract& x) {
    return init.is_defined() ? c.call(op, {init, x}) : first_of(c, identity, op, x);
  };
  const IrValue zero = c.int_constant(0);
  const Abstract like = tried(c, [&] { return first(element_at(c, array, zero)); });
  if (n == 0) return make_filled(c, like.type, o.dims, nullptr);
  const Abstract made = make_filled(c, like.type, {n}, nullptr);
  c.fold(zero, c.int_constant(n), Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    const Abstract x = element_at(c, array, k);
    const auto next = [&] {
      const Abstract v = c.call(op, {element_at(c, made, op2(c, "stablehlo.subtract", k, int_like(c, k, stride))), x});
      if (v.type != like.type)
        c.fail(Cause::kWidening,
               "a running reduction that starts as " + type_text(like.type) + " and goes on as " + type_text(v.type));
      return v;
    };
    if (extent == 1) {
      c.put_element(made, k, first(x));
      return none;
    }
    const IrValue line = op2(c, "stablehlo.divide", k, int_like(c, k, stride));
    const IrValue place = op2(c, "stablehlo.remainder", line, int_like(c, line, extent));
    const Abstract v = c.choose(compare2(c, place, int_like(c, place, 0), "EQ"), [&] { return first(x); }, next);
    if (!v.is_defined()) c.fail(Cause::kWidening, "a running reduction gives values of two types");
    c.put_element(made, k, v);
    return none;
  });
  return in_shape(c, made, like.type, o.dims);
}

}  // namespace weft::julia
