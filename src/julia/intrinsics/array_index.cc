// Indexing with ranges, colons, masks and lists: what is selected, block reads and writes, and arrays seen through views.
#include "julia/intrinsics/array_index.h"

#include <algorithm>

#include "julia/host/array_look.h"
#include "julia/host/show.h"
#include "julia/host/tracked.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

bool named(const Value& v, const char* type) { return is_of(v, builtin_type(type)); }

/// Positions of the elements of a CartesianIndex within dims; false when it is out of bounds.
bool cartesian_position(const Value& index, std::span<const int64_t> dims, int64_t& at) {
  const Value numbers = get_field(index, 0);
  int64_t stride = 1;
  bool inside = true;
  at = 0;
  for (size_t k = 0; k < field_count(numbers); ++k) {
    const int64_t i = get_field(numbers, k).get<int64_t>() - 1;
    const int64_t extent = k < dims.size() ? dims[k] : 1;
    inside &= i >= 0 && i < extent;
    at += i * stride;
    stride *= extent;
  }
  return inside;
}

void check_list(ResolvedIndex& r, int64_t extent) {
  for (const int64_t i : r.list) r.in_bounds &= i >= 0 && i < extent;
}

ResolvedIndex of_range(int64_t first, int64_t step, int64_t count, int64_t extent) {
  ResolvedIndex r;
  r.shape = {count};
  r.count = count;
  r.start = first - 1;
  r.step = step;
  if (count > 0) {
    const int64_t last = r.start + (count - 1) * step;
    r.in_bounds = std::min(r.start, last) >= 0 && std::max(r.start, last) < extent;
  }
  return r;
}

