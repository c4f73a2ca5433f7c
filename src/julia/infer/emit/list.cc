// Arrays whose elements are values of their own: arrays of arrays, of Any, of tuples.
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

using Args = std::span<const Abstract>;

constexpr size_t kMostChosen = 16;

Abstract known_int(int64_t v) { return Abstract::of_constant(number(v)); }

/// The 0-based place that constant indices say; -1: out of bounds; nothing: they are known when the program runs.
std::optional<int64_t> place_of(const HeapObject& o, Args indices) {
  std::vector<int64_t> at;
  for (const Abstract& i : indices) {
    if (!i.is_constant() || i.type != core().int64) return std::nullopt;
    at.push_back(i.constant.get<int64_t>() - 1);
  }
  if (at.size() == 1) return at[0] >= 0 && at[0] < length_of(o) ? at[0] : -1;
  int64_t place = 0, stride = 1;
  for (size_t d = 0; d < std::max(at.size(), o.dims.size()); ++d) {
    const int64_t extent = d < o.dims.size() ? o.dims[d] : 1, i = d < at.size() ? at[d] : 0;
    if (i < 0 || i >= extent || (d >= at.size() && extent != 1)) return -1;
    place += i * stride;
    stride *= extent;
  }
  return place;
}

Abstract get(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  const std::string failure = "BoundsError: attempt to access " + type_text(o.type);
  if (const auto place = place_of(o, a.subspan(1))) {
    if (*place < 0) {
      c.throws(failure);
      return Abstract::nothing();
    }
    const Abstract& x = o.fields[static_cast<size_t>(*place)];
    if (x.is_defined() && !x.maybe_undefined) return x;
    if (x.is_defined()) c.fail(Cause::kUnsupported, "an element of an array that may have no value");
    c.throws("UndefRefError: access to undefined reference");
    return Abstract::nothing();
  }
  const std::vector<Abstract> all = all_elements(c, a[0]);
  if (a.size() != 2 || all.empty() || all.size() > kMostChosen)
    c.fail(Cause::kDispatch, "an element of a " + type_text(o.type) + " chosen when the program runs",
           "make it one array of numbers with one more dimension");
  const IrValue i = c.scalar(c.convert(core().int64, a[1]));
  check_all(c,
            op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"),
                compare2(c, i, int_like(c, i, length_of(o)), "LE")),
            failure);
  const std::function<Abstract(size_t)> from = [&](size_t k) -> Abstract {
    if (k + 1 == all.size()) return all[k];
    return c.choose(
        compare2(c, i, int_like(c, i, static_cast<int64_t>(k + 1)), "EQ"), [&] { return all[k]; },
        [&] { return from(k + 1); });
  };
  const Abstract v = from(0);
  if (!v.is_defined())
    c.fail(Cause::kDispatch,
           "an element of a " + type_text(o.type) + " chosen when the program runs, of several types or sizes");
  return v;
}

Abstract set(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  const auto place = place_of(o, a.subspan(2));
  if (!place)
    c.fail(Cause::kDispatch,
           "an element of a " + type_text(o.type) + " assigned at a place known when the program runs",
           "make it one array of numbers with one more dimension");
  if (*place < 0) {
    c.throws("BoundsError: attempt to access " + type_text(o.type));
    return a[0];
  }
  const Abstract v = c.convert(o.element, a[1]);
  c.writable(a[0]).fields[static_cast<size_t>(*place)] = v;
  return a[0];
}

Abstract length(Compiler& c, Args a) { return known_int(length_of(c.object(a[0]))); }

Abstract size(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  if (a.size() > 1) {
    const int64_t d = c.known_int(a[1], "a dimension");
    if (d >= 1) return known_int(d <= static_cast<int64_t>(o.dims.size()) ? o.dims[static_cast<size_t>(d - 1)] : 1);
    c.throws("arraysize: dimension out of range");
    return Abstract::nothing();
  }
  std::vector<Abstract> out;
  for (const int64_t d : o.dims) out.push_back(known_int(d));
  return c.tuple(std::move(out));
}

