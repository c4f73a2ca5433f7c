#include "julia/host/array_look.h"

#include <cmath>
#include <unordered_map>

#include "julia/host/array.h"
#include "julia/host/number_ops.h"

namespace weft::julia {
namespace {

enum class Family : uint8_t {
  kNone,
  kUnitRange,
  kOneTo,
  kStepRange,
  kStepRangeLen,
  kLinRange,
  kSlice,
  kSubArray,
  kReshaped,
  kPermuted,
  kAdjoint,
  kTranspose,
  kDiagonal,
  kBidiagonal,
  kTridiagonal,
  kSymTridiagonal,
  kSymmetric,
  kHermitian,
  kUpper,
  kLower,
  kUnitUpper,
  kUnitLower,
  kHessenberg,
};

Family family(const Value& v) {
  static const auto& families = *[] {
    auto* m = new std::unordered_map<const TypeName*, Family>;
    for (const auto& [name, f] :
         std::initializer_list<std::pair<const char*, Family>>{{"UnitRange", Family::kUnitRange},
                                                               {"OneTo", Family::kOneTo},
                                                               {"StepRange", Family::kStepRange},
                                                               {"StepRangeLen", Family::kStepRangeLen},
                                                               {"LinRange", Family::kLinRange},
                                                               {"Slice", Family::kSlice},
                                                               {"SubArray", Family::kSubArray},
                                                               {"ReshapedArray", Family::kReshaped},
                                                               {"PermutedDimsArray", Family::kPermuted},
                                                               {"Adjoint", Family::kAdjoint},
                                                               {"Transpose", Family::kTranspose},
                                                               {"Diagonal", Family::kDiagonal},
                                                               {"Bidiagonal", Family::kBidiagonal},
                                                               {"Tridiagonal", Family::kTridiagonal},
                                                               {"SymTridiagonal", Family::kSymTridiagonal},
                                                               {"Symmetric", Family::kSymmetric},
                                                               {"Hermitian", Family::kHermitian},
                                                               {"UpperTriangular", Family::kUpper},
                                                               {"LowerTriangular", Family::kLower},
                                                               {"UnitUpperTriangular", Family::kUnitUpper},
                                                               {"UnitLowerTriangular", Family::kUnitLower},
                                                               {"UpperHessenberg", Family::kHessenberg}})
      (*m)[as<DataType>(unwrap_union_all(builtin_type(name)))->name] = f;
    return m;
  }();
  const auto it = families.find(v.type()->name);
  return it == families.end() ? Family::kNone : it->second;
}

Value calculate(BinaryOp op, const Value& a, const Value& b) {
  const std::optional<Value> v = apply(op, a, b);
  return v ? *v : Value();
}

int64_t as_int(const Value& v) {
  const auto kind = number_kind(v);
  return kind ? convert_number(NumberKind::kInt64, v).get<int64_t>() : 0;
}

double as_double(const Value& v) {
  return number_kind(v) ? convert_number(NumberKind::kFloat64, v).get<double>() : std::nan("");
}

bool is_number(const Value& v) { return v.is_defined() && number_kind(v).has_value(); }

/// hi and lo of a TwicePrecision, or a plain number.
std::pair<double, double> precise(const Value& v) {
  if (is_number(v)) return {as_double(v), 0.0};
  return {as_double(get_field(v, 0)), as_double(get_field(v, 1))};
}

/// One index of a SubArray: a number fixes its dimension, anything else keeps it.
Value index_at(const Value& index, int64_t i) {
  if (is_number(index)) return index;
  if (is_range(index)) return range_element(index, i);
  if (family(index) == Family::kSlice) return number(i + 1);
  const std::optional<ArrayLook> look = look_at(index);
  return look ? look->at(&i) : Value();
}

ArrayLook wrapped(const ArrayLook& inner, const Type* element) {
  ArrayLook out;
  out.dims = inner.dims;
  out.element = element;
  return out;
}

ArrayLook triangular(const ArrayLook& data, Family f, const Type* element) {
  ArrayLook out = wrapped(data, element);
  const bool upper = f == Family::kUpper || f == Family::kUnitUpper || f == Family::kHessenberg;
  const bool unit = f == Family::kUnitUpper || f == Family::kUnitLower;
  const int64_t below = f == Family::kHessenberg ? 1 : 0;
  out.is_structural_zero = [upper, below](int64_t i, int64_t j) { return upper ? i > j + below : i < j; };
  out.at = [data, unit, element, zero = out.is_structural_zero](const int64_t* x) {
    if (zero(x[0], x[1])) return zero_of(element);
    if (unit && x[0] == x[1]) {
      const auto kind = number_kind(element);
      return kind ? convert_number(*kind, boolean(true)) : data.at(x);
    }
    return data.at(x);
  };
  return out;
}

ArrayLook banded(const Value& v, Family f, const Type* element) {
  ArrayLook out;
  out.element = element;
  const auto band = [&](size_t field) { return *look_at(get_field(v, field)); };
  if (f == Family::kDiagonal) {
    const ArrayLook d = band(0);
    out.dims = {d.dims[0], d.dims[0]};
    out.is_structural_zero = [](int64_t i, int64_t j) { return i != j; };
    out.at = [d, element](const int64_t* x) { return x[0] == x[1] ? d.at(x) : zero_of(element); };
    return out;
  }
  const bool lower_only = f == Family::kBidiagonal && code_point({get_field(v, 2).get<uint32_t>()}) == 'L';
  const bool upper_only = f == Family::kBidiagonal && !lower_only;
  const ArrayLook d = f == Family::kTridiagonal ? band(1) : band(0);
  const ArrayLook above = f == Family::kTridiagonal ? band(2) : band(1);
  const ArrayLook below = f == Family::kTridiagonal ? band(0) : band(1);
  out.dims = {d.dims[0], d.dims[0]};
  out.is_structural_zero = [lower_only, upper_only](int64_t i, int64_t j) {
    return !(i == j || (j == i + 1 && !lower_only) || (i == j + 1 && !upper_only));
  };
  const bool is_symmetric = f == Family::kSymTridiagonal;
  out.at = [d, above, below, element, is_symmetric, zero = out.is_structural_zero](const int64_t* x) {
    if (zero(x[0], x[1])) return zero_of(element);
    if (x[0] == x[1]) return d.at(x);
    const int64_t k = std::min(x[0], x[1]);
    if (x[1] > x[0]) return above.at(&k);
    Value v = below.at(&k);
    // Blocks below the diagonal are those above it, transposed.
    if (is_symmetric && v.is_defined() && is_array(v))
      return make_struct(applied(core().transpose, {array_of(v).element, v.type()}), {v});
    return v;
  };
  return out;
}

ArrayLook mirrored(const Value& v, Family f, const Type* element) {
  const ArrayLook data = *look_at(get_field(v, 0));
  const bool upper = code_point({get_field(v, 1).get<uint32_t>()}) == 'U';
  ArrayLook out = wrapped(data, element);
  out.at = [data, upper, conjugates = f == Family::kHermitian](const int64_t* x) {
    const bool stored = upper ? x[0] <= x[1] : x[0] >= x[1];
    const int64_t swapped[] = {x[1], x[0]};
    const Value e = data.at(stored ? x : swapped);
    return conjugates && !stored ? conjugate(e) : e;
  };
  return out;
}

}  // namespace

Value zero_of(const Type* t) {
  if (const auto kind = number_kind(t)) return convert_number(*kind, boolean(false));
  const auto* d = as<DataType>(t);
  if (d == nullptr || d->parameters.empty()) return {};
  const Value part = zero_of(d->parameters[0]);
  if (!part.is_defined()) return {};
  const TypeName* name = d->name;
  if (name == as<DataType>(unwrap_union_all(core().complex))->name) return make_struct(d, {part, part});
  if (name == as<DataType>(unwrap_union_all(core().rational))->name)
    return make_struct(d, {part, convert_number(*number_kind(d->parameters[0]), boolean(true))});
  return {};
}

Value conjugate(const Value& v) {
  if (v.type()->name != as<DataType>(unwrap_union_all(core().complex))->name) return v;
  const std::optional<Value> im = apply(UnaryOp::kNegate, get_field(v, 1));
  return im ? make_struct(v.type(), {get_field(v, 0), *im}) : v;
}

bool is_range(const Value& v) {
  const Family f = family(v);
  return f >= Family::kUnitRange && f <= Family::kLinRange;
}

int64_t range_length(const Value& r) {
  switch (family(r)) {
    case Family::kUnitRange: {
      const Value a = get_field(r, 0), b = get_field(r, 1);
      if (!is_number(a)) return -1;
      if (numbers_less(b, a)) return 0;
      return as_int(*apply(UnaryOp::kFloor, calculate(BinaryOp::kSubtract, b, a))) + 1;
    }
    case Family::kOneTo: return std::max<int64_t>(as_int(get_field(r, 0)), 0);
    case Family::kStepRange: {
      const Value a = get_field(r, 0), s = get_field(r, 1), b = get_field(r, 2);
      if (r.type()->parameters[0] == core().char_)
        return (static_cast<int64_t>(code_point({b.get<uint32_t>()})) - code_point({a.get<uint32_t>()})) / as_int(s) +
               1;
      if (!is_number(a) || !is_number(s)) return -1;
      const bool down = numbers_less(s, boolean(false));
      if (down ? numbers_less(a, b) : numbers_less(b, a)) return 0;
      return as_int(calculate(BinaryOp::kTruncatedDivide,
                              convert_number(NumberKind::kInt128,
                                             calculate(BinaryOp::kSubtract, convert_number(NumberKind::kInt128, b),
                                                       convert_number(NumberKind::kInt128, a))),
                              s)) +
             1;
    }
    case Family::kStepRangeLen:
    case Family::kLinRange: return as_int(get_field(r, 2));
    default: return -1;
  }
}

namespace {

bool is_machine_complex(const Type* t) {
  const auto* d = as<DataType>(t);
  return d != nullptr && d->name == as<DataType>(unwrap_union_all(core().complex))->name &&
         number_kind(d->parameters[0]);
}

/// Of a range of complex numbers, part by part.
Value complex_element(const Value& r, int64_t index) {
  const auto* type = as<DataType>(r.type()->parameters[0]);
  const NumberKind kind = *number_kind(type->parameters[0]);
  const Value shift = number(index + 1 - as_int(get_field(r, 3)));
  const auto part = [&](size_t i) {
    const auto of = [&](const Value& v) {
      if (!number_kind(v)) return get_field(v, i);
      return i == 0 ? v : convert_number(kind, boolean(false));
    };
    const Value way = calculate(BinaryOp::kMultiply, shift, of(get_field(r, 1)));
    return convert_number(kind, calculate(BinaryOp::kAdd, of(get_field(r, 0)), way));
  };
  return make_struct(type, {part(0), part(1)});
}

}  // namespace

Value range_element(const Value& r, int64_t index) {
  const auto kind = number_kind(r.type()->parameters[0]);
  switch (family(r)) {
    case Family::kUnitRange: {
      const Value a = get_field(r, 0);
      return kind ? calculate(BinaryOp::kAdd, a,
                              wrap_integer(is_float(*kind) ? NumberKind::kInt64 : *kind, number(index)))
                  : Value();
    }
    case Family::kOneTo: return kind ? convert_number(*kind, number(index + 1)) : Value();
    case Family::kStepRange: {
      const Value a = get_field(r, 0), s = get_field(r, 1);
      if (r.type()->parameters[0] == core().char_)
        return make_char(static_cast<uint32_t>(code_point({a.get<uint32_t>()}) + index * as_int(s)));
      if (!kind) return {};
      return wrap_integer(*kind, calculate(BinaryOp::kAdd, a, calculate(BinaryOp::kMultiply, number(index), s)));
    }
    case Family::kStepRangeLen: {
      if (is_machine_complex(r.type()->parameters[0])) return complex_element(r, index);
      if (!kind) return {};
      const auto [ref_hi, ref_lo] = precise(get_field(r, 0));
      const auto [step_hi, step_lo] = precise(get_field(r, 1));
      const auto u = static_cast<double>(index + 1 - as_int(get_field(r, 3)));
      // The sum of the high parts with its error, then the low parts: the end points come out exactly.
      const double shift = u * step_hi;
      const double high = ref_hi + shift;
      const bool ref_first = std::fabs(ref_hi) > std::fabs(shift);
      const double low = ref_first ? (ref_hi - high) + shift : (shift - high) + ref_hi;
      return convert_number(*kind, number(high + (low + (u * step_lo + ref_lo))));
    }
    case Family::kLinRange: {
      if (!kind) return {};
      const int64_t n = as_int(get_field(r, 3));
      const double t = static_cast<double>(index) / static_cast<double>(n == 0 ? 1 : n);
      const double a = as_double(get_field(r, 0)), b = as_double(get_field(r, 1));
      return convert_number(*kind, number((1 - t) * a + t * b));
    }
    default: return {};
  }
}

std::function<std::optional<ArrayLook>(const Value&)>& foreign_look() {
  static thread_local std::function<std::optional<ArrayLook>(const Value&)> look;
  return look;
}

std::optional<ArrayLook> look_at(const Value& v) {
  if (!v.is_defined()) return std::nullopt;
  ArrayLook out;
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    out.dims = a.dims;
    out.element = a.element;
    out.at = [v, &a](const int64_t* x) {
      int64_t at = 0;
      for (size_t i = a.dims.size(); i-- > 0;) at = at * a.dims[i] + x[i];
      return get_element(a, at);
    };
    return out;
  }
  const Family f = family(v);
  if (f == Family::kNone) return foreign_look() ? foreign_look()(v) : std::nullopt;
  out.element = v.type()->parameters.empty() ? core().any : v.type()->parameters[0];
  if (is_range(v)) {
    out.dims = {std::max<int64_t>(range_length(v), 0)};
    out.at = [v](const int64_t* x) { return range_element(v, x[0]); };
    return out;
  }
  if (f == Family::kDiagonal || f == Family::kBidiagonal || f == Family::kTridiagonal || f == Family::kSymTridiagonal)
    return banded(v, f, out.element);
  const std::optional<ArrayLook> inner = look_at(get_field(v, 0));
  if (!inner) return std::nullopt;
  if (f == Family::kSymmetric || f == Family::kHermitian) return mirrored(v, f, out.element);
  if (f >= Family::kUpper) return triangular(*inner, f, out.element);
  switch (f) {
    case Family::kAdjoint:
    case Family::kTranspose: {
      const bool is_vector = inner->dims.size() == 1;
      out.dims =
          is_vector ? std::vector<int64_t>{1, inner->dims[0]} : std::vector<int64_t>{inner->dims[1], inner->dims[0]};
      const auto* of = as<DataType>(out.element);
      const DataType* wrapper = of != nullptr && of->name == v.type()->name ? of : nullptr;
      out.at = [inner = *inner, is_vector, wrapper, conjugates = f == Family::kAdjoint](const int64_t* x) {
        const int64_t swapped[] = {x[1], x[0]};
        const Value e = inner.at(is_vector ? x + 1 : swapped);
        // Matrices among the elements are themselves seen through the wrapper.
        if (wrapper != nullptr && e.is_defined()) return make_struct(wrapper, {e});
        return conjugates ? conjugate(e) : e;
      };
      if (inner->is_structural_zero)
        out.is_structural_zero = [zero = inner->is_structural_zero](int64_t i, int64_t j) { return zero(j, i); };
      return out;
    }
    case Family::kReshaped: {
      const Value dims = get_field(v, 1);
      for (size_t i = 0; i < field_count(dims); ++i) out.dims.push_back(as_int(get_field(dims, i)));
      out.at = [inner = *inner, dims = out.dims](const int64_t* x) {
        int64_t at = 0;
        for (size_t i = dims.size(); i-- > 0;) at = at * dims[i] + x[i];
        std::vector<int64_t> index;
        for (const int64_t d : inner.dims) {
          index.push_back(at % d);
          at /= d;
        }
        return inner.at(index.data());
      };
      return out;
    }
    case Family::kPermuted: {
      const auto* perm = as<Constant>(v.type()->parameters[2]);
      std::vector<size_t> order;
      for (const Type* p : perm->elements) order.push_back(static_cast<size_t>(as<Constant>(p)->bits - 1));
      for (const size_t p : order) out.dims.push_back(inner->dims[p]);
      out.at = [inner = *inner, order](const int64_t* x) {
        std::vector<int64_t> index(order.size());
        for (size_t i = 0; i < order.size(); ++i) index[order[i]] = x[i];
        return inner.at(index.data());
      };
      return out;
    }
    case Family::kSubArray: {
      const Value indices = get_field(v, 1);
      std::vector<Value> each;
      for (size_t i = 0; i < field_count(indices); ++i) each.push_back(get_field(indices, i));
      for (size_t i = 0; i < each.size(); ++i) {
        if (is_number(each[i])) continue;
        if (family(each[i]) == Family::kSlice)
          out.dims.push_back(look_at(get_field(each[i], 0)) ? look_at(get_field(each[i], 0))->dims[0] : 0);
        else if (const auto look = look_at(each[i]))
          out.dims.insert(out.dims.end(), look->dims.begin(), look->dims.end());
        else return std::nullopt;
      }
      out.at = [inner = *inner, each](const int64_t* x) {
        std::vector<int64_t> index;
        for (const Value& e : each) {
          const Value i = index_at(e, is_number(e) ? 0 : *x++);
          index.push_back(as_int(i) - 1);
        }
        // One index into an array of more dimensions counts through all of it.
        if (index.size() == 1 && inner.dims.size() > 1) {
          int64_t at = index[0];
          index.clear();
          for (const int64_t d : inner.dims) {
            index.push_back(at % d);
            at /= d;
          }
        }
        return inner.at(index.data());
      };
      return out;
    }
    default: return std::nullopt;
  }
}

}  // namespace weft::julia