/// One index over `rest`, the dimensions from its own on; `is_last` and `is_only` say where it stands in the list.
std::optional<ResolvedIndex> resolve(const Value& v, std::span<const int64_t> rest, bool is_only) {
  int64_t extent = rest.empty() ? 1 : rest[0];
  if (is_only) {
    extent = 1;
    for (const int64_t d : rest) extent *= d;
  }
  if (const auto kind = number_kind(v)) {
    if (*kind == NumberKind::kBool || is_float(*kind)) return std::nullopt;
    ResolvedIndex r = of_range(integer_of(v), 1, 1, extent);
    r.is_scalar = true;
    r.shape.clear();
    return r;
  }
  if (named(v, "Colon")) return of_range(1, 1, extent, extent);
  if (is_range(v)) {
    const auto kind = number_kind(v.type()->parameters[0]);
    if (!kind || *kind == NumberKind::kBool || is_float(*kind)) return std::nullopt;
    const int64_t n = range_length(v);
    if (n <= 0) return of_range(1, 1, 0, extent);
    const int64_t first = integer_of(range_element(v, 0));
    const int64_t step = n > 1 ? integer_of(range_element(v, 1)) - first : 1;
    return of_range(first, step, n, extent);
  }
  if (named(v, "Slice") || named(v, "IdentityUnitRange")) return resolve(get_field(v, 0), rest, is_only);
  if (named(v, "CartesianIndex")) {
    ResolvedIndex r;
    r.is_scalar = true;
    r.covers = field_count(get_field(v, 0));
    r.in_bounds = cartesian_position(v, rest, r.start);
    return r;
  }
  if (!is_array(v)) return std::nullopt;
  const ArrayObject& x = array_of(v);
  ResolvedIndex r;
  r.shape = x.dims;
  r.count = x.length;
  if (x.flat == core().bool_) {
    r.covers = is_only && x.dims.size() == 1 ? 1 : x.dims.size();
    if (r.covers == 1) {
      r.in_bounds = x.length == extent;
    } else {
      for (size_t k = 0; k < x.dims.size(); ++k) r.in_bounds &= x.dims[k] == (k < rest.size() ? rest[k] : 1);
    }
    const bool* marks = x.data_as<bool>();
    for (int64_t i = 0; i < x.length; ++i) {
      if (marks[i]) r.list.push_back(i);
    }
    r.count = static_cast<int64_t>(r.list.size());
    r.shape = {r.count};
    if (r.list.empty()) r.step = 1;
    return r;
  }
  if (x.flat == core().int64) {
    const int64_t* p = x.data_as<int64_t>();
    r.list.resize(static_cast<size_t>(x.length));
    for (int64_t i = 0; i < x.length; ++i) r.list[static_cast<size_t>(i)] = p[i] - 1;
    check_list(r, extent);
    return r;
  }
  const bool is_cartesian =
      x.flat != nullptr && x.flat->name == as<DataType>(unwrap_union_all(builtin_type("CartesianIndex")))->name;
  const auto kind = x.flat == nullptr ? std::nullopt : number_kind(x.flat);
  if (is_cartesian) {
    r.covers = x.flat->field_types().empty() ? 0 : as<DataType>(x.flat->field_types()[0])->parameters.size();
    for (int64_t i = 0; i < x.length; ++i) {
      int64_t at = 0;
      r.in_bounds &= cartesian_position(get_element(x, i), rest, at);
      r.list.push_back(at);
    }
    return r;
  }
  if (x.flat == nullptr || (kind && !is_float(*kind))) {
    for (int64_t i = 0; i < x.length; ++i) {
      const Value e = get_element(x, i);
      const auto k = number_kind(e);
      if (!e.is_defined() || !k || *k == NumberKind::kBool || is_float(*k)) return std::nullopt;
      r.list.push_back(integer_of(e) - 1);
    }
    check_list(r, extent);
    return r;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<ResolvedIndex>> resolve_indices(const std::vector<int64_t>& dims, Args indices) {
  std::vector<ResolvedIndex> out;
  size_t k = 0;
  int64_t stride = 1;
  const std::span<const int64_t> all(dims);
  for (const Value& v : indices) {
    std::optional<ResolvedIndex> r = resolve(v, all.subspan(std::min(k, dims.size())), indices.size() == 1);
    if (!r) return std::nullopt;
    r->stride = stride;
    if (indices.size() == 1 && r->covers == 1) r->covers = std::max<size_t>(dims.size(), 1);
    for (size_t i = 0; i < r->covers; ++i, ++k) stride *= k < dims.size() ? dims[k] : 1;
    out.push_back(std::move(*r));
  }
  // Dimensions without an index must have one element.
  for (; k < dims.size(); ++k) {
    if (dims[k] == 1) continue;
    if (out.empty()) out.emplace_back().is_scalar = true;
    out.back().in_bounds = false;
  }
  return out;
}

bool in_bounds(const std::vector<ResolvedIndex>& indices) {
  return std::ranges::all_of(indices, [](const ResolvedIndex& r) { return r.in_bounds; });
}

namespace {

template <size_t kSize>
void copy_flat(const std::vector<ResolvedIndex>& indices, const std::byte* from, std::byte* to) {
  for_each_position(indices, [&](int64_t p) {
    std::memcpy(to, from + static_cast<size_t>(p) * kSize, kSize);
    to += kSize;
  });
}

Value gathered(const Value& a, const std::vector<ResolvedIndex>& indices) {
  const ArrayObject& x = array_of(a);
  std::vector<int64_t> dims;
  for (const ResolvedIndex& r : indices) dims.insert(dims.end(), r.shape.begin(), r.shape.end());
  Value out = similar_to(a, x.element, std::move(dims));
  ArrayObject& y = array_of(out);
  tracked::box_like(y, x);
  if (x.flat == nullptr) {
    auto to = y.boxes->begin();
    for_each_position(indices, [&](int64_t p) { *to++ = (*x.boxes)[static_cast<size_t>(x.first + p)]; });
    return out;
  }
  if (y.length == 0) return out;
  const size_t size = x.flat->layout().size;
  std::byte* to = y.data();
  const std::byte* from = x.data();
  const ResolvedIndex& first = indices[0];
  if (indices.size() == 1 && first.list.empty() && first.step == 1) {
    std::memcpy(to, from + static_cast<size_t>(first.start * first.stride) * size,
                static_cast<size_t>(first.count) * size);
    return out;
  }
  switch (size) {
    case 1: copy_flat<1>(indices, from, to); break;
    case 2: copy_flat<2>(indices, from, to); break;
    case 4: copy_flat<4>(indices, from, to); break;
    case 8: copy_flat<8>(indices, from, to); break;
    case 16: copy_flat<16>(indices, from, to); break;
    default:
      for_each_position(indices, [&](int64_t p) {
        std::memcpy(to, from + static_cast<size_t>(p) * size, size);
        to += size;
      });
  }
  return out;
}

std::vector<Value> elements_of_tuple(const Value& tuple) {
  std::vector<Value> out;
  for (size_t i = 0; i < field_count(tuple); ++i) out.push_back(get_field(tuple, i));
  return out;
}

}  // namespace

Value gather(const Value& a, Args indices) {
  const auto resolved = resolve_indices(array_of(a).dims, indices);
  if (!resolved) return {};
  if (!in_bounds(*resolved)) throw_index_error(a, array_of(a).dims, indices);
  return gathered(a, *resolved);
}

Value builtin_dense_of(const Value& v) {
  if (is_array(v)) return v;
  if (is_of(v, core().sub_array)) {
    const Value parent = builtin_dense_of(get_field(v, 0));
    return parent.is_defined() ? gather(parent, elements_of_tuple(get_field(v, 1))) : Value();
  }
  if (is_of(v, core().reshaped_array)) {
    const Value parent = builtin_dense_of(get_field(v, 0));
    return parent.is_defined() ? reshaped(parent, integers_of(get_field(v, 1))) : Value();
  }
  const std::optional<ArrayLook> look = look_at(v);
  if (!look) return {};
  Value out = make_array(look->element, look->dims);
  ArrayObject& x = array_of(out);
  std::vector<int64_t> at(look->dims.size(), 0);
  for (int64_t i = 0; i < x.length; ++i) {
    const Value e = look->at(at.data());
    if (x.flat != nullptr && (!e.is_defined() || e.type() != x.flat)) return {};
    set_element(x, i, e);
    for (size_t k = 0; k < at.size() && ++at[k] == look->dims[k]; ++k) at[k] = 0;
  }
  return out;
}

std::optional<ArrayLook> look_at_foreign(Evaluator& e, const Value& v) {
  const TypeName* array = as<DataType>(unwrap_union_all(core().abstract_array))->name;
  const DataType* t = v.type();
  while (t->name != array && t != core().any) t = t->super();
  if (t == core().any) return std::nullopt;
  ArrayLook out;
  out.element = t->parameters[0];
  const Value size = e.call_base("size", {v});
  if (!size.is_defined() || !size.type()->is_tuple) return std::nullopt;
  out.dims = integers_of(size);
  const Value getindex = e.base_function("getindex");
  out.at = [&e, v, getindex, rank = out.dims.size()](const int64_t* x) {
    std::vector<Value> arguments = {v};
    for (size_t i = 0; i < rank; ++i) arguments.push_back(number(x[i] + 1));
    return e.call(getindex, arguments);
  };
  return out;
}

Value dense_of(Evaluator& e, const Value& v) {
  const Value out = builtin_dense_of(v);
  return out.is_defined() ? out : e.call_base("collect", {v});
}

namespace {

bool all_scalar(const std::vector<ResolvedIndex>& indices) {
  return std::ranges::all_of(indices, [](const ResolvedIndex& r) { return r.is_scalar; });
}

std::vector<ResolvedIndex> resolved_or_throw(const Value& array, const std::vector<int64_t>& dims, Args indices) {
  auto resolved = resolve_indices(dims, indices);
  if (!resolved) {
    for (const Value& v : indices) {
      if (resolve(v, dims, indices.size() == 1)) continue;
      throw_argument_error("invalid index: " + show_text(v) + " of type " + type_text(v.type()));
    }
    throw InternalError("indices that cannot be resolved");
  }
  if (!in_bounds(*resolved)) throw_index_error(array, dims, indices);
  return std::move(*resolved);
}

/// a[indices…] of an array, range, view or wrapper.
Value get_block(Evaluator& e, Args a) {
  const Value dense = dense_of(e, a[0]);
  const ArrayObject& x = array_of(dense);
  const auto indices = resolved_or_throw(a[0], x.dims, a.subspan(1));
  if (!all_scalar(indices)) return gathered(dense, indices);
  const auto* resolved = &indices;
  int64_t at = 0;
  for (const ResolvedIndex& r : *resolved) at += r.at(0);
  Value v = get_element(x, at);
  if (!v.is_defined()) throw_undef_ref_error();
  return v;
}

std::string dims_text(const std::vector<int64_t>& dims) {
  if (dims.empty()) return "0-dimensional";
  if (dims.size() == 1) return std::to_string(dims[0]) + "-element";
  std::string out;
  for (const int64_t d : dims) out += (out.empty() ? "" : "×") + std::to_string(d);
  return out;
}

/// The extents of what is given and of the places must agree but for ones; past the last dimension of either, what is left of
/// the other counts as one dimension.
bool shapes_fit(const std::vector<int64_t>& given, const std::vector<int64_t>& wanted) {
  size_t i = 0, k = 0;
  const auto rest = [](const std::vector<int64_t>& v, size_t from) {
    int64_t n = 1;
    for (size_t at = from; at < v.size(); ++at) n *= v[at];
    return n;
  };
  while (i + 1 < given.size() && k + 1 < wanted.size()) {
    if (given[i] == wanted[k]) ++i, ++k;
    else if (given[i] == 1) ++i;
    else if (wanted[k] == 1) ++k;
    else return false;
  }
  return rest(given, i) == rest(wanted, k);
}

void check_shape(const std::vector<int64_t>& given, int64_t length, const std::vector<int64_t>& wanted) {
  if (shapes_fit(given, wanted)) return;
  if (wanted.size() == 1)
    throw_dimension_mismatch("tried to assign " + std::to_string(length) + " elements to " + std::to_string(wanted[0]) +
                             " destinations");
  throw_dimension_mismatch("tried to assign " + dims_text(given) + " array to " + dims_text(wanted) + " destination");
}

/// a[indices…] = x: of the elements of an array, or of one element when all indices are numbers.
Value set_block(Evaluator& e, Args a) {
  ArrayObject& x = array_of(a[0]);
  const auto indices = resolved_or_throw(a[0], x.dims, a.subspan(2));
  const auto* resolved = &indices;
  if (all_scalar(indices)) {
    int64_t at = 0;
    for (const ResolvedIndex& r : indices) at += r.at(0);
    set_element(x, at, e.convert(x.element, a[1]));
    return a[0];
  }
  if (!is_array(a[1]) && !is_a(a[1], core().abstract_array))
    throw_argument_error(
        "indexed assignment with a single value to possibly many locations is not supported; perhaps use broadcasting "
        "`.=` instead?");
  Value source = dense_of(e, a[1]);
  const bool is_same = array_of(source).boxes != nullptr ? array_of(source).boxes == x.boxes
                                                         : array_of(source).buffer.data() == x.buffer.data();
  if (is_same) source = copied(source);
  const ArrayObject& y = array_of(source);
  std::vector<int64_t> wanted;
  for (const ResolvedIndex& r : indices) wanted.push_back(r.count);
  check_shape(y.dims, y.length, wanted);
  int64_t i = 0;
  if (x.flat != nullptr && x.flat == y.flat) {
    const size_t size = x.flat->layout().size;
    const std::byte* from = y.length > 0 ? y.data() : nullptr;
    std::byte* to = x.length > 0 ? x.data() : nullptr;
    for_each_position(*resolved, [&](int64_t p) {
      std::memcpy(to + static_cast<size_t>(p) * size, from + static_cast<size_t>(i++) * size, size);
    });
    return a[0];
  }
  for_each_position(*resolved, [&](int64_t p) {
    const Value v = get_element(y, i++);
    set_element(x, p, v.is_defined() ? e.convert(x.element, v) : v);
  });
  return a[0];
}

/// Every selected place = x: what `a[indices…] .= x` means for a number x.
Value fill_block(Evaluator& e, Args a) {
  ArrayObject& x = array_of(a[0]);
  const auto indices = resolved_or_throw(a[0], x.dims, a.subspan(2));
  const Value v = e.convert(x.element, a[1]);
  for_each_position(indices, [&](int64_t p) { set_element(x, p, v); });
  return a[0];
}

/// (extents of what is given, lengths of the indices): DimensionMismatch unless one can be assigned to the other.
Value check_assignment(Evaluator&, Args a) {
  const std::vector<int64_t> given = integers_of(a[0]), wanted = integers_of(a[1]);
  int64_t length = 1;
  for (const int64_t d : given) length *= d;
  check_shape(given, length, wanted);
  return nothing();
}

/// The position in its parent array of an element of a view, whose indices are all numbers; -1 out of bounds.
int64_t view_position(const Value& view, Args indices) {
  const Value parent = get_field(view, 0);
  const std::vector<int64_t>& dims = array_of(parent).dims;
  const Value own = get_field(view, 1);
  const size_t n = field_count(own);
  std::vector<std::pair<Value, int64_t>> kept;  // an index that is no number, and its stride
  int64_t at = 0, stride = 1;
  for (size_t k = 0; k < n; ++k) {
    Value v = get_field(own, k);
    if (number_kind(v)) {
      at += (integer_of(v) - 1) * stride;
    } else {
      kept.emplace_back(std::move(v), stride);
    }
    if (n > 1) stride *= k < dims.size() ? dims[k] : 1;
  }
  const auto extent_of = [](const Value& v) -> int64_t {
    if (is_range(v)) return range_length(v);
    if (named(v, "Slice")) return range_length(get_field(v, 0));
    return array_of(v).length;
  };
  const auto element = [&](const Value& v, int64_t i) -> int64_t {
    if (is_range(v)) return integer_of(range_element(v, i));
    if (named(v, "Slice")) return i + 1;
    return array_of(v).data_as<int64_t>()[i];
  };
  std::vector<int64_t> extents;
  for (const auto& [v, s] : kept) extents.push_back(extent_of(v));
  std::vector<int64_t> each;
  if (indices.size() == 1 && kept.size() != 1) {
    int64_t i = integer_of(indices[0]) - 1;
    int64_t total = 1;
    for (const int64_t d : extents) total *= d;
    if (i < 0 || i >= total) return -1;
    for (const int64_t d : extents) {
      each.push_back(i % d);
      i /= d;
    }
  } else {
    for (size_t k = 0; k < std::max(indices.size(), kept.size()); ++k) {
      const int64_t extent = k < extents.size() ? extents[k] : 1;
      const int64_t i = k < indices.size() ? integer_of(indices[k]) - 1 : 0;
      if (i < 0 || i >= extent || (k >= indices.size() && extent != 1)) return -1;
      each.push_back(i);
    }
  }
  for (size_t k = 0; k < kept.size(); ++k) at += (element(kept[k].first, each[k]) - 1) * kept[k].second;
  return at;
}

/// A single element of a view into an array in memory by ranges, slices, numbers and vectors of Int.
Value view_get(Evaluator&, Args a) {
  const int64_t at = view_position(a[0], a.subspan(1));
  if (at < 0) throw_bounds_error(a[0], make_tuple({a.begin() + 1, a.end()}));
  Value v = get_element(array_of(get_field(a[0], 0)), at);
  if (!v.is_defined()) throw_undef_ref_error();
  return v;
}

Value view_set(Evaluator& e, Args a) {
  const int64_t at = view_position(a[0], a.subspan(2));
  if (at < 0) throw_bounds_error(a[0], make_tuple({a.begin() + 2, a.end()}));
  ArrayObject& x = array_of(get_field(a[0], 0));
  set_element(x, at, e.convert(x.element, a[1]));
  return a[0];
}

constexpr IntrinsicEntry kEntries[] = {
    {"_block_get", get_block, 1, -1},   {"_block_set", set_block, 2, -1},
    {"_block_fill", fill_block, 2, -1}, {"_check_assignment", check_assignment, 2, 2},
    {"_view_get", view_get, 1, -1},     {"_view_set", view_set, 2, -1},
};

}  // namespace

std::span<const IntrinsicEntry> array_index_intrinsics() { return kEntries; }

}  // namespace weft::julia
