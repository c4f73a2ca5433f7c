// Vectors with room for more elements than they have.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/slices.h"
#include "julia/infer/iterable.h"
#include "julia/infer/maybe.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

bool is_bounded(Compiler& c, const Abstract& a) { return a.kind == How::kObject && is_bounded(c.object(a)); }

IrValue count_of(Compiler& c, const Abstract& vector) { return c.scalar(c.object(vector).fields.at(0)); }

void bound_object(Compiler& c, uint32_t id, int64_t capacity, bool reserved) {
  HeapObject& o = c.writable(id);
  const int64_t n = o.dims[0];
  if (o.is_array) o.fields = {Abstract::of_constant(number(n))};
  o.fields.resize(1);
  o.fields.push_back(Abstract::of_constant(boolean(reserved)));
  o.is_array = false;
  o.dims = {capacity};
  for (IrValue& v : o.leaves) v = padded(c.b(), v, capacity);
}

IrValue padded(OpBuilder& b, IrValue v, int64_t to) {
  const int64_t n = b.type(v).shape()[0];
  if (n == to) return v;
  const int64_t more[] = {to - n};
  const std::vector<IrValue> parts = {v, b.zeros(weft::Type::tensor(b.type(v).element_type(), more))};
  return b.concatenate(parts, 0);
}

Abstract make_bounded(Compiler& c, const DataType* type, int64_t capacity, const Abstract& count) {
  const auto* element =
      type->parameters[0]->kind == TypeKind::kConstant ? static_cast<const Type*>(core().bool_) : type->parameters[0];
  const Abstract made = make_filled(c, element, {capacity}, nullptr);
  HeapObject& o = c.writable(made);
  o.type = type;
  o.is_array = false;
  o.fields = {count, Abstract::of_constant(boolean(false))};
  return Abstract::of_object(type, made.object);
}

void put_bounded(Compiler& c, const Abstract& vector, IrValue position, const Abstract& x) {
  std::vector<IrValue> parts;
  c.append_leaves(x, parts);
  HeapObject& to = c.writable(vector);
  const int64_t one[] = {1};
  for (size_t i = 0; i < parts.size(); ++i)
    to.leaves[i] = c.b().dynamic_update_slice(to.leaves[i], c.b().reshape(parts[i], one), std::span(&position, 1));
}

void append_bounded(Compiler& c, const Abstract& vector, const Abstract& x, IrValue condition) {
  put_bounded(c, vector, count_of(c, vector), x);
  Abstract& count = c.writable(vector).fields[0];
  const IrValue more = convert_num(c, {NumberKind::kBool, condition}, NumberKind::kInt64).v;
  count = Abstract::of_scalar(core().int64, op2(c, "stablehlo.add", c.scalar(count), more));
}

bool is_slice_view(Compiler& c, const Abstract& a) {
  if (a.type->name->name != Symbol("SubArray")) return false;
  const Abstract indices = c.expanded(c.field(a, 1));
  size_t ranges = 0;
  for (size_t d = 0; d < indices.type->field_count(); ++d) {
    const DataType* i = c.field(indices, d).type;
    if (number_kind(i)) continue;
    const std::string name = i->name->name.text();
    if (name != "UnitRange" && name != "OneTo" && name != "StepRange" && name != "Slice") return false;
    ++ranges;
  }
  return ranges == 1;
}

int64_t bound_of(Compiler& c, const Abstract& a) {
  if (a.kind == How::kObject && c.object(a).element != nullptr) return length_of(c.object(a));
  if (a.type->name->name == Symbol("Filter")) return bound_of(c, c.field(a, 1));
  if (a.type->name->name == Symbol("Generator")) return bound_of(c, c.field(a, 1));
  Abstract n = c.convert(core().int64, c.call_base("length", {a}));
  // A view is no longer than what it looks into, unless its indices repeat.
  if (!n.is_constant() && is_slice_view(c, a)) return bound_of(c, c.field(a, 0));
  return c.known_int(n, "the greatest number of elements");
}

