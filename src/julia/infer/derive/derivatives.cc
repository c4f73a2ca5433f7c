// Derivatives of Julia functions: the call's program, differentiated as IR.
#include <algorithm>
#include <unordered_set>

#include "ir/target.h"
#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/infer/border/call_cache.h"
#include "julia/infer/border/compile_intrinsics.h"
#include "julia/infer/border/printing.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/border/rebuilt.h"
#include "julia/infer/derive/compiled_gradients.h"
#include "julia/infer/derive/differentiable.h"
#include "julia/infer/derive/host_derivatives.h"
#include "julia/infer/derive/lanes.h"
#include "julia/infer/kept.h"
#include "julia/infer/maybe.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/infer/wide.h"
#include "julia/run/impl.h"
#include "julia/run/written.h"
#include "julia/types/type_show.h"
#include "transform/gradient.h"
#include "transform/jacobian.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;
using How = Abstract::Kind;

/// A derivative of a call, compiled: it serves all calls that call_key does not tell apart.
struct Derivative {
  TracedCall call;
  std::vector<Binding*> globals;
  CompileCallOptions options;
  std::vector<size_t> by;            // positions among the leaves
  std::vector<size_t> place_of;      // of each leaf, its place in `by`; SIZE_MAX: none
  std::vector<bool> used;            // leaves that the program looks at
  std::unique_ptr<Executable> code;  // null: there is nothing to differentiate by
};

enum class What : uint8_t { kGradient, kGradientOfFirst, kPullback, kJacobian, kHessian };

struct Derivatives {
  CallCache<Derivative> made;
  std::unordered_set<CallKey, HashCallKey> with_integers;  // calls whose functions need integers as they are
};

/// Puts the derivative into the program: its entry, or none where there is nothing to differentiate by. Throws Julia's exception for a result
/// that has none of this kind.
std::string differentiate(Derivative& d, What what);

std::unique_ptr<Derivative> make_derivative(Evaluator& e, const Value& f, Args arguments,
                                            const CompileCallOptions& options, What what) {
  auto d = std::make_unique<Derivative>();
  d->options = options;
  d->call = trace_call(e, f, arguments, {}, options);
  d->globals = d->call.globals;
  d->place_of.assign(d->call.types.size(), SIZE_MAX);
  for (size_t i = 0; i < d->call.types.size(); ++i) {
    if (!has_derivatives(d->call.types[i])) continue;
    d->place_of[i] = d->by.size();
    d->by.push_back(i);
  }
  std::vector<size_t> explicit_leaves;
  for (size_t i = d->call.first_argument_leaf; i < d->call.end_of_argument_leaves; ++i) explicit_leaves.push_back(i);
  const bool is_of_first = what == What::kGradientOfFirst;
  d->used = used_arguments(d->call.program->get(d->call.entry), explicit_leaves, is_of_first ? 1 : SIZE_MAX);
  const std::string entry = differentiate(*d, what);
  if (!entry.empty()) d->code = get_target(e.impl().compile_target).compile(d->call.program, entry, {});
  return d;
}

/// Throws NotCompiled: the host is to differentiate.
const Derivative& derivative_of(Evaluator& e, const Value& f, Args arguments, What what) {
  Evaluator::Impl& impl = e.impl();
  auto& known = kept_with<Derivatives>(e);
  known.made.renew(impl.generation);
  // Integers are numbers to differentiate by, unless the function needs them as sizes or indices; first it may be those that it captures.
  enum class Integers : uint8_t { kFloats, kFloatsButCaptures, kConstants };
  for (const Integers as : {Integers::kFloats, Integers::kFloatsButCaptures, Integers::kConstants}) {
    const bool as_floats = as != Integers::kConstants;
    CallKey key = call_key(f, arguments, {}, as == Integers::kFloats ? KeyOf::kExtents : KeyOf::kIntegers);
    key.push_back(static_cast<uintptr_t>(what));
    key.push_back(static_cast<uintptr_t>(as));
    if (known.with_integers.contains(key)) continue;
    CompileCallOptions options;
    options.value_only = options.differentiated = true;
    options.float_integers = as_floats;
    options.fixed_integers = !as_floats;
    options.fixed_captures = as == Integers::kFloatsButCaptures;
    try {
      const Derivative* d = known.made.find(key, [&] { return make_derivative(e, f, arguments, options, what); });
      known.made.keep(impl.generation);
      return *d;
    } catch (const NotCompiled& why) {
      known.made.keep(impl.generation);
      if (!as_floats || why.cause == Cause::kWidening) throw;
      known.with_integers.insert(key);
    }
  }
  throw InternalError("a derivative neither made nor refused");
}

