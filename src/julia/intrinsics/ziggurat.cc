#include "julia/intrinsics/ziggurat.h"

#include <cmath>

namespace weft::julia {
namespace {

/// A number as the sum of two doubles: some 106 bits, which round to the right doubles and integers below.
struct Wide {
  double hi = 0, lo = 0;
  Wide() = default;
  Wide(double h, double l = 0) : hi(h), lo(l) {}
};

Wide normalised(double hi, double lo) {
  const double s = hi + lo;
  return {s, lo - (s - hi)};
}

Wide operator+(Wide a, Wide b) {
  const double s = a.hi + b.hi, t = s - a.hi;
  const double error = (a.hi - (s - t)) + (b.hi - t);
  const double r = a.lo + b.lo, u = r - a.lo;
  const double low_error = (a.lo - (r - u)) + (b.lo - u);
  const Wide first = normalised(s, error + r);
  return normalised(first.hi, first.lo + low_error);
}
Wide operator-(Wide a) { return {-a.hi, -a.lo}; }
Wide operator-(Wide a, Wide b) { return a + -b; }
Wide operator*(Wide a, Wide b) {
  const double p = a.hi * b.hi;
  return normalised(p, std::fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi));
}
Wide operator/(Wide a, Wide b) {
  Wide q = a.hi / b.hi;
  Wide rest = a - q * b;
  q = q + rest.hi / b.hi;
  rest = a - q * b;
  return q + rest.hi / b.hi;
}
Wide square_root(Wide a) {
  const Wide first = std::sqrt(a.hi);
  const Wide second = first + (a - first * first) / (first * 2.0);
  return second + (a - second * second) / (second * 2.0);
}

/// By the series of a 1024th of the argument, squared ten times.
Wide exponential(Wide x) {
  const Wide small(x.hi / 1024, x.lo / 1024);
  Wide sum = 0.0, term = 1.0;
  for (int k = 1; k <= 14; ++k) {
    term = term * small / static_cast<double>(k);
    sum = sum + term;
  }
  for (int i = 0; i < 10; ++i) sum = sum * 2.0 + sum * sum;  // of exp(x) - 1, which keeps its digits
  return sum + 1.0;
}
Wide logarithm(Wide x) {
  Wide y = std::log(x.hi);
  for (int i = 0; i < 2; ++i) y = y + (x * exponential(-y) - 1.0);
  return y;
}

/// ∫ exp(-x²/2) from r on, by its continued fraction.
Wide normal_tail(Wide r) {
  Wide below = r;
  for (int n = 1500; n >= 1; --n) below = r + Wide(static_cast<double>(n)) / below;
  return exponential(r * r * -0.5) / below;
}

Wide normal_density(Wide x) { return exponential(x * x * -0.5); }
Wide normal_inverse(Wide y) { return square_root(logarithm(y) * -2.0); }
Wide exponential_density(Wide x) { return exponential(-x); }
Wide exponential_inverse(Wide y) { return -logarithm(y); }

/// The layers above a tail from r on, of equal area.
Ziggurat layers(Wide r, Wide area, Wide (*density)(Wide), Wide (*inverse)(Wide), double mantissas) {
  Ziggurat z;
  z.tail = r.hi;
  const auto whole = [&](Wide ratio) {
    const Wide scaled = ratio * mantissas;
    double integer = std::floor(scaled.hi);
    if (integer == scaled.hi && scaled.lo < 0) integer -= 1;
    return static_cast<uint64_t>(integer);
  };
  Wide x = r, f = density(r);
  z.width[255] = (x / mantissas).hi;
  z.density[255] = f.hi;
  z.bound[0] = whole(x * f / area);
  z.width[0] = (area / f / mantissas).hi;
  z.density[0] = 1;
  for (size_t i = 254; i >= 1; --i) {
    const Wide next = inverse(area / x + f);
    z.bound[i + 1] = whole(next / x);
    z.width[i] = (next / mantissas).hi;
    f = density(next);
    z.density[i] = f.hi;
    x = next;
  }
  z.bound[1] = 0;
  return z;
}

}  // namespace

// The ends of the lowest layers are those for which the 256th layer closes at density 1, to twice the digits of a double.
const Ziggurat& normal_ziggurat() {
  static const Ziggurat z = [] {
    const Wide r(3.654152885361009, 6.68145742998178e-19);
    return layers(r, r * normal_density(r) + normal_tail(r), normal_density, normal_inverse, 0x1p51);
  }();
  return z;
}

double log_of_rest(double u) { return logarithm(Wide(1) - Wide(u)).hi; }

const Ziggurat& exponential_ziggurat() {
  static const Ziggurat z = [] {
    const Wide r(7.69711747013105, -3.6248703662396074e-16);
    return layers(r, (r + 1.0) * exponential_density(r), exponential_density, exponential_inverse, 0x1p52);
  }();
  return z;
}

}  // namespace weft::julia
