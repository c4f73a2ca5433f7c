#include "julia/infer/diagnose/sample_types.h"

#include <algorithm>
#include <array>

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/infer/border/samples.h"
#include "julia/types/subtype.h"

namespace weft::julia {
namespace {

constexpr int64_t kExtent = 4;

/// Of abstract types of numbers and arrays the commonest concrete one stands for all.
std::optional<Value> sample_of_abstract(const Type* type) {
  if (type == core().any) return std::nullopt;
  const std::array commonest = {number(1.0), number(int64_t{1}), sample_array(core().float64, {kExtent}, false),
                                sample_array(core().float64, {kExtent, kExtent}, false)};
  const auto it = std::ranges::find_if(commonest, [&](const Value& v) { return is_a(v, type); });
  return it == commonest.end() ? std::nullopt : std::optional<Value>(*it);
}

}  // namespace

std::optional<Value> sample_of_type(const Type* type) {
  const auto* t = as<DataType>(type);
  if (t == nullptr || !is_concrete(t)) return sample_of_abstract(type);
  if (const auto kind = number_kind(t)) return convert_number(*kind, number(int64_t{1}));
  if (t->is_singleton()) return Value::singleton(t);
  const bool is_flat_array = subtype(t, core().array) && as<DataType>(t->parameters[0]) != nullptr;
  if (is_flat_array) {
    const auto rank = static_cast<size_t>(as<Constant>(t->parameters[1])->bits);
    Value v = sample_array(t->parameters[0], std::vector<int64_t>(rank, kExtent), false);
    if (array_of(v).flat == nullptr) return std::nullopt;
    return v;
  }
  if (t->is_primitive() || t->name->is_opaque || t->is_mutable()) return std::nullopt;
  std::vector<Value> fields;
  for (const Type* f : t->field_types()) {
    std::optional<Value> v = sample_of_type(f);
    if (!v) return std::nullopt;
    fields.push_back(std::move(*v));
  }
  return make_struct(t, std::move(fields));
}

}  // namespace weft::julia
