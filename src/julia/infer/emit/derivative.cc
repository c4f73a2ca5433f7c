// Derivatives inside of compiled code: the function becomes one of the module, which is differentiated there.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/border/packed.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/derive/compiled_gradients.h"
#include "julia/infer/derive/differentiable.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/emit/ruled_calls.h"
#include "julia/infer/stored.h"
#include "julia/types/type_show.h"
#include "transform/gradient.h"

namespace weft::julia {

namespace {

using Args = std::span<const Abstract>;
using How = Abstract::Kind;

/// Every leaf of a value, in order.
void leaves_of(const Compiler::Outlined& f, const Abstract& a, std::vector<size_t>& out) {
  if (a.kind == How::kScalar) out.push_back(a.ir.index - kPlaceholders);
  for (const Abstract& x : a.fields) leaves_of(f, x, out);
  if (a.kind != How::kObject) return;
  const HeapObject& o = f.arguments.objects[a.object];
  for (const IrValue v : o.leaves) out.push_back(v.index - kPlaceholders);
  for (const Abstract& x : o.fields) leaves_of(f, x, out);
}

struct Gradients {
  Compiler& c;
  const Compiler::Outlined& f;
  std::vector<IrValue> by_leaf;  // none: nothing to differentiate by

  Abstract of(const Abstract& a) {
    switch (a.kind) {
      case How::kScalar: {
        const IrValue v = by_leaf[a.ir.index - kPlaceholders];
        return v ? Abstract::of_scalar(a.type, v) : Abstract::nothing();
      }
      case How::kFields:
        if (element_type(a.type)) return complex_of(a);
        return of_fields(a.type, a.fields);
      case How::kObject: {
        const HeapObject& o = f.arguments.objects[a.object];
        if (is_list(o)) return of_list(o);
        if (is_bounded(o)) c.fail(Cause::kUnsupported, "a gradient by a vector whose length the program chooses");
        if (!o.is_array) return of_fields(o.type, o.fields);
        std::vector<IrValue> leaves;
        std::vector<bool> has;
        for (const IrValue leaf : o.leaves) {
          const IrValue v = by_leaf[leaf.index - kPlaceholders];
          has.push_back(static_cast<bool>(v));
          if (v) leaves.push_back(conjugate(v));
        }
        if (leaves.empty()) return Abstract::nothing();
        const auto* element = as<DataType>(o.element);
        if (element_type(element)) return c.new_array(o.type, o.dims, std::move(leaves));
        size_t next = 0;
        const DataType* type = gradient_type(element, has, next);
        return c.new_array(array_type(type, static_cast<int64_t>(o.dims.size())), o.dims, std::move(leaves));
      }
      default: return Abstract::nothing();
    }
  }

 private:
  /// Gradients by complex numbers point where the value grows; IR pairs without conjugation.
  IrValue conjugate(IrValue v) {
    if (!is_complex(c.b().type(v).element_type())) return v;
    const IrValue im = c.b().make("stablehlo.imag", {v});
    return c.b().make("stablehlo.complex", {c.b().make("stablehlo.real", {v}), c.b().make("stablehlo.negate", {im})});
  }

  Abstract complex_of(const Abstract& a) {
    std::vector<Abstract> parts;
    bool any = false;
    for (const Abstract& x : a.fields) {
      IrValue v = by_leaf[x.ir.index - kPlaceholders];
      any = any || v;
      // A part that the result does not depend on.
      if (!v) v = c.b().zeros(weft::Type::scalar(*element_type(x.type)));
      parts.push_back(Abstract::of_scalar(x.type, v));
    }
    if (!any) return Abstract::nothing();
    return Abstract::of_fields(a.type, std::move(parts));
  }

  /// Of an array of arrays.
  Abstract of_list(const HeapObject& o) {
    std::vector<Abstract> values;
    for (const Abstract& x : o.fields) values.push_back(of(x));
    const auto is_nothing = [](const Abstract& x) { return x.type == core().nothing; };
    if (std::ranges::all_of(values, is_nothing)) return Abstract::nothing();
    if (std::ranges::any_of(values, [&](const Abstract& x) { return x.type != o.element; }))
      c.fail(Cause::kUnsupported, "a gradient by some elements of an array of arrays");
    return make_list(c, o.element, o.dims, std::move(values));
  }

  Abstract of_fields(const DataType* type, const std::vector<Abstract>& fields) {
    std::vector<Abstract> values;
    bool any = false;
    for (const Abstract& x : fields) {
      values.push_back(of(x));
      any = any || values.back().type != core().nothing;
    }
    if (!any) return Abstract::nothing();
    return type->is_tuple ? c.tuple(std::move(values)) : c.named_tuple(type->field_names(), std::move(values));
  }
};

/// As on the host, integers are numbers to differentiate by.
struct AsFloats {
  Compiler& c;
  bool changes = false;

  Abstract of(const Abstract& given) {
    if (given.is_constant() && (given.constant.is_type() || given.type->is_singleton())) return given;
    Abstract x = given.is_constant() ? c.expanded(given) : given;
    if (number_kind(x.type) || x.type->name->wrapper == core().complex) return of_numbers(x, x.type);
    if (x.kind == How::kFields) {
      std::vector<Abstract> parts;
      for (const Abstract& part : x.fields) parts.push_back(of(part));
      if (x.type->is_tuple) return c.tuple(std::move(parts));
      if (x.type->name == core().named_tuple_name) return c.named_tuple(x.type->field_names(), std::move(parts));
      return Abstract::of_fields(x.type, std::move(parts));
    }
    if (x.kind != How::kObject) return x;
    const HeapObject& o = c.object(x);
    if (o.is_array) return of_numbers(x, o.element);
    const auto is_integer = [](const Abstract& field) {
      return field.is_defined() && element_type(field.type) && floats_for(field.type) != nullptr;
    };
    if (std::ranges::any_of(o.fields, is_integer))
      c.fail(Cause::kUnsupported, "a gradient by a mutable " + type_text(o.type) + " with fields that are integers");
    return x;
  }