Abstract in_bounds(Compiler& c, Args a) {
  const auto place = place_of(c.object(a[0]), a.subspan(1));
  if (!place) c.fail(Cause::kDispatch, "a place in a list that is known only when the program runs");
  return Abstract::of_constant(boolean(*place >= 0));
}

Abstract axes(Compiler& c, Args a) {
  std::vector<Abstract> out;
  for (const int64_t d : c.object(a[0]).dims)
    out.push_back(c.constant_or_fields(applied(core().one_to, {core().int64}), {known_int(d)}));
  return c.tuple(std::move(out));
}

Abstract shape(Compiler& c, Args a) {
  if (!is_list(c, a[0])) return Abstract::nothing();
  return size(c, a.first(1));
}

std::vector<int64_t> dims_of_either(Compiler& c, const Abstract& a) {
  return is_list(c, a) ? c.object(a).dims : c.object(array_argument(c, a)).dims;
}

template <const char* Comparison>
Abstract compare(Compiler& c, Args a) {
  if (is_bounded(c, a[0]) || is_bounded(c, a[1]))
    c.fail(Cause::kUnsupported, "a list beside a vector of unknown length");
  if (dims_of_either(c, a[0]) != dims_of_either(c, a[1])) return Abstract::of_constant(boolean(false));
  const std::vector<Abstract> x = all_elements(c, a[0]), y = all_elements(c, a[1]);
  Abstract all = Abstract::of_constant(boolean(true));
  for (size_t i = 0; i < x.size(); ++i) {
    const Abstract same = c.call_base(Comparison, {x[i], y[i]});
    if (same.type != core().bool_) c.fail(Cause::kUnsupported, "a comparison that gives a " + type_text(same.type));
    if (same.is_constant() && !same.constant.get<bool>()) return same;
    if (same.is_constant()) continue;
    all = all.is_constant() ? same
                            : Abstract::of_scalar(core().bool_, op2(c, "stablehlo.and", c.scalar(all), c.scalar(same)));
  }
  return all;
}
constexpr char kEqual[] = "==", kIsEqual[] = "isequal";

Abstract copy(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  return make_list(c, o.element, o.dims, o.fields);
}

/// copyto!(to, from)
Abstract copy_whole(Compiler& c, Args a) {
  const std::vector<Abstract> from = all_elements(c, a[1]);
  for (size_t i = 0; i < from.size(); ++i) {
    c.call_base("setindex!", {a[0], from[i], known_int(static_cast<int64_t>(i + 1))});
    if (c.activation()->is_dead) break;
  }
  return a[0];
}

Abstract fill(Compiler& c, Args a) {
  const Abstract v = c.convert(c.object(a[0]).element, a[1]);
  std::ranges::fill(c.writable(a[0]).fields, v);
  return a[0];
}

Abstract reshape(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  const std::vector<int64_t> dims = known_dims(c, a[1]);
  if (num_elements(dims) != length_of(o)) {
    c.throws("DimensionMismatch: new dimensions must be consistent with array length " + std::to_string(length_of(o)));
    return Abstract::nothing();
  }
  return make_list(c, o.element, dims, o.fields);
}

Abstract iterate(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  const Abstract at = a.size() > 1 ? a[1] : known_int(1);
  const int64_t i = c.known_int(at, "the place of an iteration");
  if (i < 1 || i > length_of(o)) return Abstract::nothing();
  const std::vector<Abstract> both = {a[0], at};
  return c.tuple({get(c, both), known_int(i + 1)});
}

/// Elements at constant places, or one.
Abstract get_block(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  if (a.size() != 2) c.fail(Cause::kUnsupported, "a block of a " + type_text(o.type));
  if (number_kind(a[1].type)) return get(c, a);
  const std::string name = a[1].type->name->name.text();
  std::vector<Abstract> out;
  if (name == "Colon" || name == "Slice") {
    out = all_elements(c, a[0]);
  } else {
    for (const Abstract& i : all_elements(c, a[1])) {
      const std::vector<Abstract> both = {a[0], i};
      out.push_back(get(c, both));
      if (c.activation()->is_dead) return Abstract::nothing();
    }
  }
  const auto n = static_cast<int64_t>(out.size());
  return make_list(c, o.element, {n}, std::move(out));
}