/// The type of a vector's elements, plain ones: that given, or of what `body` writes in a region that nobody runs.
static const Type* plain_type(Compiler& c, const Type* given, const std::function<Abstract()>& body) {
  const Type* type = given;
  if (type == nullptr) {
    const std::vector<HeapObject> objects = c.heap().objects;
    {
      const Compiler::Region scratch(c, {});
      type = body().type;
    }
    c.heap().objects = objects;
    c.activation()->is_dead = false;
  }
  if (!is_plain_element(c, type)) c.fail(Cause::kShape, "an unknown number of elements of type " + type_text(type));
  return type;
}

Abstract collect_if(Compiler& c, const Type* element_type, int64_t bound, IrValue count,
                    const std::function<std::pair<Abstract, IrValue>(IrValue position)>& body) {
  element_type = plain_type(c, element_type, [&] { return body(c.int_constant(0)).first; });
  if (bound == 0) return make_filled(c, element_type, {0}, nullptr);
  // Room for one more, which the last element that is left out is written to.
  const Abstract out =
      make_bounded(c, array_type(element_type, 1), bound + 1, Abstract::of_constant(number(int64_t{0})));
  c.fold(c.int_constant(0), count, Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    const auto [x, keep] = body(k);
    append_bounded(c, out, c.convert(element_type, x), keep);
    return none;
  });
  return out;
}

Abstract collect_counted(Compiler& c, const Type* element_type, int64_t bound, IrValue count,
                         const std::function<Abstract(IrValue position)>& body) {
  element_type = plain_type(c, element_type, [&] { return body(c.int_constant(0)); });
  if (bound == 0) return make_filled(c, element_type, {0}, nullptr);
  const IrValue n = op2(c, "stablehlo.minimum", count, int_like(c, count, bound));
  const Abstract out = make_bounded(c, array_type(element_type, 1), bound, Abstract::of_scalar(core().int64, n));
  c.fold(c.int_constant(0), n, Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    put_bounded(c, out, k, c.convert(element_type, body(k)));
    return none;
  });
  return out;
}

Abstract collect_vector(Compiler& c, const Abstract& a) {
  const Iterable it = iterable_of(c, a);
  if (it.is_unrolled || it.accepts || !it.shape.empty())
    c.fail(Cause::kShape, "a copy of a " + type_text(a.type) + " whose size is known only when the program runs");
  return collect_counted(c, nullptr, bound_of(c, a), it.count(c), [&](IrValue k) { return it.at(c, k); });
}

IrValue as_flag(Compiler& c, const Abstract& v) {
  if (v.type != core().bool_) c.fail(Cause::kUnsupported, "a test that gives a " + type_text(v.type));
  return c.scalar(v);
}

Iterable plain_iterable(Compiler& c, const Abstract& a) {
  Iterable it = iterable_of(c, a);
  if (it.is_unrolled) {
    const Abstract array = array_of_elements(c, it.elements, {static_cast<int64_t>(it.elements.size())});
    it = iterable_of(c, array);
    if (it.is_unrolled) c.fail(Cause::kUnsupported, "a set of values of type " + type_text(a.type));
  }
  return it;
}

const Type* known_type(Compiler& c, const Abstract& t) {
  if (!t.is_constant() || !t.constant.is_type()) c.fail(Cause::kDispatch, "an element type that is not known");
  return c.evaluator().impl().type_of_value(t.constant);
}

Abstract (*find_stored_emission(Compiler& c, std::string_view name,
                                std::span<const Abstract> arguments))(Compiler&, std::span<const Abstract>) {
  const auto from = [&](std::span<const Emission> list) -> Abstract (*)(Compiler&, std::span<const Abstract>) {
    const auto it = std::ranges::find(list, name, &Emission::name);
    return it == list.end() ? nullptr : it->emit;
  };
  if (std::ranges::any_of(arguments, [&](const Abstract& x) { return is_bounded(c, x); })) {
    const auto emit = from(bounded_emissions());
    return emit != nullptr ? emit : from(counted_emissions());
  }
  if (std::ranges::any_of(arguments, [&](const Abstract& x) { return is_list(c, x); })) return from(list_emissions());
  return nullptr;
}

}  // namespace weft::julia
