// Vectors of a known length that grow and shrink: their next length is known as well.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

Abstract vector_argument(Compiler& c, const Abstract& a) {
  const Abstract array = array_argument(c, a);
  if (c.object(array).dims.size() != 1) c.fail(Cause::kUnsupported, "only vectors change their length");
  return array;
}

/// The leaves of elements, side by side as a vector for each leaf.
std::vector<IrValue> joined(Compiler& c, const Type* element, Args elements) {
  std::vector<Abstract> converted;
  for (const Abstract& x : elements) converted.push_back(c.convert(element, x));
  const auto n = static_cast<int64_t>(converted.size());
  return c.object(array_of_elements(c, std::move(converted), {n}, element)).leaves;
}

/// The vector becomes what stands in `parts`, one after the other.
void become(Compiler& c, const Abstract& vector, const std::vector<std::vector<IrValue>>& parts) {
  HeapObject& o = c.writable(vector);
  for (size_t k = 0; k < o.leaves.size(); ++k) {
    std::vector<IrValue> pieces;
    for (const auto& p : parts) pieces.push_back(p[k]);
    o.leaves[k] = pieces.size() == 1 ? pieces[0] : c.b().concatenate(pieces, 0);
  }
  if (!c.b().type(o.leaves[0]).shape().empty()) o.dims = {c.b().type(o.leaves[0]).shape()[0]};
}

std::vector<IrValue> part(Compiler& c, const HeapObject& o, int64_t from, int64_t to) {
  const int64_t start[] = {from}, limit[] = {to}, one[] = {1};
  std::vector<IrValue> out;
  for (const IrValue v : o.leaves) out.push_back(c.b().slice(v, start, limit, one));
  return out;
}

Abstract push(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  if (a.size() == 1) return v;
  const std::vector<IrValue> more = joined(c, c.object(v).element, a.subspan(1));
  become(c, v, {c.object(v).leaves, more});
  return v;
}

Abstract push_first(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  if (a.size() == 1) return v;
  const std::vector<IrValue> more = joined(c, c.object(v).element, a.subspan(1));
  become(c, v, {more, c.object(v).leaves});
  return v;
}

Abstract append(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  const HeapObject from = c.object(array_argument(c, a[1])), to = c.object(v);
  std::vector<IrValue> more = from.leaves;
  if (from.element != to.element) {
    const auto kind = number_kind(from.element);
    if (!kind || !number_kind(to.element))
      c.fail(Cause::kUnsupported,
             "append! of elements of type " + type_text(from.element) + " to " + type_text(to.element));
    const Abstract converted = c.convert(to.element, Abstract::of_scalar(number_type(*kind), from.leaves[0]));
    more.clear();
    c.append_leaves(converted, more);
  }
  const int64_t flat[] = {length_of(from)};
  for (IrValue& x : more) x = c.b().reshape(x, flat);
  become(c, v, {to.leaves, more});
  return v;
}

template <bool Last>
Abstract pop(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  const HeapObject o = c.object(v);
  const int64_t n = o.dims[0];
  if (n == 0) {
    c.throws("ArgumentError: array must be non-empty");
    return Abstract::nothing();
  }
  const Abstract x = element_at(c, v, c.int_constant(Last ? n - 1 : 0));
  become(c, v, {part(c, o, Last ? 0 : 1, Last ? n - 1 : n)});
  return x;
}

/// The elements from these places on, each `shift` further on from a place that is known when the program runs.
std::vector<IrValue> moved(Compiler& c, const HeapObject& o, int64_t n, IrValue from, int64_t shift) {
  const int64_t shape[] = {n};
  const IrValue places = c.b().iota(weft::Type::tensor(ElementType::kI64, shape), 0);
  const IrValue after = op2(c, "stablehlo.add", places, int_like(c, places, shift));
  IrValue at = select3(c, compare2(c, places, from, "GE"), after, places);
  const int64_t last = std::max<int64_t>(o.dims[0] - 1, 0);
  at = op2(c, "stablehlo.minimum", op2(c, "stablehlo.maximum", at, int_like(c, at, 0)), int_like(c, at, last));
  const Abstract array = c.new_array(o.type, o.dims, o.leaves);
  std::vector<IrValue> out;
  c.append_leaves(element_at(c, array, at), out);
  return out;
}

