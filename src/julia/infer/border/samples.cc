#include "julia/infer/border/samples.h"

#include <cstdlib>

#include "ir/type.h"
#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/infer/maybe.h"
#include "julia/infer/texts.h"

namespace weft::julia {
namespace {

using How = Abstract::Kind;

constexpr int64_t kMostElements = 1 << 22;

int64_t elements_of(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (const int64_t d : dims) {
    if (d == 0) return 0;
    if (n > kMostElements / d) return kMostElements + 1;
    n *= d;
  }
  return n;
}

}  // namespace

Value sample_array(const Type* element, const std::vector<int64_t>& dims, bool is_bits) {
  const Value made = is_bits ? make_bit_array(dims) : make_array(element, dims);
  const auto kind = number_kind(element);
  if (!kind || *kind == NumberKind::kBool) return made;
  const int64_t n = elements_of(dims);
  const int64_t rows = dims.empty() ? 1 : dims[0];
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = i % rows, column = i / rows;
    const bool on_diagonal = dims.size() == 2 && row == column;
    const double away = 1.0 / (1.0 + static_cast<double>(std::abs(row - column)));
    const Value v = is_float(*kind) ? number(away + (on_diagonal ? static_cast<double>(rows) : 0.0))
                                    : number(int64_t{on_diagonal ? 2 : 1});
    set_element(array_of(made), i, convert_number(*kind, v));
  }
  return made;
}

std::optional<Value> Samples::of_object(uint32_t id) {
  const auto known = made_.find(id);
  if (known != made_.end()) return known->second;
  const HeapObject& o = heap_.objects.at(id);
  if (o.is_array) {
    if (elements_of(o.dims) > kMostElements) return std::nullopt;
    return made_[id] = sample_array(o.element, o.dims, o.type->name->name == Symbol("BitArray"));
  }
  Value v = Value::of_object(o.type, new FieldsObject(std::vector<Value>(o.fields.size())));
  made_[id] = v;
  for (size_t i = 0; i < o.fields.size(); ++i) {
    const std::optional<Value> f = of(o.fields[i]);
    if (!f) return std::nullopt;
    set_field(v, i, *f);
  }
  return v;
}

std::optional<Value> Samples::of(const Abstract& a) {
  switch (a.kind) {
    case How::kUndefined:
    case How::kUnknown: return std::nullopt;
    case How::kConstant: return a.constant;
    case How::kScalar: {
      const auto kind = number_kind(a.type);
      if (!kind) return std::nullopt;
      return convert_number(*kind, number(int64_t{1}));
    }
    case How::kFields: {
      // What compiled code has in parts.
      if (const auto kind = number_kind(a.type)) return convert_number(*kind, number(int64_t{1}));
      if (is_maybe(a)) return of(a.fields[1]);
      if (is_text(a)) return make_string("1");
      std::vector<Value> fields;
      for (const Abstract& f : a.fields) {
        std::optional<Value> v = of(f);
        if (!v) return std::nullopt;
        fields.push_back(std::move(*v));
      }
      return make_struct(a.type, std::move(fields));
    }
    case How::kObject: return of_object(a.object);
  }
  return std::nullopt;
}

}  // namespace weft::julia
