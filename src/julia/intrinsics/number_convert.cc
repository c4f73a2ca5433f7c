// Conversion among machine numbers, and what their types know: bounds, zero, one, promotion.
#include <cmath>
#include <limits>

#include "julia/intrinsics/number_parts.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

/// `T(x)`. A union of machine types takes the values it has.
Value to_number(Evaluator& e, Args a) {
  if (const auto kind = number_kind(a[0].as_type())) return convert_number(*kind, a[1]);
  if (!is_a(a[1], a[0].as_type())) throw_no_method(e, "convert", a);
  return a[1];
}

/// `x % T`.
Value wrapped(Evaluator& e, Args a) {
  const NumberKind to = kind_named(e, "rem", a, 1);
  if (is_float(to) || is_float(kind_of_number(a[0]))) throw_no_method(e, "rem", a);
  return wrap_integer(to, a[0]);
}

/// Floats are cut to the integers modulo 2^128; numbers beyond and NaN give some integer.
Value unsafe_truncate(Evaluator& e, Args a) {
  const NumberKind to = kind_named(e, "unsafe_trunc", a, 0);
  if (is_float(to)) throw_no_method(e, "unsafe_trunc", a);
  if (!is_float(kind_of_number(a[1]))) return wrap_integer(to, a[1]);
  const Value wide = on_float(a[1], [&]<class T>(T x) {
    const double d = std::trunc(static_cast<double>(x));
    // What has no place in 64 bits is their lowest number there, as processors have it.
    if (to == NumberKind::kInt64 && !(d >= -0x1p63 && d < 0x1p63)) return number(Int128{INT64_MIN});
    if (d >= 0x1p127 && d < 0x1p128) return number(static_cast<UInt128>(d));
    return number(std::fabs(d) <= 0x1p127 ? static_cast<Int128>(d) : Int128{0});
  });
  return wrap_integer(to, wide);
}

/// The type that promotion of two machine types gives; Union{} when one of them is no single type.
Value promote_machine_types(Evaluator&, Args a) {
  const auto x = number_kind(a[0].as_type()), y = number_kind(a[1].as_type());
  if (!x || !y) return Value::of_type(core().bottom);
  return Value::of_type(number_type(promote_kind(*x, *y)));
}

template <class T>
constexpr T lowest() {
  if constexpr (kIsBool<T>) return false;
  else if constexpr (kIsSigned<T>) return static_cast<T>(UnsignedOf<T>(1) << (kBits<T> - 1));
  else return 0;
}
template <class T>
constexpr T highest() {
  if constexpr (kIsBool<T>) return true;
  else return static_cast<T>(~lowest<T>());
}

template <bool maximum>
Value bound(Evaluator& e, Args a) {
  return visit_number(kind_named(e, maximum ? "typemax" : "typemin", a, 0), []<class T>(T) -> Value {
    if constexpr (kIsFloat<T>) {
      const float infinity = std::numeric_limits<float>::infinity();
      return number(narrowed<T>(maximum ? infinity : -infinity));
    } else {
      return number(maximum ? highest<T>() : lowest<T>());
    }
  });
}

/// zero and one of a type or of a value's type.
template <int value>
Value constant(Evaluator& e, Args a) {
  const NumberKind kind = a[0].is_type() ? kind_named(e, value == 0 ? "zero" : "one", a, 0) : kind_of_number(a[0]);
  return visit_number(kind, []<class T>(T) {
    if constexpr (std::is_same_v<T, f16>) return number(f16(static_cast<float>(value)));
    else return number(static_cast<T>(value));
  });
}

/// The bytes of a value's primitive parts without the gaps between them.
void pack(const DataType* type, const std::byte* from, std::vector<std::byte>& out) {
  if (type->is_primitive()) {
    out.insert(out.end(), from, from + type->layout().size);
    return;
  }
  const auto& fields = type->field_types();
  for (size_t i = 0; i < fields.size(); ++i) pack(as<DataType>(fields[i]), from + type->layout().offsets[i], out);
}

/// The inverse: fills the primitive parts in order.
void unpack(const DataType* type, const std::byte*& from, std::byte* out) {
  if (type->is_primitive()) {
    std::memcpy(out, from, type->layout().size);
    from += type->layout().size;
    return;
  }
  const auto& fields = type->field_types();
  for (size_t i = 0; i < fields.size(); ++i) unpack(as<DataType>(fields[i]), from, out + type->layout().offsets[i]);
}

