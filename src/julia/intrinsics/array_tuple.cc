// Tuples and named tuples.
#include <algorithm>

#include "julia/host/array_look.h"
#include "julia/host/hash.h"
#include "julia/host/number_ops.h"
#include "julia/intrinsics/array.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"

namespace weft::julia {
namespace {

std::vector<Value> elements(const Value& tuple) {
  std::vector<Value> out;
  const size_t n = field_count(tuple);
  out.reserve(n);
  for (size_t i = 0; i < n; ++i) out.push_back(get_field(tuple, i));
  return out;
}

Value length(Evaluator&, Args a) { return number(static_cast<int64_t>(field_count(a[0]))); }

Value get(Evaluator&, Args a) {
  const int64_t i = integer_of(a[1]);
  if (i < 1 || static_cast<size_t>(i) > field_count(a[0])) throw_bounds_error(a[0], a[1]);
  return get_field(a[0], static_cast<size_t>(i - 1));
}

/// t[indices].
Value select(Evaluator& e, Args a) {
  std::vector<Value> out;
  e.for_each(a[1], [&](const Value& index) {
    const int64_t i = integer_of(index);
    if (i < 1 || static_cast<size_t>(i) > field_count(a[0])) throw_bounds_error(a[0], a[1]);
    out.push_back(get_field(a[0], static_cast<size_t>(i - 1)));
    return true;
  });
  return make_tuple(std::move(out));
}

/// setindex(t, v, i): a new tuple.
Value with(Evaluator&, Args a) {
  std::vector<Value> out = elements(a[0]);
  const int64_t i = integer_of(a[2]);
  if (i < 1 || static_cast<size_t>(i) > out.size()) throw_bounds_error(a[0], a[2]);
  out[static_cast<size_t>(i - 1)] = a[1];
  return make_tuple(std::move(out));
}

Value iterate(Evaluator&, Args a) {
  const int64_t i = a.size() > 1 ? integer_of(a[1]) : 1;
  if (i < 1 || static_cast<size_t>(i) > field_count(a[0])) return nothing();
  return make_tuple({get_field(a[0], static_cast<size_t>(i - 1)), number(i + 1)});
}

Value without_first(Evaluator&, Args a) {
  std::vector<Value> out = elements(a[0]);
  out.erase(out.begin());
  return make_tuple(std::move(out));
}

Value without_last(Evaluator&, Args a) {
  std::vector<Value> out = elements(a[0]);
  out.pop_back();
  return make_tuple(std::move(out));
}

Value reversed(Evaluator&, Args a) {
  std::vector<Value> out = elements(a[0]);
  std::ranges::reverse(out);
  return make_tuple(std::move(out));
}

Value collect(Evaluator& e, Args a) {
  std::vector<Value> out;
  const bool is_generator = is_of(a[0], builtin_type("Base.Generator"));
  const Value f = is_generator ? get_field(a[0], 0) : Value();
  e.for_each(is_generator ? get_field(a[0], 1) : a[0], [&](const Value& v) {
    out.push_back(is_generator ? e.call(f, {v}) : v);
    return true;
  });
  return make_tuple(std::move(out));
}

/// The join of a tuple type's parameters, missing and nothing kept apart.
Value element_type(Evaluator&, Args a) {
  const auto* t = as<DataType>(unwrap_union_all(a[0].as_type()));
  const Type* joined = core().bottom;
  if (t == nullptr || !t->is_tuple) return Value::of_type(core().any);
  for (const Type* p : t->parameters) {
    const auto* rest = as<Vararg>(p);
    joined = promote_type_join(joined, rest == nullptr ? p : rest->element);
  }
  return Value::of_type(joined->is_closed() ? joined : core().any);
}

int64_t least_length(const DataType* t) {
  auto n = static_cast<int64_t>(t->parameters.size());
  if (n > 0 && as<Vararg>(t->parameters.back()) != nullptr) --n;
  return n;
}

/// How many elements a tuple type fixes; -1: any number.
Value length_of_type(Evaluator&, Args a) {
  const auto* t = as<DataType>(unwrap_union_all(a[0].as_type()));
  const bool is_open = t == nullptr || (!t->parameters.empty() && as<Vararg>(t->parameters.back()) != nullptr);
  return number(is_open ? int64_t{-1} : least_length(t));
}

/// convert(T, t), each element to its own type.
Value convert(Evaluator& e, Args a) {
  if (is_a(a[1], a[0].as_type())) return a[1];
  const auto* t = as<DataType>(unwrap_union_all(a[0].as_type()));
  std::vector<Value> out = elements(a[1]);
  const Vararg* rest = nullptr;
  if (t != nullptr && !t->parameters.empty()) rest = as<Vararg>(t->parameters.back());
  const auto refuse = [&] {
    throw JuliaError(
        make_exception("MethodError", {e.base_function("convert"), make_tuple({a[0], a[1]}), number(uint64_t{1})}));
  };
  if (t == nullptr || !t->is_tuple) refuse();
  const int64_t least = least_length(t);
  const auto n = static_cast<int64_t>(out.size());
  if (n < least || (rest == nullptr && n > least)) refuse();
  for (size_t i = 0; i < out.size(); ++i) {
    const Type* to = i < static_cast<size_t>(least) ? t->parameters[i] : rest->element;
    if (to->kind == TypeKind::kVar) to = as<TypeVar>(to)->upper;
    out[i] = e.convert(to, out[i]);
  }
  Value v = make_tuple(std::move(out));
  if (!is_a(v, a[0].as_type())) refuse();
  return v;
}

/// Whether two tuples are equal; nothing() where that takes methods of the elements' types.
template <bool kIdentity>
Value tuples_equal(Evaluator&, Args a) {
  const size_t n = field_count(a[0]);
  if (n != field_count(a[1])) return boolean(false);
  for (size_t i = 0; i < n; ++i) {
    const Value x = get_field(a[0], i), y = get_field(a[1], i);
    if (number_kind(x) && number_kind(y)) {
      if (!(kIdentity ? is_equal(x, y) : numbers_equal(x, y))) return boolean(false);
      continue;
    }
    const bool is_plain = x.is(core().symbol) || is_of(x, core().one_to);
    if (!is_plain || x.type() != y.type()) return nothing();
    if (!is_identical(x, y)) return boolean(false);
  }
  return boolean(true);
}

// ---- named tuples

std::vector<Symbol> names_of(const Value& tuple) {
  std::vector<Symbol> out;
  for (size_t i = 0; i < field_count(tuple); ++i) {
    const Value v = get_field(tuple, i);
    if (!v.is(core().symbol)) throw_type_error("NamedTuple", "names", core().symbol, v);
    if (std::ranges::find(out, v.as_symbol()) != out.end())
      throw_error("duplicate field name in NamedTuple: \"" + v.as_symbol().text() + "\" is not unique");
    out.push_back(v.as_symbol());
  }
  return out;
}

/// (names, values), both tuples.
Value named(Evaluator&, Args a) {
  const std::vector<Symbol> names = names_of(a[0]);
  std::vector<Value> values = elements(a[1]);
  if (names.size() != values.size()) throw_argument_error("Wrong number of arguments to named tuple constructor.");
  return make_named_tuple(names, std::move(values));
}

Value values_of_named(Evaluator&, Args a) {
  if (a.size() == 1) return make_tuple(elements(a[0]));
  std::vector<Value> out;
  for (const Symbol s : names_of(a[1])) {
    Value v = get_field(a[0], s);
    if (!v.is_defined())
      throw JuliaError(make_exception("FieldError", {Value::of_type(a[0].type()), Value::of_symbol(s)}));
    out.push_back(std::move(v));
  }
  return make_tuple(std::move(out));
}

/// The fields of the first, with the values of the second where it has them, then the second's other fields.
Value merged(Evaluator&, Args a) {
  std::vector<Symbol> names = a[0].type()->field_names();
  std::vector<Value> values = elements(a[0]);
  const std::vector<Symbol> more = a[1].type()->field_names();
  for (size_t i = 0; i < more.size(); ++i) {
    const auto it = std::ranges::find(names, more[i]);
    if (it != names.end()) {
      values[static_cast<size_t>(it - names.begin())] = get_field(a[1], i);
      continue;
    }
    names.push_back(more[i]);
    values.push_back(get_field(a[1], i));
  }
  return make_named_tuple(names, std::move(values));
}

Value without(Evaluator&, Args a) {
  const std::vector<Symbol> dropped = names_of(a[1]);
  std::vector<Symbol> names;
  std::vector<Value> values;
  const std::vector<Symbol> all = a[0].type()->field_names();
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::ranges::find(dropped, all[i]) != dropped.end()) continue;
    names.push_back(all[i]);
    values.push_back(get_field(a[0], i));
  }
  return make_named_tuple(names, std::move(values));
}

