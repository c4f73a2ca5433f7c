// Arrays put together and turned: concatenation, permuted dimensions.
#include <algorithm>

#include "julia/host/tracked.h"
#include "julia/intrinsics/array.h"
#include "julia/run/impl.h"

namespace weft::julia {
namespace {

/// One argument of a concatenation: an array, or a number without dimensions.
struct Part {
  Value value;
  std::vector<int64_t> dims;
  bool is_array = false;
};

int64_t extent(const std::vector<int64_t>& dims, size_t k) { return k < dims.size() ? dims[k] : 1; }

void throw_mismatch(const std::vector<Part>& parts, size_t along, size_t k, int64_t expected, int64_t got,
                    std::string_view name) {
  std::string list;
  for (const Part& p : parts) list += (list.empty() ? "" : ", ") + std::to_string(extent(p.dims, k));
  if (name == "vcat" && along == 0 && k == 1)
    throw_dimension_mismatch("number of columns of each array must match (got (" + list + "))");
  if (name == "hcat" && along == 1 && k == 0)
    throw_dimension_mismatch("number of rows of each array must match (got (" + list + "))");
  throw_dimension_mismatch("mismatch in dimension " + std::to_string(k + 1) + " (expected " + std::to_string(expected) +
                           " got " + std::to_string(got) + ")");
}

/// Copies a part into the result at an offset for each dimension.
void place(Evaluator& e, ArrayObject& to, const Part& part, const std::vector<int64_t>& offset) {
  std::vector<int64_t> stride(to.dims.size(), 1);
  int64_t base = 0;
  for (size_t k = 0; k < to.dims.size(); ++k) {
    if (k > 0) stride[k] = stride[k - 1] * to.dims[k - 1];
    base += offset[k] * stride[k];
  }
  if (!part.is_array) {
    set_element(to, base, e.convert(to.element, part.value));
    return;
  }
  const ArrayObject& from = array_of(part.value);
  if (from.length == 0) return;
  const int64_t run = extent(part.dims, 0);
  std::vector<int64_t> at(std::max(to.dims.size(), size_t{1}), 0);
  for (int64_t done = 0; done < from.length; done += run) {
    int64_t p = base;
    for (size_t k = 1; k < to.dims.size(); ++k) p += at[k] * stride[k];
    if (to.flat != nullptr && to.flat == from.flat) {
      const size_t size = to.flat->layout().size;
      std::memcpy(to.data() + static_cast<size_t>(p) * size, from.data() + static_cast<size_t>(done) * size,
                  static_cast<size_t>(run) * size);
    } else {
      for (int64_t i = 0; i < run; ++i) {
        const Value v = get_element(from, done + i);
        set_element(to, p + i, v.is_defined() ? e.convert(to.element, v) : v);
      }
    }
    for (size_t k = 1; k < to.dims.size() && ++at[k] == extent(part.dims, k); ++k) at[k] = 0;
  }
}

/// (name, element type, dimensions, parts…): the parts one after another along every one of the dimensions.
Value concatenate(Evaluator& e, Args a) {
  const std::string name = a[0].as_symbol().text();
  const Type* element = e.impl().type_of_value(a[1]);
  const std::vector<int64_t> along = integers_of(a[2]);
  size_t rank = 0;
  for (const int64_t d : along) {
    if (d < 1)
      throw_argument_error("All cat dimensions must be positive integers, but got " +
                           std::string(along.size() == 1 ? "" : "(") + std::to_string(d));
    rank = std::max(rank, static_cast<size_t>(d));
  }
  std::vector<Part> parts;
  bool only_bits = !a.subspan(3).empty();
  const Type* abstract = core().abstract_array;
  for (const Value& v : a.subspan(3)) {
    Part p;
    p.is_array = is_array(v) || is_a(v, abstract);
    p.value = p.is_array ? dense_of(e, v) : v;
    if (p.is_array) p.dims = array_of(p.value).dims;
    only_bits &= p.is_array && is_bit_array(v);
    rank = std::max(rank, p.dims.size());
    parts.push_back(std::move(p));
  }
  std::vector<int64_t> dims(rank, 0);
  for (size_t k = 0; k < rank; ++k) {
    const bool grows = std::ranges::find(along, static_cast<int64_t>(k) + 1) != along.end();
    for (size_t i = 0; i < parts.size(); ++i) {
      const int64_t n = extent(parts[i].dims, k);
      if (grows) dims[k] += n;
      else if (i == 0) dims[k] = n;
      else if (dims[k] != n) throw_mismatch(parts, static_cast<size_t>(along[0] - 1), k, dims[k], n, name);
    }
  }
  Value out = only_bits && element == core().bool_ ? make_bit_array(dims) : make_array(element, dims);
  ArrayObject& x = array_of(out);
  if (along.size() > 1 && x.flat == nullptr && x.length > 0) {
    const Value zero = e.call_base("zero", {a[1]});  // between the blocks
    std::ranges::fill(*x.boxes, zero);
  }
  std::vector<int64_t> offset(rank, 0);
  for (const Part& p : parts) {
    place(e, x, p, offset);
    for (const int64_t d : along) offset[static_cast<size_t>(d - 1)] += extent(p.dims, static_cast<size_t>(d - 1));
  }
  return out;
}

/// [a b; c d] of numbers: (element type, lengths of the rows, tuple of the numbers).
Value number_matrix(Evaluator& e, Args a) {
  const Type* element = e.impl().type_of_value(a[0]);
  const std::vector<int64_t> rows = integers_of(a[1]);
  const auto count = static_cast<int64_t>(field_count(a[2]));
  int64_t total = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != rows[0])
      throw_dimension_mismatch("row " + std::to_string(i + 1) + " has mismatched number of columns (expected " +
                               std::to_string(rows[0]) + ", got " + std::to_string(rows[i]) + ")");
    total += rows[i];
  }
  if (total != count)
    throw_argument_error("argument count does not match specified shape (expected " + std::to_string(total) + ", got " +
                         std::to_string(count) + ")");
  const auto height = static_cast<int64_t>(rows.size());
  Value out = make_array(element, {height, rows[0]});
  ArrayObject& x = array_of(out);
  for (int64_t i = 0; i < height; ++i) {
    for (int64_t j = 0; j < rows[0]; ++j)
      set_element(x, j * height + i, e.convert(element, get_field(a[2], static_cast<size_t>(i * rows[0] + j))));
  }
  return out;
}