// ---- growing and shrinking

HeapObject& list_to_change(Compiler& c, const Abstract& a) {
  HeapObject& o = c.writable(a);
  if (o.dims.size() != 1) c.fail(Cause::kUnsupported, "only vectors change their length");
  return o;
}
void set_length(HeapObject& o) { o.dims = {static_cast<int64_t>(o.fields.size())}; }

Abstract push(Compiler& c, Args a) {
  for (const Abstract& x : a.subspan(1)) {
    const Abstract v = c.convert(c.object(a[0]).element, x);
    HeapObject& o = list_to_change(c, a[0]);
    o.fields.push_back(v);
    set_length(o);
  }
  return a[0];
}

Abstract append(Compiler& c, Args a) {
  std::vector<Abstract> all = all_elements(c, a[1]);
  all.insert(all.begin(), a[0]);
  return push(c, all);
}

template <bool Last>
Abstract pop(Compiler& c, Args a) {
  HeapObject& o = list_to_change(c, a[0]);
  if (o.fields.empty()) {
    c.throws("ArgumentError: array must be non-empty");
    return Abstract::nothing();
  }
  const auto place = Last ? o.fields.end() - 1 : o.fields.begin();
  Abstract v = *place;
  o.fields.erase(place);
  set_length(o);
  return v;
}

Abstract push_first(Compiler& c, Args a) {
  std::vector<Abstract> given;
  for (const Abstract& x : a.subspan(1)) given.push_back(c.convert(c.object(a[0]).element, x));
  HeapObject& o = list_to_change(c, a[0]);
  o.fields.insert(o.fields.begin(), given.begin(), given.end());
  set_length(o);
  return a[0];
}

Abstract resize(Compiler& c, Args a) {
  const int64_t n = c.known_int(c.convert(core().int64, a[1]), "the length of a list");
  HeapObject& o = list_to_change(c, a[0]);
  o.fields.resize(static_cast<size_t>(std::max<int64_t>(n, 0)));
  set_length(o);
  return a[0];
}

}  // namespace

Abstract concatenate_lists(Compiler& c, Args a) {
  if (!a[1].is_constant()) c.fail(Cause::kDispatch, "a concatenation to an element type that is not known");
  const Type* element = c.evaluator().impl().type_of_value(a[1].constant);
  if (c.known_int(a[2], "the dimension of a concatenation") != 1)
    c.fail(Cause::kUnsupported,
           "a concatenation of arrays of " + type_text(element) + " along other dimensions than the first");
  std::vector<Abstract> out;
  for (const Abstract& x : a.subspan(3)) {
    if (!subtype(x.type, core().abstract_array)) {
      out.push_back(x);
      continue;
    }
    if (is_list(c, x) ? c.object(x).dims.size() != 1 : c.object(array_argument(c, x)).dims.size() != 1)
      c.fail(Cause::kUnsupported, "a concatenation of matrices of " + type_text(element));
    const std::vector<Abstract> more = all_elements(c, x);
    out.insert(out.end(), more.begin(), more.end());
  }
  const auto n = static_cast<int64_t>(out.size());
  return array_of_elements(c, std::move(out), {n}, element);
}

namespace {

constexpr Emission kEmissions[] = {
    {"_array_get", get},
    {"_array_set", set},
    {"_array_length", length},
    {"_array_size", size},
    {"_array_in_bounds", in_bounds},
    {"_one_to_each", axes},
    {"_builtin_shape", shape},
    {"_array_equal", compare<kEqual>},
    {"_array_isequal", compare<kIsEqual>},
    {"_array_copy", copy},
    {"_copy_whole", copy_whole},
    {"_array_fill!", fill},
    {"_array_reshape", reshape},
    {"_array_iterate", iterate},
    {"_block_get", get_block},
    {"_push!", push},
    {"_append!", append},
    {"_pop!", pop<true>},
    {"_popfirst!", pop<false>},
    {"_pushfirst!", push_first},
    {"_resize!", resize},
    {"_concatenate", concatenate_lists},
};

}  // namespace

std::span<const Emission> list_emissions() { return kEmissions; }

}  // namespace weft::julia