/// The same bits as a value of another type.
Value reinterpret_bits(Evaluator&, Args a) {
  const auto* to = a[0].is_type() ? as<DataType>(a[0].as_type()) : nullptr;
  const DataType* from = a[1].type();
  if (to == nullptr || !to->is_concrete || !to->is_bits())
    throw_argument_error("Target type for `reinterpret` must be isbits");
  if (!from->is_bits()) throw_argument_error("Source type for `reinterpret` must be isbits");
  if (to == from) return a[1];
  if (to->is_primitive() && from->is_primitive()) {
    if (to->layout().size != from->layout().size)
      throw_error("bitcast: argument size does not match size of target type");
    return Value::from_bits(to, a[1].bits());
  }
  std::vector<std::byte> bytes, room(to->layout().size), whole;
  pack(from, a[1].bits(), bytes);
  pack(to, room.data(), whole);
  if (bytes.size() != whole.size())
    throw_argument_error("Packed reinterpretation size mismatch: " + std::to_string(whole.size()) + " bytes of " +
                         type_text(to) + ", " + std::to_string(bytes.size()) + " bytes of " + type_text(from));
  const std::byte* next = bytes.data();
  unpack(to, next, room.data());
  return Value::from_bits(to, room.data());
}

/// The bytes that a value of a type takes; of a type whose values are objects, those of the reference.
Value size_in_bytes(Evaluator&, Args a) {
  if (!a[0].is_type()) return number(static_cast<int64_t>(a[0].type()->layout().size));
  const auto* d = as<DataType>(a[0].as_type());
  if (d == nullptr) throw_argument_error("type does not have a definite size");
  if (!d->is_concrete)
    throw_error((d->is_abstract() ? "Abstract type " : "Type ") + type_text(d) + " does not have a definite size.");
  return number(static_cast<int64_t>(d->layout().size));
}

Value type_join_of_promotion(Evaluator&, Args a) {
  return Value::of_type(promote_type_join(a[0].as_type(), a[1].as_type()));
}

/// InexactError under the name of the type itself.
Value throw_inexact(Evaluator&, Args a) {
  const auto* d = as<DataType>(unwrap_union_all(a[0].as_type()));
  throw_inexact_error(d != nullptr ? d->name->name : Symbol("convert"), a[0].as_type(), a[1]);
}

/// The only value of a singleton type.
Value instance(Evaluator&, Args a) {
  const auto* d = as<DataType>(a[0].as_type());
  if (d == nullptr || !d->is_singleton()) throw InternalError("a singleton type was expected");
  return Value::singleton(d);
}

/// (name): what Julia has and Weft leaves out, where a name alone does not say it.
Value out_of_scope(Evaluator&, Args a) {
  refuse_out_of_scope(a[0].as_symbol());
  throw InternalError("nothing is known of " + a[0].as_symbol().text());
}

/// The words of an integer of 128 bits.
template <size_t Index>
Value word_of(Evaluator&, Args a) {
  if (a[0].type()->layout().size != 2 * sizeof(uint64_t)) throw InternalError("an integer of 128 bits was expected");
  return Value::from_bits(number_type(NumberKind::kUInt64), a[0].bits() + Index * sizeof(uint64_t));
}
/// (T, high, low)
Value of_words(Evaluator&, Args a) {
  const uint64_t words[] = {a[2].get<uint64_t>(), a[1].get<uint64_t>()};
  return Value::from_bits(static_cast<const DataType*>(a[0].as_type()), words);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_low_word", word_of<0>, 1, 1},
    {"_high_word", word_of<1>, 1, 1},
    {"_of_words", of_words, 3, 3},
    {"_promote_typejoin", type_join_of_promotion, 2, 2},
    {"_instance", instance, 1, 1},
    {"_throw_inexact", throw_inexact, 2, 2},
    {"_out_of_scope", out_of_scope, 1, 1},
    {"_to_number", to_number, 2, 2},
    {"_wrap", wrapped, 2, 2},
    {"_unsafe_trunc", unsafe_truncate, 2, 2},
    {"_promote_machine", promote_machine_types, 2, 2},
    {"_typemin", bound<false>, 1, 1},
    {"_typemax", bound<true>, 1, 1},
    {"_zero", constant<0>, 1, 1},
    {"_one", constant<1>, 1, 1},
    {"_sizeof", size_in_bytes, 1, 1},
    {"_reinterpret_bits", reinterpret_bits, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> number_convert_entries() { return kEntries; }

}  // namespace weft::julia