/// permutedims(array, perm) of an array in memory; perm has been checked.
Value permute(Evaluator&, Args a) {
  const ArrayObject& x = array_of(a[0]);
  const std::vector<int64_t> perm = integers_of(a[1]);
  const size_t rank = perm.size();
  std::vector<int64_t> dims(rank), stride(rank);
  for (size_t k = 0; k < rank; ++k) {
    const auto p = static_cast<size_t>(perm[k] - 1);
    dims[k] = x.dims[p];
    stride[k] = 1;
    for (size_t i = 0; i < p; ++i) stride[k] *= x.dims[i];
  }
  Value out = similar_to(a[0], x.element, dims);
  ArrayObject& y = array_of(out);
  tracked::box_like(y, x);
  const size_t size = x.flat == nullptr ? 0 : x.flat->layout().size;
  std::vector<int64_t> at(rank, 0);
  int64_t from = 0;
  for (int64_t i = 0; i < y.length; ++i) {
    if (x.flat != nullptr)
      std::memcpy(y.data() + static_cast<size_t>(i) * size, x.data() + static_cast<size_t>(from) * size, size);
    else (*y.boxes)[static_cast<size_t>(i)] = (*x.boxes)[static_cast<size_t>(x.first + from)];
    for (size_t k = 0; k < rank; ++k) {
      from += stride[k];
      if (++at[k] < dims[k]) break;
      from -= stride[k] * dims[k];
      at[k] = 0;
    }
  }
  return out;
}

constexpr IntrinsicEntry kEntries[] = {
    {"_concatenate", concatenate, 3, -1},
    {"_array_permute", permute, 2, 2},
    {"_number_matrix", number_matrix, 3, 3},
};

}  // namespace

std::span<const IntrinsicEntry> array_shape_intrinsics() { return kEntries; }

}  // namespace weft::julia
