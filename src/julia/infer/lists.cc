// Arrays whose elements are values of their own, and arrays made of such values.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/iterable.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

constexpr int64_t kMostElements = 256;

}  // namespace

bool is_list(Compiler& c, const Abstract& a) { return a.kind == How::kObject && is_list(c.object(a)); }

bool is_plain_element(Compiler& c, const Type* t) {
  const auto* d = as<DataType>(t);
  if (d == nullptr || !d->is_concrete || !d->is_bits()) return false;
  try {
    std::vector<const DataType*> leaves;
    c.leaves_of_type(t, leaves);
    return !leaves.empty();
  } catch (const NotCompiled&) { return false; }
}

Abstract make_list(Compiler& c, const Type* element, std::vector<int64_t> dims, std::vector<Abstract> elements) {
  if (static_cast<int64_t>(elements.size()) > kMostElements)
    c.fail(Cause::kContainer,
           "an array of " + std::to_string(elements.size()) + " elements of type " + type_text(element),
           "give it a concrete element type of numbers");
  HeapObject o;
  o.type = array_type(element, static_cast<int64_t>(dims.size()));
  o.element = element;
  o.dims = std::move(dims);
  o.fields = std::move(elements);
  const DataType* type = o.type;
  c.heap().objects.push_back(std::move(o));
  return Abstract::of_object(type, static_cast<uint32_t>(c.heap().objects.size() - 1));
}

Abstract array_of_elements(Compiler& c, std::vector<Abstract> elements, const std::vector<int64_t>& dims,
                           const Type* element) {
  if (element == nullptr) {
    for (const Abstract& x : elements) {
      if (!x.is_defined()) c.fail(Cause::kWidening, "an element of an array would have values of two types");
      element = element == nullptr ? x.type : promote_type_join(element, x.type);
    }
    if (element == nullptr) element = core().any;
  } else {
    for (Abstract& x : elements) x = c.convert(element, x);
  }
  if (!is_plain_element(c, element)) return make_list(c, element, dims, std::move(elements));
  if (elements.empty()) return make_filled(c, element, dims, nullptr);
  const DataType* type = array_type(element, static_cast<int64_t>(dims.size()));
  const auto is_known = [&](const Abstract& x) { return x.is_constant() && x.type == element; };
  if (element_type(element) && std::ranges::all_of(elements, is_known)) {
    // One constant, however many elements are written.
    std::vector<Value> values;
    for (const Abstract& x : elements) values.push_back(x.constant);
    const Value array = make_array(element, dims, std::move(values));
    return c.new_array(type, dims, {c.b().constant(Literal::dense(tensor_of(array_of(array)).clone()))});
  }
  std::vector<std::vector<IrValue>> parts;
  for (const Abstract& x : elements) {
    std::vector<IrValue> leaves;
    c.append_leaves(x, leaves);
    parts.push_back(std::move(leaves));
  }
  const int64_t one[] = {1};
  std::vector<IrValue> joined;
  for (size_t k = 0; k < parts.front().size(); ++k) {
    std::vector<IrValue> pieces;
    for (const auto& p : parts) pieces.push_back(c.b().reshape(p[k], one));
    joined.push_back(c.b().reshape(c.b().concatenate(pieces, 0), reversed(dims)));
  }
  return c.new_array(type, dims, std::move(joined));
}

std::vector<Abstract> all_elements(Compiler& c, const Abstract& a) {
  if (is_list(c, a)) {
    for (const Abstract& x : c.object(a).fields) {
      if (!x.is_defined() || x.maybe_undefined) c.fail(Cause::kUnsupported, "an element of an array that has no value");
    }
    return c.object(a).fields;
  }
  const Iterable it = iterable_of(c, a);
  if (it.is_unrolled) return it.elements;
  if (it.accepts) c.fail(Cause::kShape, "the elements that a filter lets through, one by one");
  const int64_t n = c.known_int(c.convert(core().int64, c.call_base("length", {a})), "the number of elements");
  if (n > kMostElements) c.fail(Cause::kUnsupported, std::to_string(n) + " elements one by one");
  std::vector<Abstract> out;
  for (int64_t k = 0; k < n; ++k) out.push_back(it.at(c, c.int_constant(k)));
  return out;
}

Abstract map_unrolled(Compiler& c, const std::function<Abstract(std::vector<Abstract>)>& f,
                      std::span<const Abstract> containers, const std::vector<int64_t>& dims, const Type* element) {
  const auto n = static_cast<size_t>(num_elements(dims));
  std::vector<std::vector<Abstract>> each;
  for (const Abstract& x : containers) {
    each.push_back(all_elements(c, x));
    if (each.back().size() != n) c.fail(Cause::kUnsupported, "a map over containers of several sizes");
  }
  std::vector<Abstract> out;
  for (size_t k = 0; k < n; ++k) {
    std::vector<Abstract> arguments;
    for (const auto& elements : each) arguments.push_back(elements[k]);
    out.push_back(f(std::move(arguments)));
    if (c.activation()->is_dead) return Abstract::nothing();
  }
  if (n == 0 && element == nullptr) c.fail(Cause::kUnsupported, "a map over no elements");
  return array_of_elements(c, std::move(out), dims, element);
}

}  // namespace weft::julia
