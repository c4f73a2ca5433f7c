// SHA-256 (FIPS 180-4), by which Julia turns seeds into states of generators.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace weft::julia {

/// The constants of its 64 rounds.
const std::array<uint32_t, 64>& sha256_rounds();
std::array<uint8_t, 32> sha256(std::span<const uint8_t> message);

}  // namespace weft::julia
