#include "reduce/random.h"

#include <array>
#include <cmath>
#include <limits>

#include "ops/scalar/num.h"

namespace weft::reduce {
namespace {

double special_real(Random& random) {
  static constexpr std::array kValues = {0.0,
                                         -0.0,
                                         1.0,
                                         -1.0,
                                         0.5,
                                         2.0,
                                         std::numeric_limits<double>::quiet_NaN(),
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity(),
                                         1e300,
                                         -3.4028234663852886e38,
                                         65504.0,
                                         1e-310,
                                         -1e-40,
                                         6e-8,
                                         2147483648.0,
                                         -9223372036854775808.0};
  return random.pick(kValues);
}
double plain_real(Random& random) {
  // Halves and quarters meet each other more often than arbitrary numbers do, and the latter round.
  if (random.chance(0.3)) return static_cast<double>(random.between(-8, 8)) * 0.25;
  return (static_cast<double>(random.bits() >> 11) * 0x1p-53 - 0.5) * 8;
}
int64_t special_integer(Random& random, ElementType type) {
  const int width = bit_width(type);
  const int64_t top = width >= 64 ? std::numeric_limits<int64_t>::min() : int64_t{1} << (width - 1);
  switch (random.below(7)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    case 3: return top;
    case 4: return static_cast<int64_t>(static_cast<uint64_t>(top) - 1);
    case 5: return width;
    default: return static_cast<int64_t>(random.bits());
  }
}

}  // namespace

Tensor random_tensor(Random& random, Type type, Numbers numbers) {
  const ElementType e = type.element_type();
  Tensor out(e, Shape(type.shape().begin(), type.shape().end()));
  for (int64_t i = 0; i < out.size(); ++i) {
    const bool special = numbers == Numbers::kSpecial || (numbers == Numbers::kMixed && random.chance(0.25));
    const auto real = [&] { return special ? special_real(random) : plain_real(random); };
    Num n;
    if (is_boolean(e)) {
      n = Num::boolean(random.chance(0.5));
    } else if (is_complex(e)) {
      const double re = real();
      n = Num::of_complex(e, re, real());
    } else if (is_float(e)) {
      n = convert(Num::of_real(ElementType::kF64, real()), e);
    } else {
      n = Num::of_bits(e, special ? special_integer(random, e) : random.between(-4, 6));
    }
    store_num(out.raw(), n, i);
  }
  return out;
}

}  // namespace weft::reduce
