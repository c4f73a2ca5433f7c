#include "julia/host/hash.h"

#include <bit>
#include <cmath>
#include <limits>

#include "julia/host/array.h"
#include "julia/host/dict.h"
#include "julia/host/number.h"
#include "julia/host/number_ops.h"
#include "julia/host/text_view.h"
#include "weft/error.h"

namespace weft::julia {
namespace {

/// Thomas Wang's mix of 64 bits.
uint64_t mix(uint64_t a) {
  a = ~a + (a << 21);
  a ^= a >> 24;
  a += (a << 3) + (a << 8);
  a ^= a >> 14;
  a += (a << 2) + (a << 4);
  a ^= a >> 28;
  a += a << 31;
  return a;
}

uint64_t final_mix(uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdu;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53u;
  k ^= k >> 33;
  return k;
}

/// The second word of MurmurHash3 x64/128 (Austin Appleby, public domain algorithm).
uint64_t murmur(std::string_view text, uint32_t seed) {
  constexpr uint64_t c1 = 0x87c37b91114253d5u, c2 = 0x4cf5ad432745937fu;
  uint64_t h1 = seed, h2 = seed;
  const size_t blocks = text.size() / 16;
  for (size_t i = 0; i < blocks; ++i) {
    uint64_t k1, k2;
    std::memcpy(&k1, text.data() + i * 16, 8);
    std::memcpy(&k2, text.data() + i * 16 + 8, 8);
    h1 ^= std::rotl(k1 * c1, 31) * c2;
    h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= std::rotl(k2 * c2, 33) * c1;
    h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  const std::string_view tail = text.substr(blocks * 16);
  uint64_t k1 = 0, k2 = 0;
  for (size_t i = tail.size(); i-- > 0;) {
    const uint64_t byte = static_cast<unsigned char>(tail[i]);
    if (i >= 8) k2 |= byte << (8 * (i - 8));
    else k1 |= byte << (8 * i);
  }
  h2 ^= std::rotl(k2 * c2, 33) * c1;
  h1 ^= std::rotl(k1 * c1, 31) * c2;
  h1 ^= text.size();
  h2 ^= text.size();
  h1 += h2;
  h2 += h1;
  h1 = final_mix(h1);
  h2 = final_mix(h2);
  h1 += h2;
  return h2 + h1;
}

uint64_t hash_int(uint64_t x, uint64_t seed) { return mix(x) - 3 * seed; }

uint64_t hash_float(double x, uint64_t seed) {
  if (x >= -0x1p63 && x < 0x1p63) {
    const auto i = static_cast<int64_t>(x);
    if (static_cast<double>(i) == x && !(i == 0 && std::signbit(x))) return hash_int(static_cast<uint64_t>(i), seed);
  } else if (x >= 0 && x < 0x1p64) {
    const auto u = static_cast<uint64_t>(x);
    if (static_cast<double>(u) == x) return hash_int(u, seed);
  } else if (std::isnan(x)) {
    return mix(std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN())) ^ seed;
  }
  return hash_int(std::bit_cast<uint64_t>(x), seed);
}

uint64_t hash_number(NumberKind kind, const Value& v, uint64_t seed) {
  return visit_number(kind, [&]<class T>(T) -> uint64_t {
    const T x = v.get<T>();
    if constexpr (kIsFloat<T>) {
      return hash_float(static_cast<double>(x), seed);
    } else if constexpr (sizeof(T) == 16) {
      if (x == static_cast<T>(static_cast<int64_t>(x))) return hash_int(static_cast<uint64_t>(x), seed);
      return hash_int(static_cast<uint64_t>(x) ^ mix(static_cast<uint64_t>(x >> 64)), seed);
    } else {
      return hash_int(static_cast<uint64_t>(x), seed);
    }
  });
}

bool is_equal_number(const Value& a, NumberKind ka, const Value& b, NumberKind kb) {
  const auto special = [](const Value& v, NumberKind k) -> std::pair<bool, bool> {  // NaN, minus zero
    return visit_number(k, [&]<class T>(T) -> std::pair<bool, bool> {
      if constexpr (kIsFloat<T>) {
        const auto x = static_cast<double>(v.get<T>());
        return {std::isnan(x), x == 0 && std::signbit(x)};
      } else {
        return {false, false};
      }
    });
  };
  const auto [nan_a, minus_a] = special(a, ka);
  const auto [nan_b, minus_b] = special(b, kb);
  if (nan_a || nan_b) return nan_a && nan_b;
  return minus_a == minus_b && numbers_equal(a, b);
}

/// Of a part of a value, by the program's own methods where it has some.
uint64_t hash_part(const Value& v, uint64_t seed) {
  const KeyMeaning& meaning = key_meaning();
  return meaning.hash != nullptr ? meaning.hash(v, seed) : hash_of(v, seed);
}

bool equal_parts(const Value& a, const Value& b) {
  const KeyMeaning& meaning = key_meaning();
  return meaning.equal != nullptr && a.is_defined() && b.is_defined() ? meaning.equal(a, b) : is_equal(a, b);
}

bool is_fields_like(const Value& v) {
  return v.type()->is_tuple || v.type()->name == core().named_tuple_name || !v.type()->is_mutable();
}

}  // namespace

KeyMeaning& key_meaning() {
  static thread_local KeyMeaning meaning;
  return meaning;
}

uint64_t hash_of(const Value& v, uint64_t seed) {
  const DataType* type = v.type();
  if (const auto kind = number_kind(v)) return hash_number(*kind, v, seed);
  if (type == core().symbol) {
    const std::string& text = v.as_symbol().text();
    const uint64_t id = mix(~(murmur(text, 0xcafe8881u) ^ 0xaaaaaaaaaaaaaaaau) + 1);
    return seed == 0 ? id : mix(3 * seed - id);
  }
  if (type == core().char_) return mix(((v.get<uint32_t>() + uint64_t{0xd4d64234}) << 32) ^ seed);
  if (const auto text = text_view(v)) {
    const uint64_t h = seed + 0x71e729fd56419c81u;
    return murmur(*text, static_cast<uint32_t>(h)) + h;
  }
  if (v.is_type())
    return mix(3 * seed - murmur(v.as_type()->kind == TypeKind::kData
                                     ? static_cast<const DataType*>(v.as_type())->name->name.text()
                                     : "",
                                 1));
  if (type->is_tuple) {
    uint64_t h = seed + 0x77cfa1eef01bca90u;
    for (size_t i = field_count(v); i-- > 0;) h = hash_part(get_field(v, i), h);
    return h;
  }
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    uint64_t h = seed + 0x7e2d6fb6448beb77u;
    for (const int64_t d : a.dims) h = hash_int(static_cast<uint64_t>(d), h);
    for (int64_t i = 0; i < a.length; ++i) {
      const Value e = get_element(a, i);
      if (e.is_defined()) h = hash_part(e, h);
    }
    return h;
  }
  if (is_dict(v)) {
    const DictObject& d = dict_of(v);
    uint64_t sum = 0x6d35bb51952d5539u;
    for (int64_t i = next_slot(d, 0); i >= 0; i = next_slot(d, i + 1)) {
      const auto at = static_cast<size_t>(i);
      sum ^= hash_part(d.keys[at], hash_part(d.values[at], 0));
    }
    return hash_int(sum, seed);
  }
  if (v.is_reference() && type->name == as<DataType>(unwrap_union_all(core().set))->name)
    return hash_of(get_field(v, 0), seed + 0x852ada37cfe8e0ceu);
  if (type->name == core().named_tuple_name) {
    for (const Symbol s : type->field_names()) seed = hash_of(Value::of_symbol(s), seed);
  }
  // A rational number that an integer or a float equals has its hash.
  if (type->name == as<DataType>(unwrap_union_all(core().rational))->name && number_kind(get_field(v, 0))) {
    const Value n = get_field(v, 0), d = get_field(v, 1);
    if (numbers_equal(d, number(int64_t{1}))) return hash_of(n, seed);
    const double x = convert_number(NumberKind::kFloat64, n).get<double>();
    const double y = convert_number(NumberKind::kFloat64, d).get<double>();
    int exponent = 0;
    if (y == 0 || (std::frexp(y, &exponent) == 0.5 && numbers_equal(number(x), n) && numbers_equal(number(y), d)))
      return hash_float(x / y, seed);
  }
  if (!type->is_mutable() && !type->is_singleton()) {
    const bool is_pair = type->name == as<DataType>(unwrap_union_all(core().pair))->name;
    uint64_t h = is_pair ? seed : seed + mix(type->name->name.text().size());
    for (size_t i = 0; i < field_count(v); ++i) {
      const Value f = get_field(v, i);
      if (f.is_defined()) h = hash_part(f, h);
    }
    return h;
  }
  if (v.is_reference()) return mix(3 * seed - reinterpret_cast<uint64_t>(v.object()));
  return mix(3 * seed - murmur(type->name->name.text(), 2));
}

