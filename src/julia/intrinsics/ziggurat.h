// The tables of the ziggurat method with 256 layers (Marsaglia and Tsang) for normal and exponential numbers.
#pragma once
#include <array>
#include <cstdint>

namespace weft::julia {

struct Ziggurat {
  double tail = 0;                    ///< where the lowest layer's rectangle ends
  std::array<uint64_t, 256> bound{};  ///< mantissas below are inside the density for sure
  std::array<double, 256> width{};    ///< of a layer, by mantissa
  std::array<double, 256> density{};
};

/// Mantissas have 51 bits; the density is exp(-x²/2).
const Ziggurat& normal_ziggurat();
/// Mantissas have 52 bits; the density is exp(-x).
const Ziggurat& exponential_ziggurat();
/// The logarithm of 1 - u for 0 <= u < 1, rounded once: for the tails, so that compiled code can draw the same numbers.
double log_of_rest(double u);

}  // namespace weft::julia