/// Globals are read as they are.
ArgumentReader read_all(const Derivative& d, const Value& f, Args arguments) {
  ArgumentReader reader;
  reader.fixed_integers = d.options.fixed_integers || d.options.fixed_captures;
  reader.read(f);
  reader.fixed_integers = d.options.fixed_integers;
  reader.float_integers = d.options.float_integers;
  for (const Value& v : arguments) reader.read(v);
  reader.fixed_integers = reader.float_integers = false;
  for (const Binding* g : d.call.globals) reader.read(g->value);
  return reader;
}

/// Runs the derivative; when one of its checks fails, the host's run of the call says why.
std::vector<Tensor> run(Evaluator& e, const Derivative& d, const std::vector<const void*>& in, const Value& f,
                        Args arguments) {
  std::vector<Tensor> out;
  std::vector<void*> places;
  for (const weft::Type t : d.code->result_types()) {
    out.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    places.push_back(out.back().raw());
  }
  const CallThatPrints call;
  const Printing printing(e, d.call.prints);
  try {
    d.code->invoke(in.data(), places.data());
  } catch (const Unsupported&) { throw; } catch (const UserError&) {
    printing.repeat();
    e.call(f, arguments);
    // It is only what integers become as floats that fails.
    if (d.options.float_integers) throw NotCompiled{Cause::kUnsupported, "integers that must stay integers", {}, {}};
    throw;
  }
  return out;
}

/// Of what the derivative gives, gradients by each of `by` from `first` on.
CompiledGradients gradients_of(const Derivative& d, const std::vector<Tensor>& results, size_t first) {
  std::vector<const Tensor*> by_leaf(d.place_of.size(), nullptr);
  for (size_t i = 0; i < d.place_of.size(); ++i) {
    if (d.place_of[i] == SIZE_MAX || !d.used[i]) continue;
    by_leaf[i] = &results[first + d.place_of[i]];
    conjugate(*by_leaf[i]);
  }
  return {d.call, std::move(by_leaf)};
}

/// What is differentiated of a call's results: the value, or the first part of it.
const Abstract& loss_of(const Derivative& d, What what) {
  const Abstract& v = d.call.results.values.front();
  const bool is_first =
      what == What::kGradientOfFirst && v.kind == How::kFields && !v.fields.empty() && !element_type(v.type);
  return is_first ? v.fields.front() : v;
}

/// It must be one real number.
void check_scalar(const Abstract& v) {
  const bool is_number = v.kind == How::kScalar && number_kind(v.type) && is_float(*number_kind(v.type));
  if (is_number) return;
  const bool is_complex_number = v.type != nullptr && v.type->name->name == Symbol("Complex");
  throw_error(is_complex_number
                  ? "Output is complex, so the gradient is not defined."
                  : "Output should be scalar; gradients are not defined for output of type " + type_text(v.type));
}

bool is_of_numbers(const HeapObject& o) { return o.is_array && element_type(as<DataType>(o.element)).has_value(); }

/// The place among `by` of an argument that is a number or an array of them; SIZE_MAX: it is none.
size_t place_of_argument(const Derivative& d, size_t i) {
  const Abstract& a = d.call.arguments.at(i);
  IrValue v;
  if (a.kind == How::kScalar) v = a.ir;
  else if (a.kind == How::kObject && is_of_numbers(d.call.objects[a.object])) v = d.call.objects[a.object].leaves[0];
  else return SIZE_MAX;
  return d.place_of[v.index - kPlaceholders];
}

std::string differentiate(Derivative& d, What what) {
  weft::Module& program = *d.call.program;
  const std::string& entry = d.call.entry;
  std::string as = "derivative";
  const Abstract& v = loss_of(d, what);
  switch (what) {
    case What::kGradient:
    case What::kGradientOfFirst: {
      // An integer does not change with what is differentiated by.
      if (v.kind == How::kScalar && is_integer(*number_kind(v.type))) return {};
      check_scalar(v);
      if (d.by.empty()) return {};
      weft::gradient(program, entry, d.by, as, true);
      return as;
    }
    case What::kPullback:
      if (d.by.empty()) return {};
      vjp(program, entry, d.by, as);
      return as;
    case What::kJacobian:
      if (d.call.results.types.size() != 1 || !has_derivatives(d.call.results.types[0]))
        throw_error("jacobian expected a function that returns an array of real numbers, or one number");
      weft::jacobian(program, entry, d.by, as);
      return as;
    case What::kHessian: {
      check_scalar(v);
      const size_t place = place_of_argument(d, 1);
      if (place == SIZE_MAX) throw_error("hessian expected a number or an array of real numbers");
      const size_t by[] = {d.by[place]};
      weft::hessian(program, entry, by, as);
      return as;
    }
  }
  throw InternalError("no such derivative");
}