// ---- tuples of axes, Cartesian indices

/// The axes of an array in memory, or of extents: ranges that begin at one.
Value one_to_each(Evaluator&, Args a) {
  static const DataType* const one_to = applied(core().one_to, {core().int64});
  const std::vector<int64_t> dims = is_array(a[0]) ? array_of(a[0]).dims : integers_of(a[0]);
  std::vector<Value> out;
  for (const int64_t d : dims) out.push_back(make_struct(one_to, {number(std::max<int64_t>(d, 0))}));
  return make_tuple(std::move(out));
}

Value cartesian(std::vector<int64_t> numbers) {
  const DataType* type = applied(builtin_type("CartesianIndex"), {make_int(static_cast<int64_t>(numbers.size()))});
  return make_struct(type, {tuple_of(numbers)});
}

/// The element of CartesianIndices at a linear position, which must be within its length.
Value cartesian_element(Evaluator&, Args a) {
  const Value ranges = get_field(a[0], 0);
  int64_t rest = integer_of(a[1]) - 1;
  std::vector<int64_t> out;
  const size_t n = field_count(ranges);
  for (size_t k = 0; k < n; ++k) {
    const Value r = get_field(ranges, k);
    const int64_t extent = range_length(r);
    const int64_t i = k + 1 == n ? rest : rest % extent;
    if (i < 0 || i >= extent || rest < 0) throw_bounds_error(a[0], make_tuple({a[1]}));
    rest /= extent;
    out.push_back(integer_of(range_element(r, i)));
  }
  if (n == 0 && rest != 0) throw_bounds_error(a[0], make_tuple({a[1]}));
  return cartesian(std::move(out));
}

