// Derivatives of Julia functions: the call's program, differentiated as IR.
#include <algorithm>
#include <array>

#include "ir/target.h"
#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/infer/compiled.h"
#include "julia/infer/reader.h"
#include "julia/infer/state.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"
#include "transform/gradient.h"
#include "transform/jacobian.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;
using How = Abstract::Kind;

bool is_float_leaf(weft::Type t) { return is_float(t.element_type()) || is_complex(t.element_type()); }

/// The program of a call and the leaves that it can be differentiated by.
struct Differentiable {
  TracedCall call;
  std::vector<size_t> by;        // positions among the leaves
  std::vector<size_t> place_of;  // of each leaf, its place in `by`; SIZE_MAX: none
  CompileCallOptions options;
};

[[noreturn]] void throw_not_compiled(const NotCompiled& e) {
  throw Unsupported("a derivative of a function that is not compiled: " + not_compiled_text(e));
}

Differentiable differentiable(Evaluator& e, const Value& f, Args arguments) {
  Differentiable out;
  // Integers are numbers to differentiate by, unless the function needs them as sizes or indices.
  for (const bool as_floats : {true, false}) {
    out.options.value_only = true;
    out.options.float_integers = as_floats;
    out.options.fixed_integers = !as_floats;
    try {
      out.call = trace_call(e, f, arguments, {}, out.options);
      break;
    } catch (const NotCompiled& why) {
      if (!as_floats || why.cause == Cause::kWidening) throw_not_compiled(why);
    }
  }
  out.place_of.assign(out.call.types.size(), SIZE_MAX);
  for (size_t i = 0; i < out.call.types.size(); ++i) {
    if (!is_float_leaf(out.call.types[i])) continue;
    out.place_of[i] = out.by.size();
    out.by.push_back(i);
  }
  return out;
}

/// Globals are read as they are.
Reader read_all(const Differentiable& d, const Value& f, Args arguments) {
  Reader reader;
  reader.fixed_integers = d.options.fixed_integers;
  reader.float_integers = d.options.float_integers;
  reader.read(f);
  for (const Value& v : arguments) reader.read(v);
  reader.fixed_integers = reader.float_integers = false;
  for (const Binding* g : d.call.globals) reader.read(g->value);
  return reader;
}

/// Runs an entry of the program; when one of its checks fails, the host's run of the call says why.
std::vector<Tensor> run(Evaluator& e, const Differentiable& d, const std::string& entry,
                        const std::vector<const void*>& in, const Value& f, Args arguments) {
  const std::unique_ptr<Executable> code = get_target(e.impl().compile_target).compile(d.call.program, entry, {});
  std::vector<Tensor> out;
  std::vector<void*> places;
  for (const weft::Type t : code->result_types()) {
    out.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    places.push_back(out.back().raw());
  }
  try {
    code->invoke(in.data(), places.data());
  } catch (const Unsupported&) { throw; } catch (const UserError&) {
    e.call(f, arguments);
    throw;
  }
  return out;
}

Value value_of_tensor(const Tensor& t, const DataType* type) {
  if (type != nullptr && number_kind(type)) return Value::from_bits(type, t.raw());
  return array_of_tensor(t);
}

/// What Zygote gives for an argument: a number, an array, a tuple, a named tuple of a struct's fields; nothing where there is nothing to
/// differentiate by.
Value gradient_of(const Differentiable& d, const Abstract& a, const std::vector<Tensor>& gradients, size_t first,
                  const std::vector<bool>& used) {
  const auto leaf = [&](IrValue v) -> const Tensor* {
    const size_t i = v.index - kPlaceholders;
    const size_t place = d.place_of[i];
    return place == SIZE_MAX || !used[i] ? nullptr : &gradients[first + place];
  };
  const auto of_fields = [&](const DataType* type, const std::vector<Abstract>& fields) {
    std::vector<Value> values;
    bool any = false;
    for (const Abstract& f : fields) {
      values.push_back(gradient_of(d, f, gradients, first, used));
      any = any || !values.back().is(core().nothing);
    }
    if (!any) return nothing();
    if (type->is_tuple) return make_tuple(std::move(values));
    return make_named_tuple(type->field_names(), std::move(values));
  };
  switch (a.kind) {
    case How::kScalar: {
      const Tensor* t = leaf(a.ir);
      return t == nullptr ? nothing() : value_of_tensor(*t, a.type);
    }
    case How::kFields: return of_fields(a.type, a.fields);
    case How::kObject: {
      const HeapObject& o = d.call.objects[a.object];
      if (!o.is_array) return of_fields(o.type, o.fields);
      const Tensor* t = leaf(o.leaves[0]);
      return t == nullptr ? nothing() : array_of_tensor(*t);
    }
    default: return nothing();
  }
}

