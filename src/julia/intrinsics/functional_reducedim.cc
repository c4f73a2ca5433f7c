// Reductions along dimensions, and running reductions.
#include <algorithm>
#include <cstring>

#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/intrinsics/broadcast_tree.h"
#include "julia/intrinsics/folds.h"
#include "julia/intrinsics/functional.h"

namespace weft::julia {
namespace {

/// Which result each element of a box belongs to.
struct Reduction {
  std::vector<int64_t> dims, result_dims, strides;  // strides in the result, 0 along reduced dimensions
  int64_t results = 1;
  int64_t leading = 1;   // elements of one result that lie one after the other
  int64_t elements = 1;  // of the box
  int64_t place(const std::vector<int64_t>& index) const {
    int64_t out = 0;
    for (size_t d = 0; d < index.size(); ++d) out += index[d] * strides[d];
    return out;
  }
};

Reduction reduction_of(std::vector<int64_t> dims, const Value& reduced) {
  Reduction r;
  r.dims = std::move(dims);
  std::vector<bool> is_reduced(r.dims.size(), false);
  for (size_t i = 0; i < field_count(reduced); ++i) {
    const auto d = get_field(reduced, i).get<int64_t>();
    if (d < 1) throw_argument_error("region dimension(s) must be ≥ 1, got " + std::to_string(d));
    if (static_cast<size_t>(d) <= r.dims.size()) is_reduced[static_cast<size_t>(d - 1)] = true;
  }
  bool all_before = true;
  for (size_t d = 0; d < r.dims.size(); ++d) {
    r.elements *= r.dims[d];
    all_before = all_before && is_reduced[d];
    if (all_before) r.leading *= r.dims[d];
    r.result_dims.push_back(is_reduced[d] ? 1 : r.dims[d]);
    r.strides.push_back(is_reduced[d] ? 0 : r.results);
    r.results *= r.result_dims[d];
  }
  return r;
}

/// f of all elements in contiguous memory of a kind; undefined when it is not known.
Value known_elements(const Value& f, const Value& array, const std::vector<int64_t>& dims,
                     const std::optional<NumberKind>& to, KnownFold fold, NumberKind& kind) {
  Elementwise tree(dims);
  const Elementwise::Node leaf = tree.leaf(array);
  if (leaf == -1) return {};
  Elementwise::Node node = tree.apply(f, {&leaf, 1});
  if (node == -1) return {};
  const auto own = to ? to : fold_kind(fold, tree.kind(node));
  if (!own || fold_kind(fold, *own) != own) return {};
  kind = *own;
  if (node == leaf && tree.kind(node) == kind && is_array(array)) return array;
  node = tree.convert(node, kind);
  return node == -1 ? Value() : collect_elements(tree, node, false);
}

Value reduce_known(const Reduction& r, FoldOp op, NumberKind kind, const Value& elements, const Value& init) {
  Value out = make_array(number_type(kind), r.result_dims);
  ArrayObject& to = array_of(out);
  const auto* from = array_of(elements).data();
  const auto size = static_cast<int64_t>(size_of(kind));
  const auto neutral = neutral_element(op, kind);
  const bool starts_with_first = !init.is_defined() && !neutral;
  if (!starts_with_first) {
    const Value start = init.is_defined() ? init : *neutral;
    for (int64_t i = 0; i < r.results; ++i) std::memcpy(to.data() + i * size, start.bits(), to.flat->layout().size);
  }
  if (r.elements == 0) return starts_with_first && r.results > 0 ? Value() : out;
  std::vector<bool> has(starts_with_first ? static_cast<size_t>(r.results) : 0, false);
  constexpr int64_t kFewElements = 16;
  RunWalker at(r.dims, 0);
  const int64_t step = r.strides.empty() ? 1 : r.strides[0];
  for (int64_t i = 0; i < r.elements;) {
    const int64_t place = at.offset(r.strides);
    const std::byte* source = from + i * size;
    std::byte* cell = to.data() + place * size;
    const int64_t run = r.leading > kFewElements ? r.leading : at.run(r.elements - i);
    if (step == 0 || r.dims.empty()) {
      const Value before = Value::from_bits(to.flat, cell);
      Value now;
      if (starts_with_first && !has[static_cast<size_t>(place)]) {
        now = fold_pairwise(op, kind, source, run);
      } else if (r.leading > kFewElements) {
        now = fold_two(op, kind, before, fold_pairwise(op, kind, source, run));
      } else {
        now = fold_from(op, kind, before, source, run);
      }
      if (starts_with_first) has[static_cast<size_t>(place)] = true;
      std::memcpy(cell, now.bits(), to.flat->layout().size);
    } else if (starts_with_first && !has[static_cast<size_t>(place)]) {
      std::memcpy(cell, source, static_cast<size_t>(run * size));
      for (int64_t k = 0; k < run; ++k) has[static_cast<size_t>(place + k)] = true;
    } else {
      fold_into(op, kind, cell, source, run);
    }
    i += run;
    if (r.leading > kFewElements) at = RunWalker(r.dims, i);
    else at.advance(run);
  }
  return out;
}

/// _mapreducedim(f, op, array, dims::Tuple[, init]): the array of results; without init and elements, neutral ones.
Value mapreduce_dims(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &op = given[1], &array = given[2];
  const Value init = given.size() > 4 ? given[4] : Value();
  const Reader reader(e, array);
  const Reduction r = reduction_of(reader.dims(), given[3]);
  const auto known = known_fold(op);
  const auto init_kind = init.is_defined() ? number_kind(init) : std::nullopt;
  if (known && (!init.is_defined() || init_kind)) {
    NumberKind kind{};
    const Value elements = known_elements(f, array, r.dims, init_kind, *known, kind);
    if (elements.is_defined()) {
      Value out = reduce_known(r, known->op, kind, elements, init);
      if (out.is_defined()) return out;
    }
  }
  std::vector<Value> cells(static_cast<size_t>(r.results));
  std::vector<bool> has(cells.size(), init.is_defined());
  if (init.is_defined()) std::ranges::fill(cells, init);
  const bool same = scalar_function(f) == ScalarFunction::kIdentity;
  for_each_index(r.dims, [&](int64_t, const std::vector<int64_t>& index) {
    const auto place = static_cast<size_t>(r.place(index));
    const Value x = reader.at(index);
    const Value y = same ? x : e.call(f, {x});
    if (has[place]) cells[place] = e.call(op, {cells[place], y});
    else cells[place] = e.call_base("reduce_first", {op, y});
    has[place] = true;
    if (init.is_defined()) cells[place] = e.convert(init.type(), cells[place]);
  });
  const Type* element = reader.element();
  const auto empty = [&] {
    return e.call_base("mapreduce_empty", {f, op, Value::of_type(element == nullptr ? core().any : element)});
  };
  Collector all;
  for (size_t i = 0; i < cells.size(); ++i) all.add(has[i] ? cells[i] : empty());
  if (cells.empty() && init.is_defined()) return all.array(r.result_dims, init.type());
  const Value sample = element == nullptr ? Value() : sample_of(element);
  return all.array(r.result_dims, cells.empty() ? type_of_sample(sample_call(e, f, {&sample, 1})) : nullptr);
}

/// _findextreme_dims(f, array, dims, largest): arrays of values and of linear indices.
Value find_extreme_dims(Evaluator& e, std::span<const Value> given) {
  const Value& f = given[0];
  const Reader reader(e, given[1]);
  const Reduction r = reduction_of(reader.dims(), given[2]);
  std::vector<Value> best(static_cast<size_t>(r.results));
  std::vector<int64_t> at(best.size(), 0);
  const Value better = e.base_function(given[3].get<bool>() ? "_is_larger" : "_is_smaller");
  for_each_index(r.dims, [&](int64_t i, const std::vector<int64_t>& index) {
    const auto place = static_cast<size_t>(r.place(index));
    const Value y = e.call(f, {reader.at(index)});
    if (at[place] != 0 && !e.call(better, {y, best[place]}).get<bool>()) return;
    best[place] = y;
    at[place] = i + 1;
  });
  Collector values;
  const Value indices = make_array(core().int64, r.result_dims);
  for (size_t i = 0; i < best.size(); ++i) {
    if (at[i] == 0)
      throw_argument_error(
          "reducing over an empty collection is not allowed; consider supplying `init` to the reducer");
    values.add(best[i]);
    array_of(indices).data_as<int64_t>()[i] = at[i];
  }
  const Type* element = reader.element();
  return make_tuple({values.array(r.result_dims, element == nullptr ? core().any : element), indices});
}

/// _accumulate(op, array, dim[, init]): running reductions along a dimension.
Value accumulate(Evaluator& e, std::span<const Value> given) {
  const Value &op = given[0], &array = given[1];
  const auto dim = given[2].get<int64_t>();
  const Value init = given.size() > 3 ? given[3] : Value();
  if (dim < 1) throw_argument_error("dims must be ≥ 1, got " + std::to_string(dim));
  const Reader reader(e, array);
  const std::vector<int64_t>& dims = reader.dims();
  const auto axis = static_cast<size_t>(dim - 1);
  const int64_t extent = axis < dims.size() ? dims[axis] : 1;
  const auto known = known_fold(op);
  const bool is_vector = dims.size() == 1 && dim == 1;
  if (known && !init.is_defined() && is_vector) {
    NumberKind kind{};
    const Value elements = known_elements(e.base_function("identity"), array, dims, std::nullopt, *known, kind);
    if (elements.is_defined()) {
      const Value out = make_array(number_type(kind), dims);
      const bool pairwise = known->op == FoldOp::kAdd && is_float(kind);
      if (reader.length() > 0)
        accumulate_elements(known->op, kind, array_of(elements).data(), array_of(out).data(), reader.length(),
                            pairwise);
      return out;
    }
  }
  int64_t stride = 1;
  for (size_t d = 0; d < std::min(axis, dims.size()); ++d) stride *= dims[d];
  std::vector<Value> values(static_cast<size_t>(reader.length()));
  for (int64_t i = 0; i < reader.length(); ++i) {
    const Value x = reader.at(i);
    const bool is_first = (i / stride) % extent == 0;
    Value& to = values[static_cast<size_t>(i)];
    if (!is_first) to = e.call(op, {values[static_cast<size_t>(i - stride)], x});
    else to = init.is_defined() ? e.call(op, {init, x}) : e.call_base("reduce_first", {op, x});
  }
  Collector all;
  for (Value& v : values) all.add(std::move(v));
  const Type* element = reader.element();
  const Value sample = element == nullptr ? Value() : sample_of(element);
  const Value samples[] = {sample, sample};
  const Value of_none = values.empty() && sample.is_defined() ? sample_call(e, op, samples) : Value();
  return all.array(dims, of_none.is_defined() ? of_none.type() : element == nullptr ? core().any : element);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_mapreducedim", mapreduce_dims, 4, 5},
    {"_findextreme_dims", find_extreme_dims, 4, 4},
    {"_accumulate", accumulate, 3, 4},
};

}  // namespace

std::span<const IntrinsicEntry> reducedim_intrinsics() { return kEntries; }

}  // namespace weft::julia
