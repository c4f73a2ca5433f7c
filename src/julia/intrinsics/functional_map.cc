// map and map! of arrays and tuples.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/intrinsics/broadcast_tree.h"
#include "julia/intrinsics/functional.h"

namespace weft::julia {
namespace {

std::vector<Reader> readers_of(Evaluator& e, std::span<const Value> containers) {
  std::vector<Reader> out;
  out.reserve(containers.size());
  for (const Value& c : containers) out.emplace_back(e, c);
  return out;
}

int64_t shortest(const std::vector<Reader>& readers) {
  int64_t n = readers.front().length();
  for (const Reader& r : readers) n = std::min(n, r.length());
  return n;
}

bool same_shape(const std::vector<Reader>& readers) {
  return std::ranges::all_of(readers, [&](const Reader& r) { return r.dims() == readers.front().dims(); });
}

template <class Visit>
void map_in_order(Evaluator& e, const Value& f, const std::vector<Reader>& readers, int64_t n, Visit&& visit) {
  std::vector<Value> arguments(readers.size());
  for (int64_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < readers.size(); ++k) arguments[k] = readers[k].at(i);
    visit(i, e.call(f, arguments));
  }
}

/// _map(f, arrays…): of one shape, else as far as the shortest goes, in a vector.
Value map_arrays(Evaluator& e, std::span<const Value> given) {
  const Value& f = given[0];
  const std::span<const Value> arrays = given.subspan(1);
  const std::vector<Reader> readers = readers_of(e, arrays);
  // There is no value to call f on.
  if (std::ranges::any_of(readers, [](const Reader& r) { return r.element() == core().bottom; }))
    return make_array(core().bottom, readers.front().dims());
  if (same_shape(readers)) return collect_term(e, broadcast_call(e, f, arrays), readers.front().dims(), false);
  Collector all;
  map_in_order(e, f, readers, shortest(readers), [&](int64_t, Value v) { all.add(std::move(v)); });
  std::vector<Value> samples;
  if (all.length() == 0) {
    for (const Reader& r : readers) samples.push_back(r.element() == nullptr ? Value() : sample_of(r.element()));
  }
  return all.array({all.length()}, all.length() > 0 ? nullptr : type_of_sample(sample_call(e, f, samples)));
}

/// _map!(f, destination, containers…): as far as the shortest goes.
Value map_into(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &to = given[1];
  const std::vector<Reader> readers = readers_of(e, given.subspan(2));
  const int64_t n = std::min(shortest(readers), Reader(e, to).length());
  map_in_order(e, f, readers, n, [&](int64_t i, Value v) {
    if (is_array(to)) set_element(array_of(to), i, e.convert(array_of(to).element, v));
    else e.call_base("setindex!", {to, std::move(v), number(i + 1)});
  });
  return to;
}

/// _map_tuple(f, tuples…): a tuple, as long as the shortest.
Value map_tuples(Evaluator& e, std::span<const Value> given) {
  const std::vector<Reader> readers = readers_of(e, given.subspan(1));
  std::vector<Value> out;
  map_in_order(e, given[0], readers, shortest(readers), [&](int64_t, Value v) { out.push_back(std::move(v)); });
  return make_tuple(std::move(out));
}

Value ntuple(Evaluator& e, std::span<const Value> given) {
  const auto n = given[1].get<int64_t>();
  if (n < 0) throw_argument_error("tuple length should be ≥ 0, got " + std::to_string(n));
  std::vector<Value> out;
  for (int64_t i = 1; i <= n; ++i) out.push_back(e.call(given[0], {number(i)}));
  return make_tuple(std::move(out));
}

/// _collect_type(f, xs…): the element type that `map(f, xs…)` has when it has no elements.
Value empty_type(Evaluator& e, std::span<const Value> given) {
  std::vector<Value> samples;
  for (const Value& t : given.subspan(1)) samples.push_back(t.is_type() ? sample_of(t.as_type()) : Value());
  return Value::of_type(type_of_sample(sample_call(e, given[0], samples)));
}

constexpr IntrinsicEntry kEntries[] = {
    {"_map", map_arrays, 2, -1},
    {"_map!", map_into, 3, -1},
    {"_map_tuple", map_tuples, 2, -1},
    {"_ntuple", ntuple, 2, 2},
    {"_empty_map_eltype", empty_type, 2, -1},
};

}  // namespace

std::span<const IntrinsicEntry> map_intrinsics() { return kEntries; }

}  // namespace weft::julia