/// Which leaves the program looks at.
std::vector<bool> used_leaves(const Function& f) {
  std::vector<bool> used(f.args().size(), false);
  std::vector<RegionId> regions = {f.body()};
  while (!regions.empty()) {
    const RegionId r = regions.back();
    regions.pop_back();
    for (const OpId op : f.ops(r)) {
      for (const weft::Value v : f.operands(op)) {
        if (!f.defining_op(v) && f.region(v) == f.body()) used[f.position(v)] = true;
      }
      for (const RegionId inner : f.regions(op)) regions.push_back(inner);
    }
  }
  return used;
}

/// The result must be one real number.
void check_scalar(const Differentiable& d) {
  const Abstract& v = d.call.results.values.front();
  const bool is_number = v.kind == How::kScalar && number_kind(v.type) && is_float(*number_kind(v.type));
  if (is_number) return;
  const bool is_complex_number = v.type != nullptr && v.type->name->name == Symbol("Complex");
  throw_error(is_complex_number
                  ? "Output is complex, so the gradient is not defined."
                  : "Output should be scalar; gradients are not defined for output of type " + type_text(v.type));
}

/// (value, gradients of the callee and of each argument)
std::pair<Value, std::vector<Value>> value_and_gradients(Evaluator& e, const Value& f, Args arguments) {
  Differentiable d = differentiable(e, f, arguments);
  const Abstract& v = d.call.results.values.front();
  const bool is_constant = v.is_constant() || d.by.empty();
  if (v.kind == How::kScalar && is_integer(*number_kind(v.type))) {
    // An integer does not change with what is differentiated by.
    return {e.call(f, arguments), std::vector<Value>(arguments.size() + 1, nothing())};
  }
  check_scalar(d);
  if (is_constant) return {e.call(f, arguments), std::vector<Value>(arguments.size() + 1, nothing())};
  const std::vector<bool> used = used_leaves(d.call.program->get(d.call.entry));
  weft::gradient(*d.call.program, d.call.entry, d.by, "gradient", true);
  const Reader reader = read_all(d, f, arguments);
  const std::vector<Tensor> out = run(e, d, "gradient", reader.bytes, f, arguments);
  std::vector<Value> gradients;
  for (size_t i = 0; i <= arguments.size(); ++i) gradients.push_back(gradient_of(d, d.call.arguments[i], out, 1, used));
  return {value_of_tensor(out[0], v.type), std::move(gradients)};
}

/// _gradient(f, arguments…): the value, then a gradient for each argument.
Value gradient_intrinsic(Evaluator& e, Args a) {
  auto [value, gradients] = value_and_gradients(e, a[0], a.subspan(1));
  std::vector<Value> out = {value};
  out.insert(out.end(), gradients.begin() + 1, gradients.end());
  return make_tuple(std::move(out));
}

