// Selections: by tests and masks, different elements, sets.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/iterable.h"
#include "julia/infer/maybe.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

using Args = std::span<const Abstract>;

Abstract known_int(int64_t v) { return Abstract::of_constant(number(v)); }

/// (test, array): the linear places of the elements that pass.
Abstract find_all(Compiler& c, Args a) {
  const Iterable it = plain_iterable(c, a[1]);
  return collect_if(c, core().int64, bound_of(c, a[1]), it.count(c), [&](IrValue k) {
    const IrValue keep = as_flag(c, c.call(a[0], {it.at(c, k)}));
    return std::pair(Abstract::of_scalar(core().int64, op2(c, "stablehlo.add", k, int_like(c, k, 1))), keep);
  });
}

constexpr int64_t kMostCompared = 4096;

/// Whether one of the first elements of a vector is the same as x.
IrValue contains(Compiler& c, const Iterable& it, IrValue count, const Abstract& x) {
  const Abstract no = Abstract::of_constant(boolean(false));
  return c.scalar(c.fold_while(
      c.int_constant(0), count, no,
      [&](IrValue k, const Abstract&) { return c.call_base("isequal", {it.at(c, k), x}); },
      [&](const Abstract& v) { return c.b().logical_not(c.scalar(v)); }));
}

void require_few(Compiler& c, int64_t n) {
  if (n > kMostCompared)
    c.fail(Cause::kUnsupported, "a search for equal ones among " + std::to_string(n) + " elements");
}

/// (f, iterable, element type or nothing): the elements whose f is new.
Abstract unique(Compiler& c, Args a) {
  const Iterable it = plain_iterable(c, a[1]);
  const int64_t bound =
      it.accepts || !is_array_object(c, a[1]) ? bound_of(c, a[1]) : bound_of(c, array_argument(c, a[1]));
  require_few(c, bound);
  const Type* element_type = nullptr;
  if (a[2].is_constant() && a[2].constant.is_type()) element_type = c.evaluator().impl().type_of_value(a[2].constant);
  if (bound == 0 && element_type == nullptr) c.fail(Cause::kUnsupported, "unique of no elements");
  // Keys that were there before, side by side with their elements.
  Abstract key_like;
  {
    const Compiler::Region scratch(c, {});
    key_like = c.call(a[0], {it.at(c, c.int_constant(0))});
  }
  c.activation()->is_dead = false;
  if (!is_plain_element(c, key_like.type))
    c.fail(Cause::kUnsupported, "unique by keys of type " + type_text(key_like.type));
  const Abstract keys = make_bounded(c, array_type(key_like.type, 1), bound + 1, known_int(0));
  const Iterable seen = iterable_of(c, keys);
  return collect_if(c, element_type, bound, it.count(c), [&](IrValue k) {
    const Abstract x = it.at(c, k), key = c.call(a[0], {x});
    IrValue is_new = c.b().logical_not(contains(c, seen, count_of(c, keys), key));
    if (it.accepts) is_new = c.b().logical_and(is_new, it.accepts(c, k));
    append_bounded(c, keys, key, is_new);
    return std::pair(x, is_new);
  });
}

/// Elements as they are: comparing what was converted could make different ones equal.
void require_type(Compiler& c, const Type* element_type, const Abstract& a) {
  const Abstract own = c.call_base("eltype", {a});
  if (known_type(c, own) != element_type)
    c.fail(Cause::kUnsupported,
           "a set of elements of type " + type_text(known_type(c, own)) + " and " + type_text(element_type));
}

/// (element type, iterables…): the different elements of all.
Abstract unite(Compiler& c, Args a) {
  const Type* element_type = known_type(c, a[0]);
  std::vector<Iterable> each;
  int64_t bound = 0;
  for (const Abstract& x : a.subspan(1)) {
    const int64_t n = bound_of(c, x.type->is_tuple ? c.call_base("collect", {x}) : x);
    if (n == 0) continue;
    require_type(c, element_type, x);
    each.push_back(plain_iterable(c, x));
    if (each.back().accepts) c.fail(Cause::kUnsupported, "a union with what a filter lets through");
    bound += n;
  }
  require_few(c, bound);
  if (bound == 0) return make_filled(c, element_type, {0}, nullptr);
  const Abstract out = make_bounded(c, array_type(element_type, 1), bound + 1, known_int(0));
  const Iterable seen = iterable_of(c, out);
  for (const Iterable& it : each)
    c.fold(c.int_constant(0), it.count(c), Abstract::nothing(), [&](IrValue k, const Abstract& none) {
      const Abstract x = it.at(c, k);
      append_bounded(c, out, x, c.b().logical_not(contains(c, seen, count_of(c, out), x)));
      return none;
    });
  return out;
}