/// Derivatives by each argument alone: an array that is given twice is two.
std::vector<Value> apart(Args a) {
  std::vector<Value> out(a.begin(), a.end());
  for (size_t i = 1; i < out.size(); ++i) {
    const auto is_same = [&](const Value& v) { return v.is_reference() && v.object() == out[i].object(); };
    if (is_array(out[i]) && std::any_of(out.begin(), out.begin() + static_cast<ptrdiff_t>(i), is_same))
      out[i] = copied(out[i]);
  }
  return out;
}

/// The derivative of compiled code where there is some, else what the host finds.
template <class Compiled, class Host>
Value compiled_or_host(Evaluator& e, const Value& f, Compiled&& compiled, Host&& host) {
  try {
    return compiled();
  } catch (const NotCompiled& why) {
    say_left_to_host(e, "differentiated by the host: " + name_of_callee(f) + ": " + not_compiled_text(why));
  }
  return host();
}

/// What the host has no other way to make from numbers.
bool is_rebuilt(const Packed& results) {
  const std::function<bool(const Abstract&)> is_plain = [&](const Abstract& a) {
    return a.is_defined() && !is_maybe(a) && !is_wide_integer(a.type) && std::ranges::all_of(a.fields, is_plain);
  };
  return std::ranges::all_of(results.values, is_plain) &&
         std::ranges::all_of(results.objects, [&](const HeapObject& o) {
           return !is_list(o) && !is_bounded(o) && std::ranges::all_of(o.fields, is_plain);
         });
}

/// _gradient(f, arguments…), _gradient_of_first(f, arguments…): the value, then a gradient for each argument.
Value compiled_gradient(Evaluator& e, Args a, What what) {
  const Value& f = a[0];
  const Args arguments = a.subspan(1);
  const Derivative& d = derivative_of(e, f, arguments, what);
  std::vector<Value> out;
  if (!d.code) {
    out.assign(arguments.size() + 1, nothing());
    out[0] = e.call(f, arguments);
    return make_tuple(std::move(out));
  }
  if (!is_rebuilt(d.call.results))
    throw NotCompiled{Cause::kUnsupported, "a result that the host makes beside the number to differentiate", {}, {}};
  const ArgumentReader reader = read_all(d, f, arguments);
  const std::vector<Tensor> results = run(e, d, reader.bytes, f, arguments);
  std::vector<const void*> leaves;
  for (const Tensor& t : results) leaves.push_back(t.raw());
  out.push_back(Rebuilt(e, d.call.results, leaves).value(d.call.results.values.front()));
  const CompiledGradients gradients = gradients_of(d, results, d.call.results.types.size());
  for (size_t i = 1; i <= arguments.size(); ++i) out.push_back(gradients.of(d.call.arguments[i]));
  return make_tuple(std::move(out));
}

template <What what>
Value gradient_intrinsic(Evaluator& e, Args given) {
  const std::vector<Value> a = apart(given);
  return compiled_or_host(
      e, a[0], [&] { return compiled_gradient(e, a, what); },
      [&] { return host_gradient(e, a, what == What::kGradientOfFirst); });
}

/// _gradient_params(f, arrays): the value of f(), and a gradient for each of the arrays that it refers to.
Value gradient_by_params(Evaluator& e, Args a) {
  const ArrayObject& params = array_of(a[1]);
  const auto compiled = [&] {
    const Derivative& d = derivative_of(e, a[0], {}, What::kGradient);
    const ArgumentReader reader = read_all(d, a[0], {});
    std::vector<size_t> places;
    for (int64_t i = 0; i < params.length; ++i) {
      const Value p = get_element(params, i);
      const auto at = std::ranges::find(reader.objects, p.is_reference() ? p.object() : nullptr, &Value::object);
      if (at == reader.objects.end() || !d.code)
        throw NotCompiled{Cause::kGlobal, "a parameter that is a constant of the program or no array", {}, {}};
      places.push_back(static_cast<size_t>(at - reader.objects.begin()));
    }
    const std::vector<Tensor> results = run(e, d, reader.bytes, a[0], {});
    std::vector<Value> gradients;
    const CompiledGradients all = gradients_of(d, results, 1);
    for (const size_t place : places)
      gradients.push_back(all.of(Abstract::of_object(d.call.objects[place].type, static_cast<uint32_t>(place))));
    return make_tuple(
        {value_of_tensor(results[0], d.call.results.values.front().type), make_tuple(std::move(gradients))});
  };
  return compiled_or_host(e, a[0], compiled, [&] { return host_gradient_by_params(e, a); });
}

/// _pullback(type of a tape, f, arguments…): the value, and a tape when the host has recorded one.
Value pullback_intrinsic(Evaluator& e, Args given) {
  const std::vector<Value> all = apart(given);
  const Args a(all);
  const auto compiled = [&] {
    derivative_of(e, a[1], a.subspan(2), What::kPullback);
    return make_tuple({e.call(a[1], a.subspan(2)), nothing()});
  };
  return compiled_or_host(e, a[1], compiled, [&] { return host_pullback(e, a); });
}

