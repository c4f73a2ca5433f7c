// The sources of random numbers against published values.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "julia/intrinsics/mersenne.h"
#include "julia/intrinsics/random_source.h"
#include "julia/intrinsics/sha256.h"
#include "julia/intrinsics/ziggurat.h"

namespace weft::julia {
namespace {

std::string hex(std::span<const uint8_t> bytes) {
  std::string out;
  for (const uint8_t b : bytes) {
    out += "0123456789abcdef"[b >> 4];
    out += "0123456789abcdef"[b & 15];
  }
  return out;
}

std::array<uint8_t, 32> hash(const std::string& text) {
  return sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// FIPS 180-4's examples.
TEST(Sha256, Examples) {
  EXPECT_EQ(hex(hash("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(hash("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// The reference implementation's first numbers from the state 1, 2, 3, 4.
TEST(Xoshiro, ReferenceSequence) {
  Xoshiro256 x;
  x.state = {1, 2, 3, 4};
  for (const uint64_t expected :
       {uint64_t{41943041}, uint64_t{58720359}, uint64_t{3588806011781223}, uint64_t{3591011842654386},
        uint64_t{9228616714210784205U}, uint64_t{9973669472204895162U}, uint64_t{14011001112246962877U},
        uint64_t{12406186145184390807U}, uint64_t{15849039046786891736U}, uint64_t{10450023813501588000U}})
    EXPECT_EQ(x.next(), expected);
}

// Marsaglia and Tsang's layers are of equal area, and the lowest one with its tail as well.
TEST(Ziggurat, LayersHaveOneArea) {
  const Ziggurat& z = normal_ziggurat();
  const double area = z.width[0] * z.density[255] * 0x1p51;
  for (size_t i = 1; i < 255; ++i)
    EXPECT_NEAR(z.width[i + 1] * 0x1p51 * (z.density[i] - z.density[i + 1]), area, 1e-15) << i;
  EXPECT_NEAR(z.width[1] * 0x1p51 * (1 - z.density[1]), area, 1e-15);
}

TEST(Mersenne, RepeatsAfterSeeding) {
  Mersenne a, b;
  const std::array<uint32_t, 2> key = {1, 2};
  a.seed(key);
  b.seed(key);
  double mean = 0;
  for (int i = 0; i < 5000; ++i) {
    const double x = a.close1_open2();
    EXPECT_EQ(x, b.close1_open2());
    EXPECT_TRUE(x >= 1 && x < 2);
    mean += (x - 1) / 5000;
  }
  EXPECT_NEAR(mean, 0.5, 0.02);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace weft::julia