/// _pullback_apply(f, cotangent, arguments…): a gradient for each argument.
Value pullback_intrinsic(Evaluator& e, Args a) {
  const Args arguments = a.subspan(2);
  Differentiable d = differentiable(e, a[0], arguments);
  if (d.by.empty()) return make_tuple(std::vector<Value>(arguments.size(), nothing()));
  const std::vector<bool> used = used_leaves(d.call.program->get(d.call.entry));
  vjp(*d.call.program, d.call.entry, d.by, "pullback");
  const Reader reader = read_all(d, a[0], arguments);
  std::vector<const void*> in = reader.bytes;
  // The cotangent has the structure of the result: its numbers and arrays in order, nothing where there is none.
  std::deque<Tensor> cotangents;
  std::vector<const Value*> flat;
  std::deque<Value> kept;
  const std::function<void(const Value&)> flatten = [&](const Value& v) {
    if (number_kind(v) || is_array(v) || v.is(core().nothing)) {
      kept.push_back(v);
      flat.push_back(&kept.back());
      return;
    }
    for (size_t i = 0; i < field_count(v); ++i) flatten(get_field(v, i));
  };
  flatten(a[1]);
  size_t next = 0;
  for (const weft::Type t : d.call.results.types) {
    if (!is_float_leaf(t)) continue;
    Tensor c = Tensor::zeros(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    const Value* given = next < flat.size() ? flat[next] : nullptr;
    ++next;
    if (given == nullptr) throw_argument_error("the cotangent has fewer parts than the result");
    if (is_array(*given)) {
      const Tensor from = tensor_of(
          array_of(e.convert(array_type(julia_type(t.element_type()), static_cast<int64_t>(t.rank())), *given)));
      if (from.shape() != c.shape()) throw_dimension_mismatch("the cotangent has another size than the result");
      c = from;
    } else if (number_kind(*given)) {
      const Value x = e.convert(julia_type(t.element_type()), *given);
      const size_t n = byte_size(t.element_type());
      for (int64_t i = 0; i < c.size(); ++i)
        std::memcpy(static_cast<std::byte*>(c.raw()) + static_cast<size_t>(i) * n, x.bits(), n);
    }
    cotangents.push_back(std::move(c));
    in.push_back(cotangents.back().raw());
  }
  const std::vector<Tensor> out = run(e, d, "pullback", in, a[0], arguments);
  std::vector<Value> gradients;
  for (size_t i = 1; i <= arguments.size(); ++i) gradients.push_back(gradient_of(d, d.call.arguments[i], out, 0, used));
  return make_tuple(std::move(gradients));
}

/// The leaf that an argument is; SIZE_MAX when it is none, or no floating-point one.
size_t leaf_of(const Differentiable& d, const Abstract& a) {
  IrValue v;
  if (a.kind == How::kScalar) v = a.ir;
  else if (a.kind == How::kObject && d.call.objects[a.object].is_array) v = d.call.objects[a.object].leaves[0];
  else return SIZE_MAX;
  return d.place_of[v.index - kPlaceholders];
}

/// A matrix with a row for each element of the result and a column for each of the argument, from IR's result extents before the argument's.
Value matrix_of(const Tensor& t, int64_t rows, int64_t columns) {
  const DataType* element = julia_type(t.element_type());
  const Value out = make_array(element, {rows, columns});
  const size_t n = byte_size(t.element_type());
  auto* to = array_of(out).data();
  const auto* from = static_cast<const std::byte*>(t.raw());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      std::memcpy(to + static_cast<size_t>(c * rows + r) * n, from + static_cast<size_t>(r * columns + c) * n, n);
  }
  return out;
}

/// _jacobian(f, arguments…): a matrix for each argument; nothing for one that is no number or array of them.
Value jacobian_intrinsic(Evaluator& e, Args a) {
  const Args arguments = a.subspan(1);
  Differentiable d = differentiable(e, a[0], arguments);
  if (d.call.results.types.size() != 1 || !is_float_leaf(d.call.results.types[0]))
    throw_error("jacobian expected a function that returns an array of real numbers, or one number");
  const std::vector<bool> used = used_leaves(d.call.program->get(d.call.entry));
  weft::jacobian(*d.call.program, d.call.entry, d.by, "jacobian");
  const Reader reader = read_all(d, a[0], arguments);
  const std::vector<Tensor> out = run(e, d, "jacobian", reader.bytes, a[0], arguments);
  std::vector<Value> matrices;
  for (size_t i = 1; i <= arguments.size(); ++i) {
    const size_t place = leaf_of(d, d.call.arguments[i]);
    if (place == SIZE_MAX || !used[d.by[place]]) {
      matrices.push_back(nothing());
      continue;
    }
    matrices.push_back(
        matrix_of(out[place], d.call.results.types[0].num_elements(), d.call.types[d.by[place]].num_elements()));
  }
  return make_tuple(std::move(matrices));
}

/// _hessian(f, x): a matrix, or a number for a number.
Value hessian_intrinsic(Evaluator& e, Args a) {
  const Args arguments = a.subspan(1);
  Differentiable d = differentiable(e, a[0], arguments);
  check_scalar(d);
  const size_t place = leaf_of(d, d.call.arguments[1]);
  if (place == SIZE_MAX) throw_error("hessian expected a number or an array of real numbers");
  const size_t by[] = {d.by[place]};
  weft::hessian(*d.call.program, d.call.entry, by, "hessian");
  const Reader reader = read_all(d, a[0], arguments);
  const std::vector<Tensor> out = run(e, d, "hessian", reader.bytes, a[0], arguments);
  const int64_t n = d.call.types[d.by[place]].num_elements();
  if (d.call.arguments[1].kind == How::kScalar) return value_of_tensor(out[0], d.call.arguments[1].type);
  return matrix_of(out[0], n, n);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_gradient", gradient_intrinsic, 2, -1},
    {"_pullback_apply", pullback_intrinsic, 3, -1},
    {"_jacobian", jacobian_intrinsic, 2, -1},
    {"_hessian", hessian_intrinsic, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> derivative_intrinsics() { return kEntries; }

}  // namespace weft::julia