/// iterate of CartesianIndices; the state is the position of the next.
Value cartesian_iterate(Evaluator& e, Args a) {
  const int64_t i = a.size() > 1 ? integer_of(a[1]) : 1;
  const Value ranges = get_field(a[0], 0);
  int64_t length = 1;
  for (size_t k = 0; k < field_count(ranges); ++k) length *= range_length(get_field(ranges, k));
  if (i > length) return nothing();
  const Value arguments[] = {a[0], number(i)};
  return make_tuple({cartesian_element(e, arguments), number(i + 1)});
}

constexpr IntrinsicEntry kEntries[] = {
    {"_tuple_length", length, 1, 1},
    {"_named_length", length, 1, 1},
    {"_tuple_get", get, 2, 2},
    {"_tuple_select", select, 2, 2},
    {"_tuple_with", with, 3, 3},
    {"_tuple_iterate", iterate, 1, 2},
    {"_tuple_tail", without_first, 1, 1},
    {"_tuple_front", without_last, 1, 1},
    {"_tuple_reverse", reversed, 1, 1},
    {"_tuple_collect", collect, 1, 1},
    {"_tuple_eltype", element_type, 1, 1},
    {"_tuple_least_length", length_of_type, 1, 1},
    {"_tuple_convert", convert, 2, 2},
    {"_tuple_equal", tuples_equal<false>, 2, 2},
    {"_tuple_isequal", tuples_equal<true>, 2, 2},
    {"_named_tuple", named, 2, 2},
    {"_named_values", values_of_named, 1, 2},
    {"_named_merge", merged, 2, 2},
    {"_named_without", without, 2, 2},
    {"_one_to_each", one_to_each, 1, 1},
    {"_cartesian_element", cartesian_element, 2, 2},
    {"_cartesian_iterate", cartesian_iterate, 1, 2},
};

}  // namespace

std::span<const IntrinsicEntry> array_tuple_intrinsics() { return kEntries; }

}  // namespace weft::julia