uint64_t identity_hash(const Value& v) {
  if (!v.is_reference() || !v.type()->is_mutable()) return hash_of(v, 0x3a5f);
  if (v.is(core().string)) return hash_of(v, 0x3a5f);
  return mix(reinterpret_cast<uint64_t>(v.object()));
}

bool is_equal(const Value& a, const Value& b) {
  if (!a.is_defined() || !b.is_defined()) return a.is_defined() == b.is_defined();
  const auto ka = number_kind(a), kb = number_kind(b);
  if (ka && kb) return is_equal_number(a, *ka, b, *kb);
  if (const auto x = text_view(a), y = text_view(b); x && y) return *x == *y;
  if (is_array(a) && is_array(b)) {
    const ArrayObject &x = array_of(a), &y = array_of(b);
    if (x.dims != y.dims) return false;
    for (int64_t i = 0; i < x.length; ++i) {
      if (!equal_parts(get_element(x, i), get_element(y, i))) return false;
    }
    return true;
  }
  if (a.type()->name == b.type()->name && is_fields_like(a) && !a.type()->is_primitive() && !a.is_type() &&
      a.type() != core().symbol && !a.type()->is_mutable() && field_count(a) == field_count(b) && field_count(a) > 0) {
    if (a.type()->name == core().named_tuple_name && a.type()->parameters[0] != b.type()->parameters[0]) return false;
    const bool by_value =
        a.type()->is_tuple || a.type()->name->module == Symbol("Base") || a.type()->name == core().named_tuple_name;
    if (!by_value) return is_identical(a, b);
    for (size_t i = 0; i < field_count(a); ++i) {
      if (!equal_parts(get_field(a, i), get_field(b, i))) return false;
    }
    return true;
  }
  return is_identical(a, b);
}

}  // namespace weft::julia