 private:
  Abstract of_numbers(const Abstract& x, const Type* number) {
    const DataType* to = floats_for(number);
    if (to == nullptr) return x;
    if (!element_type(to))
      c.fail(Cause::kUnsupported, "a gradient by an array with elements of type " + type_text(number));
    changes = true;
    return c.call_base("float", {x});
  }
};

/// f as a function of the module, with integers as floats unless it needs them as they are.
std::shared_ptr<Compiler::Outlined> outlined(Compiler& c, const Abstract& f, const std::vector<Abstract>& arguments) {
  const Differentiated differentiated(c);
  std::vector<Abstract> floats;
  AsFloats as_floats{c};
  for (const Abstract& x : arguments) floats.push_back(as_floats.of(x));
  if (as_floats.changes) {
    const Compiler::Attempt attempt(c);
    try {
      return c.outline(f, floats, "differentiated");
    } catch (const NotCompiled& why) {
      if (why.cause == Cause::kWidening) throw;
    }
  }
  return c.outline(f, arguments, "differentiated");
}

/// (f, arguments…): the value, then a gradient for each argument. `of_first`: of the value's first part, where it has parts.
Abstract gradient_of_call(Compiler& c, Args a, bool of_first) {
  std::vector<Abstract> arguments(a.begin() + 1, a.end());
  for (size_t i = 1; i < arguments.size(); ++i) {  // by each alone: an array that is given twice is two
    Abstract& x = arguments[i];
    const auto is_same = [&](const Abstract& y) { return y.kind == How::kObject && y.object == x.object; };
    if (x.kind != How::kObject ||
        std::none_of(arguments.begin(), arguments.begin() + static_cast<ptrdiff_t>(i), is_same))
      continue;
    const HeapObject o = c.object(x);
    if (o.is_array) x = c.new_array(o.type, o.dims, o.leaves);
  }
  const std::shared_ptr<Compiler::Outlined> f = outlined(c, a[0], arguments);
  const Abstract& value = f->results.values.front();
  const bool is_first = of_first && value.kind == How::kFields && !value.fields.empty() && !element_type(value.type);
  const Abstract& loss = is_first ? value.fields.front() : value;
  if (loss.kind != How::kScalar || !number_kind(loss.type) || !is_float(*number_kind(loss.type)))
    c.fail(Cause::kUnsupported, "the gradient of a function that returns a " + type_text(value.type),
           "return one real number");
  const size_t given = f->arguments.objects.size();
  if (std::ranges::any_of(f->results.ids, [&](uint32_t id) { return id < given; }))
    c.fail(Cause::kUnsupported, "an argument among what a function to differentiate returns", "return a copy");
  std::vector<size_t> candidates, by;
  for (size_t i = 1; i < f->arguments.values.size(); ++i) leaves_of(*f, f->arguments.values[i], candidates);
  const std::vector<bool> used = used_arguments(c.module().get(f->name), candidates, 1);
  for (const size_t leaf : candidates) {
    if (has_derivatives(f->arguments.types[leaf]) && used[leaf] && std::ranges::find(by, leaf) == by.end())
      by.push_back(leaf);
  }
  Gradients gradients{c, *f, std::vector<IrValue>(f->arguments.types.size())};
  Attrs attrs;
  std::vector<weft::Type> types = f->results.types;
  const size_t first = types.size();
  if (by.empty()) {
    attrs.set("callee", Attr(f->name));
  } else {
    const std::string name = c.module().unique_name(f->name + "_gradient");
    weft::gradient(c.module(), f->name, by, name, true).set_public(false);
    attrs.set("callee", Attr(name));
    for (const size_t leaf : by) types.push_back(f->arguments.types[leaf]);
  }
  std::vector<IrValue> results = c.b().create("func.call", f->arguments.leaves, std::move(attrs), types);
  for (size_t i = 0; i < by.size(); ++i) gradients.by_leaf[by[i]] = results[first + i];
  results.resize(first);
  std::vector<uint32_t> ids;
  std::vector<Abstract> out = {unpacked(f->results, results, c.heap(), ids).front()};
  for (size_t i = 1; i < f->arguments.values.size(); ++i) out.push_back(gradients.of(f->arguments.values[i]));
  return c.tuple(std::move(out));
}

Abstract gradient(Compiler& c, Args a) { return gradient_of_call(c, a, false); }
Abstract gradient_of_first(Compiler& c, Args a) { return gradient_of_call(c, a, true); }

Abstract is_compiled(Compiler&, Args) { return Abstract::of_constant(boolean(true)); }

Abstract assume(Compiler& c, Args a) {
  c.check(c.scalar(a[0]), "values for which the result has another type");
  return Abstract::of_constant(boolean(true));
}

Abstract stop_gradient(Compiler& c, Args a) { return without_derivative(c, a[0]); }

constexpr Emission kEmissions[] = {
    {"_assume", assume},       {"_gradient", gradient},       {"_gradient_of_first", gradient_of_first},
    {"_with_rule", with_rule}, {"_is_compiled", is_compiled}, {"_stop_gradient", stop_gradient},
    {"_pfor", lanes_of_call},
};

}  // namespace

std::span<const Emission> derivative_emissions() { return kEmissions; }

}  // namespace weft::julia