/// (element type, iterable, others, wanted?): the different elements that are (or are not) among the others.
Abstract select(Compiler& c, Args a) {
  const Type* element_type = known_type(c, a[0]);
  if (!a[3].is_constant()) c.fail(Cause::kDispatch, "intersect or setdiff");
  const bool wanted = a[3].constant.get<bool>();
  const int64_t bound = bound_of(c, a[1].type->is_tuple ? c.call_base("collect", {a[1]}) : a[1]);
  if (bound == 0) return make_filled(c, element_type, {0}, nullptr);
  require_type(c, element_type, a[1]);
  const Iterable it = plain_iterable(c, a[1]);
  require_few(c, bound);
  const bool is_range = subtype(a[2].type, builtin_type("AbstractRange"));
  const Iterable others = is_range ? Iterable() : plain_iterable(c, a[2]);
  if (it.accepts || others.accepts) c.fail(Cause::kUnsupported, "a set with what a filter lets through");
  const Abstract out = make_bounded(c, array_type(element_type, 1), bound + 1, known_int(0));
  const Iterable seen = iterable_of(c, out);
  c.fold(c.int_constant(0), it.count(c), Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    const Abstract x = it.at(c, k);
    IrValue is_there = is_range ? c.scalar(c.call_base("in", {x, a[2]})) : contains(c, others, others.count(c), x);
    if (!wanted) is_there = c.b().logical_not(is_there);
    const IrValue is_new = c.b().logical_not(contains(c, seen, count_of(c, out), x));
    append_bounded(c, out, x, c.b().logical_and(is_there, is_new));
    return none;
  });
  return out;
}

/// (element type, iterables…): the elements that an odd number of them has.
Abstract symmetric_difference(Compiler& c, Args a) {
  const Type* element_type = known_type(c, a[0]);
  Abstract all = unite(c, a);
  if (c.object(all).is_array) return all;
  std::vector<Iterable> each;
  for (const Abstract& x : a.subspan(1)) {
    if (bound_of(c, x.type->is_tuple ? c.call_base("collect", {x}) : x) > 0) each.push_back(plain_iterable(c, x));
  }
  const Iterable from = iterable_of(c, all);
  return collect_if(c, element_type, length_of(c.object(all)) - 1, from.count(c), [&](IrValue k) {
    const Abstract x = from.at(c, k);
    IrValue odd = c.b().constant(Literal::dense(Tensor::scalar_of(false)));
    for (const Iterable& it : each) odd = op2(c, "stablehlo.xor", odd, contains(c, it, it.count(c), x));
    return std::pair(x, odd);
  });
}

/// (vector, vector): the first takes the contents of the second.
Abstract take_contents(Compiler& c, Args a) {
  const Abstract from = is_bounded(c, a[1]) || is_list(c, a[1]) ? a[1] : array_argument(c, a[1]);
  const HeapObject o = c.object(from);
  if (o.element != c.object(is_array_object(c, a[0]) ? array_argument(c, a[0]) : a[0]).element)
    c.fail(Cause::kUnsupported, "a vector that takes elements of another type");
  HeapObject& to = c.writable(a[0]);
  to.is_array = o.is_array;
  to.dims = o.dims;
  to.leaves = o.leaves;
  to.fields = o.fields;
  return a[0];
}

constexpr Emission kAny[] = {
    {"_findall", find_all},
    {"_unique", unique},
    {"_union", unite},
    {"_select", select},
    {"_symdiff", symmetric_difference},
    {"_take_contents!", take_contents},
};

}  // namespace

namespace {

void require_mask(Compiler& c, const HeapObject& o, const Abstract& mask) {
  const HeapObject m = c.object(array_argument(c, mask));
  if (m.dims != o.dims && (m.dims.size() != 1 || length_of(m) != length_of(o)))
    c.fail(Cause::kUnsupported, "BoundsError: a mask of another size than its array");
}

}  // namespace

Abstract select_by_mask(Compiler& c, const Abstract& array, const Abstract& mask) {
  const HeapObject o = c.object(array);
  require_mask(c, o, mask);
  const Abstract marks = array_argument(c, mask);
  const int64_t n = length_of(o);
  Abstract out = collect_if(c, o.element, n, c.int_constant(n), [&](IrValue k) {
    return std::pair(element_at(c, array, k), c.scalar(element_at(c, marks, k)));
  });
  if (o.type->name->name != Symbol("BitArray")) return out;
  const DataType* type = applied(core().bit_array, {make_int(1)});
  c.writable(out).type = type;
  return Abstract::of_object(type, out.object);
}

Abstract set_by_mask(Compiler& c, const Abstract& array, const Abstract& values, const Abstract& mask) {
  const HeapObject o = c.object(array);
  require_mask(c, o, mask);
  const Abstract marks = array_argument(c, mask);
  const Iterable from = plain_iterable(c, values);
  const int64_t n = length_of(o), flat[] = {n};
  {
    HeapObject& to = c.writable(array);
    for (IrValue& v : to.leaves) v = c.b().reshape(v, flat);
  }
  // How many have been taken; those that are not wanted write back what was there.
  const Abstract taken =
      c.fold(c.int_constant(0), c.int_constant(n), Abstract::of_scalar(core().int64, c.int_constant(0)),
             [&](IrValue k, const Abstract& before) {
               const IrValue wanted = c.scalar(element_at(c, marks, k));
               const Abstract x = c.choose(
                   wanted, [&] { return c.convert(o.element, from.at(c, c.scalar(before))); },
                   [&] { return element_at(c, array, k); });
               put_bounded(c, array, k, x);
               const IrValue more = convert_num(c, {NumberKind::kBool, wanted}, NumberKind::kInt64).v;
               return Abstract::of_scalar(core().int64, op2(c, "stablehlo.add", c.scalar(before), more));
             });
  check_all(c, compare2(c, c.scalar(taken), from.count(c), "EQ"),
            "DimensionMismatch: an assignment to as many elements as a mask selects");
  HeapObject& to = c.writable(array);
  for (IrValue& v : to.leaves) v = c.b().reshape(v, reversed(o.dims));
  return array;
}

std::span<const Emission> selection_emissions() { return kAny; }

}  // namespace weft::julia
