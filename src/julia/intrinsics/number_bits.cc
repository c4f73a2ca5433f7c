// The bits of machine integers, and of other plain bits as text.
#include <bit>

#include "julia/intrinsics/number_parts.h"

namespace weft::julia {
namespace {

template <class T>
int count_ones(T x) {
  const auto u = static_cast<UInt128>(static_cast<UnsignedOf<T>>(x));
  return std::popcount(static_cast<uint64_t>(u)) + std::popcount(static_cast<uint64_t>(u >> 64));
}

template <class T>
int leading_zeros(T x) {
  const auto u = static_cast<UInt128>(static_cast<UnsignedOf<T>>(x));
  const auto high = static_cast<uint64_t>(u >> 64), low = static_cast<uint64_t>(u);
  const int all = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
  return all - (128 - kBits<T>);
}

template <class T>
int trailing_zeros(T x) {
  const auto u = static_cast<UInt128>(static_cast<UnsignedOf<T>>(x));
  const auto high = static_cast<uint64_t>(u >> 64), low = static_cast<uint64_t>(u);
  const int all = low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high);
  return std::min(all, kBits<T>);
}

template <class T>
T inverted(T x) {
  return static_cast<T>(static_cast<UnsignedOf<T>>(~static_cast<UnsignedOf<T>>(x)));
}

template <auto f>
Value counted(Args a) {
  return on_integer(a[0], []<class T>(T x) -> Value {
    if constexpr (kIsBool<T>) return number(static_cast<int64_t>(f(static_cast<uint8_t>(x))));
    else return number(static_cast<int64_t>(f(x)));
  });
}

Value ones(Evaluator&, Args a) {
  return counted<[](auto x) { return count_ones(x); }>(a);
}
Value zeros_in_front(Evaluator&, Args a) {
  return counted<[](auto x) { return leading_zeros(x); }>(a);
}
Value zeros_at_end(Evaluator&, Args a) {
  return counted<[](auto x) { return trailing_zeros(x); }>(a);
}
Value ones_in_front(Evaluator&, Args a) {
  return counted<[](auto x) { return leading_zeros(inverted(x)); }>(a);
}
Value ones_at_end(Evaluator&, Args a) {
  return counted<[](auto x) { return trailing_zeros(inverted(x)); }>(a);
}

/// The bytes in the other order, of any machine number.
Value swap_bytes(Evaluator&, Args a) {
  const DataType* type = a[0].type();
  const size_t n = type->layout().size;
  std::byte bytes[16];
  for (size_t i = 0; i < n; ++i) bytes[i] = a[0].bits()[n - 1 - i];
  return Value::from_bits(type, bytes);
}

Value reverse_bits(Evaluator&, Args a) {
  return on_integer(a[0], []<class T>(T x) -> Value {
    if constexpr (kIsBool<T>) {
      return number(x);
    } else {
      auto u = static_cast<UnsignedOf<T>>(x);
      UnsignedOf<T> out = 0;
      for (int i = 0; i < kBits<T>; ++i, u = static_cast<UnsignedOf<T>>(u >> 1))
        out = static_cast<UnsignedOf<T>>(static_cast<UnsignedOf<T>>(out << 1) | (u & 1));
      return number(static_cast<T>(out));
    }
  });
}

/// To the left by k places, modulo the width.
Value rotate_bits(Evaluator&, Args a) {
  const int64_t k = convert_number(NumberKind::kInt64, a[1]).get<int64_t>();
  return on_integer(a[0], [&]<class T>(T x) -> Value {
    if constexpr (kIsBool<T>) {
      return number(x);
    } else {
      using U = UnsignedOf<T>;
      const int n = static_cast<int>(((k % kBits<T>)+kBits<T>) % kBits<T>);
      const auto u = static_cast<U>(x);
      return number(static_cast<T>(n == 0 ? u : static_cast<U>(static_cast<U>(u << n) | (u >> (kBits<T> - n)))));
    }
  });
}

Value bit_text(Evaluator&, Args a) {
  const size_t n = a[0].type()->layout().size;
  std::string out;
  for (size_t i = n; i-- > 0;) {
    const auto byte = static_cast<unsigned>(a[0].bits()[i]);
    for (int bit = 7; bit >= 0; --bit) out += (byte >> bit & 1) != 0 ? '1' : '0';
  }
  return make_string(std::move(out));
}

constexpr IntrinsicEntry kEntries[] = {
    {"_count_ones", ones, 1, 1},
    {"_leading_zeros", zeros_in_front, 1, 1},
    {"_trailing_zeros", zeros_at_end, 1, 1},
    {"_leading_ones", ones_in_front, 1, 1},
    {"_trailing_ones", ones_at_end, 1, 1},
    {"_bswap", swap_bytes, 1, 1},
    {"_bitreverse", reverse_bits, 1, 1},
    {"_bitrotate", rotate_bits, 2, 2},
    {"_bitstring", bit_text, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> number_bits_entries() { return kEntries; }

}  // namespace weft::julia