IrValue checked_place(Compiler& c, const Abstract& i, int64_t most, const DataType* type) {
  const IrValue v = c.scalar(c.convert(core().int64, i));
  check_all(
      c, op2(c, "stablehlo.and", compare2(c, v, int_like(c, v, 1), "GE"), compare2(c, v, int_like(c, v, most), "LE")),
      "BoundsError: attempt to access " + type_text(type));
  return op2(c, "stablehlo.subtract", v, int_like(c, v, 1));
}

/// insert!(vector, i, x)
Abstract insert(Compiler& c, Args a) {
  Abstract v = vector_argument(c, a[0]);
  const HeapObject o = c.object(v);
  const Abstract x = c.convert(o.element, a[2]);
  const int64_t n = o.dims[0];
  const IrValue at = checked_place(c, a[1], n + 1, o.type);
  if (n == 0) {
    const std::vector<Abstract> both = {v, x};
    return push(c, both);
  }
  std::vector<IrValue> next = moved(c, o, n + 1, at, -1), parts;
  c.append_leaves(x, parts);
  const int64_t one[] = {1};
  for (size_t k = 0; k < next.size(); ++k)
    next[k] = c.b().dynamic_update_slice(next[k], c.b().reshape(parts[k], one), std::span(&at, 1));
  become(c, v, {next});
  return v;
}

/// (vector, first, count)
Abstract erase(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  const HeapObject o = c.object(v);
  const int64_t count = c.known_int(c.convert(core().int64, a[2]), "the number of elements to delete"), n = o.dims[0];
  if (count == 0) return v;
  if (count > n) {
    c.throws("BoundsError: attempt to access " + type_text(o.type));
    return v;
  }
  const IrValue at = checked_place(c, a[1], n - count + 1, o.type);
  become(c, v, {n == count ? part(c, o, 0, 0) : moved(c, o, n - count, at, count)});
  return v;
}

/// Room for `count` elements before a place: (vector, place, count).
Abstract gap(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  const HeapObject o = c.object(v);
  const int64_t count = c.known_int(c.convert(core().int64, a[2]), "the size of a gap"), n = o.dims[0];
  const int64_t at = c.known_int(c.convert(core().int64, a[1]), "the place of a gap") - 1;
  if (at < 0 || at > n) {
    c.throws("BoundsError: attempt to access " + type_text(o.type));
    return v;
  }
  const std::vector<IrValue> zeros = c.object(make_filled(c, o.element, {count}, nullptr)).leaves;
  become(c, v, {part(c, o, 0, at), zeros, part(c, o, at, n)});
  return v;
}

Abstract resize(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  const HeapObject o = c.object(v);
  const int64_t n = c.known_int(c.convert(core().int64, a[1]), "the new length of a vector"), before = o.dims[0];
  if (n < 0) {
    c.throws("ArgumentError: new length must be ≥ 0");
    return v;
  }
  if (n <= before) become(c, v, {part(c, o, 0, n)});
  else become(c, v, {o.leaves, c.object(make_filled(c, o.element, {n - before}, nullptr)).leaves});
  return v;
}

/// Keeps the elements whose mark is true.
Abstract keep(Compiler& c, Args a) {
  const Abstract v = vector_argument(c, a[0]);
  const Abstract marks = array_argument(c, a[1]);
  const HeapObject o = c.object(v);
  if (length_of(c.object(marks)) != o.dims[0]) c.fail(Cause::kUnsupported, "marks of another length than the vector");
  const Abstract source = c.new_array(o.type, o.dims, o.leaves);
  const Abstract kept = collect_if(c, o.element, o.dims[0], c.int_constant(o.dims[0]), [&](IrValue k) {
    return std::pair(element_at(c, source, k), c.scalar(element_at(c, marks, k)));
  });
  const std::vector<Abstract> both = {v, kept};
  return find_emission("_take_contents!")(c, both);
}

constexpr Emission kEmissions[] = {
    {"_push!", push},     {"_append!", append}, {"_pop!", pop<true>},        {"_popfirst!", pop<false>},
    {"_insert!", insert}, {"_erase!", erase},   {"_pushfirst!", push_first}, {"_gap!", gap},
    {"_resize!", resize}, {"_keep!", keep},
};

}  // namespace

std::span<const Emission> growth_emissions() { return kEmissions; }

}  // namespace weft::julia