/// _pullback_apply(f, cotangent, arguments…): a gradient for each argument.
Value pullback_apply(Evaluator& e, Args given) {
  const std::vector<Value> all = apart(given);
  const Args a(all);
  const Args arguments = a.subspan(2);
  const Derivative& d = derivative_of(e, a[0], arguments, What::kPullback);
  if (!d.code) return make_tuple(std::vector<Value>(arguments.size(), nothing()));
  const ArgumentReader reader = read_all(d, a[0], arguments);
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
    if (!has_derivatives(t)) continue;
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
    conjugate(c);
    cotangents.push_back(std::move(c));
    in.push_back(cotangents.back().raw());
  }
  const std::vector<Tensor> out = run(e, d, in, a[0], arguments);
  std::vector<Value> gradients;
  const CompiledGradients by_arguments = gradients_of(d, out, 0);
  for (size_t i = 1; i <= arguments.size(); ++i) gradients.push_back(by_arguments.of(d.call.arguments[i]));
  return make_tuple(std::move(gradients));
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
Value compiled_jacobian(Evaluator& e, Args a) {
  const Args arguments = a.subspan(1);
  const Derivative& d = derivative_of(e, a[0], arguments, What::kJacobian);
  const ArgumentReader reader = read_all(d, a[0], arguments);
  const std::vector<Tensor> out = run(e, d, reader.bytes, a[0], arguments);
  std::vector<Value> matrices;
  for (size_t i = 1; i <= arguments.size(); ++i) {
    const size_t place = place_of_argument(d, i);
    if (place == SIZE_MAX || !d.used[d.by[place]]) {
      matrices.push_back(nothing());
      continue;
    }
    matrices.push_back(
        matrix_of(out[place], d.call.results.types[0].num_elements(), d.call.types[d.by[place]].num_elements()));
  }
  return make_tuple(std::move(matrices));
}

Value jacobian_intrinsic(Evaluator& e, Args given) {
  const std::vector<Value> a = apart(given);
  return compiled_or_host(e, a[0], [&] { return compiled_jacobian(e, a); }, [&] { return host_jacobian(e, a); });
}

/// _hessian(f, x): a matrix, or a number for a number.
Value hessian_intrinsic(Evaluator& e, Args a) try {
  const Args arguments = a.subspan(1);
  const Derivative& d = derivative_of(e, a[0], arguments, What::kHessian);
  const size_t place = place_of_argument(d, 1);
  const ArgumentReader reader = read_all(d, a[0], arguments);
  const std::vector<Tensor> out = run(e, d, reader.bytes, a[0], arguments);
  const int64_t n = d.call.types[d.by[place]].num_elements();
  if (d.call.arguments[1].kind == How::kScalar) return value_of_tensor(out[0], d.call.arguments[1].type);
  return matrix_of(out[0], n, n);
} catch (const NotCompiled& why) {
  throw Unsupported("a second derivative of a function that is not compiled: " + not_compiled_text(why));
}

/// (f, rule, arguments…): f(arguments…). In code that is differentiated, f's derivative is what `rule(arguments…, tangents…)` gives behind f's value.
Value with_rule(Evaluator& e, Args a) { return e.call(a[0], a.subspan(2)); }

Value is_compiled(Evaluator&, Args) { return boolean(false); }

/// (condition): true; compiled code takes it for granted, and the host runs the call where it does not hold.
Value assume(Evaluator&, Args) { return boolean(true); }

constexpr IntrinsicEntry kEntries[] = {
    {"_assume", assume, 1, 1},
    {"_with_rule", with_rule, 3, -1},
    {"_is_compiled", is_compiled, 0, 0},
    {"_gradient", gradient_intrinsic<What::kGradient>, 2, -1},
    {"_gradient_of_first", gradient_intrinsic<What::kGradientOfFirst>, 2, -1},
    {"_gradient_params", gradient_by_params, 2, 2},
    {"_pfor", run_lanes, 2, -1},
    {"_pullback", pullback_intrinsic, 2, -1},
    {"_pullback_apply", pullback_apply, 3, -1},
    {"_tape_apply", host_pullback_apply, 2, 2},
    {"_stop_gradient", [](Evaluator&, Args a) { return a[0]; }, 1, 1},
    {"_jacobian", jacobian_intrinsic, 2, -1},
    {"_hessian", hessian_intrinsic, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> derivative_intrinsics() {
  static const auto& all = *[] {
    auto* list = new std::vector<IntrinsicEntry>(std::begin(kEntries), std::end(kEntries));
    list->insert(list->end(), compile_intrinsics().begin(), compile_intrinsics().end());
    return list;
  }();
  return all;
}

}  // namespace weft::julia
