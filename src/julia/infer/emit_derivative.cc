// Derivatives inside of compiled code: the function becomes one of the module, which is differentiated there.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/differentiable.h"
#include "julia/infer/emit.h"
#include "julia/infer/packed.h"
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
      case How::kFields: return of_fields(a.type, a.fields);
      case How::kObject: {
        const HeapObject& o = f.arguments.objects[a.object];
        if (!o.is_array) return of_fields(o.type, o.fields);
        const IrValue v = by_leaf[o.leaves[0].index - kPlaceholders];
        return v ? c.new_array(o.type, o.dims, {v}) : Abstract::nothing();
      }
      default: return Abstract::nothing();
    }
  }

 private:
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

/// _gradient(f, arguments…): the value, then a gradient for each argument.
Abstract gradient_of_call(Compiler& c, Args a) {
  const std::vector<Abstract> arguments(a.begin() + 1, a.end());
  const auto f = c.outline(a[0], arguments, "differentiated");
  const Abstract& value = f->results.values.front();
  if (value.kind != How::kScalar || !number_kind(value.type) || !is_float(*number_kind(value.type)))
    c.fail(Cause::kUnsupported, "the gradient of a function that returns a " + type_text(value.type),
           "return one real number");
  std::vector<size_t> candidates, by;
  for (size_t i = 1; i < f->arguments.values.size(); ++i) leaves_of(*f, f->arguments.values[i], candidates);
  const std::vector<bool> used = used_arguments(c.module().get(f->name));
  for (const size_t leaf : candidates) {
    if (has_derivatives(f->arguments.types[leaf]) && used[leaf] && std::ranges::find(by, leaf) == by.end())
      by.push_back(leaf);
  }
  std::vector<IrValue> results;
  Gradients gradients{c, *f, std::vector<IrValue>(f->arguments.types.size())};
  Attrs attrs;
  std::vector<weft::Type> types = {f->results.types[0]};
  if (by.empty()) {
    attrs.set("callee", Attr(f->name));
  } else {
    const std::string name = c.module().unique_name(f->name + "_gradient");
    weft::gradient(c.module(), f->name, by, name, true).set_public(false);
    attrs.set("callee", Attr(name));
    for (const size_t leaf : by) types.push_back(f->arguments.types[leaf]);
  }
  results = c.b().create("func.call", f->arguments.leaves, std::move(attrs), types);
  for (size_t i = 0; i < by.size(); ++i) gradients.by_leaf[by[i]] = results[i + 1];
  std::vector<Abstract> out = {Abstract::of_scalar(value.type, results[0])};
  for (size_t i = 1; i < f->arguments.values.size(); ++i) out.push_back(gradients.of(f->arguments.values[i]));
  return c.tuple(std::move(out));
}

constexpr Emission kEmissions[] = {{"_gradient", gradient_of_call}};

}  // namespace

std::span<const Emission> derivative_emissions() { return kEmissions; }

}  // namespace weft::julia
