#include "julia/intrinsics/random_source.h"

#include <bit>
#include <cmath>
#include <random>

#include "julia/host/exception.h"
#include "julia/host/number_ops.h"
#include "julia/intrinsics/mersenne.h"
#include "julia/intrinsics/sha256.h"
#include "julia/intrinsics/ziggurat.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

uint64_t Xoshiro256::next() {
  auto& [s0, s1, s2, s3] = state;
  const uint64_t out = std::rotl(s0 + s3, 23) + s0;
  const uint64_t t = s1 << 17;
  s2 ^= s0;
  s3 ^= s1;
  s1 ^= s2;
  s0 ^= s3;
  s2 ^= t;
  s3 = std::rotl(s3, 45);
  return out;
}

namespace {

uint64_t as_floats(uint64_t x, RandomSource::Fill what) {
  if (what == RandomSource::Fill::kFloat64) return std::bit_cast<uint64_t>(static_cast<double>(x >> 11) * 0x1p-53);
  if (what != RandomSource::Fill::kFloat32) return x;
  const auto half = [](uint32_t h) { return std::bit_cast<uint32_t>(static_cast<float>(h >> 8) * 0x1p-24F); };
  return static_cast<uint64_t>(half(static_cast<uint32_t>(x >> 32))) << 32 | half(static_cast<uint32_t>(x));
}

constexpr uint64_t kLowBits = 0x0101010101010101U;
constexpr size_t kLanes = 8;

void store(std::byte* to, uint64_t x, size_t bytes = 8) { std::memcpy(to, &x, bytes); }

/// Eight generators side by side, which start from numbers of the one.
std::array<Xoshiro256, kLanes> lanes_of(Xoshiro256& parent) {
  constexpr std::array<uint64_t, 4> kFactors = {0x02011ce34bce797fU, 0x5a94851fb48a6e05U, 0x3688cf5d48899fa7U,
                                                0x867b4bb4c42e5661U};
  std::array<Xoshiro256, kLanes> lanes;
  for (size_t word = 0; word < 4; ++word) {
    for (Xoshiro256& lane : lanes) lane.state[word] = kFactors[word] * parent.next();
  }
  return lanes;
}

}  // namespace

bool Xoshiro256::fill(std::span<std::byte> out, Fill what) {
  const size_t step = what == Fill::kBool ? 64 * kLanes : 8 * kLanes;
  size_t i = 0;
  if (out.size() >= (what == Fill::kBool ? 640 : 64)) {
    auto lanes = lanes_of(*this);
    for (; i + step <= out.size(); i += step) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const uint64_t x = lanes[lane].next();
        if (what != Fill::kBool) {
          store(out.data() + i + 8 * lane, as_floats(x, what));
          continue;
        }
        for (size_t bit = 0; bit < 8; ++bit) store(out.data() + i + 64 * bit + 8 * lane, (x >> bit) & kLowBits);
      }
    }
  }
  if (what == Fill::kBool) {
    while (i + 8 <= out.size()) {
      const uint64_t x = next();
      for (int bit = 0; bit < 8 && i + 8 <= out.size(); ++bit, i += 8) store(out.data() + i, (x >> bit) & kLowBits);
    }
    if (i < out.size()) store(out.data() + i, next() & kLowBits, out.size() - i);
    return true;
  }
  for (; i + 8 <= out.size(); i += 8) store(out.data() + i, as_floats(next(), what));
  if (i < out.size()) store(out.data() + i, as_floats(next(), what), out.size() - i);
  return true;
}

namespace {

class MersenneSource final : public RandomSource {
 public:
  explicit MersenneSource(Mersenne& m) : m_(m) {}
  uint64_t next() override { return static_cast<uint64_t>(m_.integer(8)); }
  unsigned __int128 next128() override { return m_.integer(16); }
  uint32_t small(int bits) override {
    const auto x = static_cast<uint32_t>(raw());
    return bits == 32 ? x : x & ((1U << bits) - 1);
  }
  uint64_t bits52() override { return raw() & 0x000fffffffffffffU; }
  double unit() override { return m_.close1_open2() - 1; }
  float unit32() override { return std::bit_cast<float>((small(32) & 0x007fffffU) | 0x3f800000U) - 1; }
  float unit16() override { return std::bit_cast<float>((small(32) & 0x3ffU) << 13 | 0x3f800000U) - 1; }
  bool fill(std::span<std::byte> out, Fill what) override {
    if (what == Fill::kFloat64) {
      std::vector<double> values(out.size() / 8);
      m_.fill(values);
      std::memcpy(out.data(), values.data(), out.size());
      return true;
    }
    // Words of 128 bits first; what is left over, one number after another.
    std::vector<unsigned __int128> words(out.size() / 16);
    if (what == Fill::kBits) {
      m_.fill(words);
    } else {
      fill_raw(words);
    }
    if (what == Fill::kBool) return fill_bools(out, words);
    if (what == Fill::kFloat32) {
      for (auto& u : words) {
        u ^= u << 26;
        std::array<uint32_t, 4> bits{};
        std::memcpy(bits.data(), &u, sizeof u);
        for (uint32_t& x : bits) x = std::bit_cast<uint32_t>(std::bit_cast<float>((x & 0x007fffffU) | 0x3f800000U) - 1);
        std::memcpy(&u, bits.data(), sizeof u);
      }
    }
    std::memcpy(out.data(), words.data(), words.size() * 16);
    filled_ = words.size() * 16;
    return false;
  }
  size_t filled() const override { return filled_; }

 private:
  uint64_t raw() { return std::bit_cast<uint64_t>(m_.close1_open2()); }
  void fill_raw(std::vector<unsigned __int128>& words) {
    std::vector<double> values(2 * words.size());
    m_.fill(values);
    for (size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<unsigned __int128>(std::bit_cast<uint64_t>(values[2 * i + 1] + 1)) << 64 |
                 std::bit_cast<uint64_t>(values[2 * i] + 1);
    }
  }
  bool fill_bools(std::span<std::byte> out, std::vector<unsigned __int128>& words) {
    uint64_t bits = 0;
    if (words.empty()) {
      bits = raw();
    } else {
      const auto x = static_cast<uint64_t>(words[0]);
      bits = x ^ (x >> 17);
      for (auto& u : words) u = (u ^ (u << 5)) & (static_cast<unsigned __int128>(kLowBits) << 64 | kLowBits);
    }
    std::memcpy(out.data(), words.data(), words.size() * 16);
    for (size_t i = words.size() * 16; i < out.size(); ++i, bits >>= 1) out[i] = static_cast<std::byte>(bits & 1);
    return true;
  }
  Mersenne& m_;
  size_t filled_ = 0;
};

class DeviceSource final : public RandomSource {
 public:
  uint64_t next() override {
    static std::random_device device;
    const uint64_t high = device();
    return high << 32 | device();
  }
};

/// A generator that the program defines.
class ProgramSource final : public RandomSource {
 public:
  ProgramSource(Evaluator& e, const Value& rng) : e_(e), rng_(rng) {}
  uint64_t next() override {
    const Value v = e_.call_base("rand", {rng_, Value::of_type(core().uint64)});
    if (!v.is(core().uint64)) throw_type_error("rand", "", core().uint64, v);
    return v.get<uint64_t>();
  }

 private:
  Evaluator& e_;
  const Value& rng_;
};

/// Of TaskLocalRNG: the task is the thread.
Xoshiro256& task_source() {
  thread_local Xoshiro256 source = [] {
    Xoshiro256 s;
    DeviceSource device;
    for (uint64_t& word : s.state) word = device.next();
    return s;
  }();
  return source;
}

bool is_named(const Value& v, std::string_view name) { return v.type()->name->name.text() == name; }

Mersenne& mersenne_of(const Value& rng) {
  return *static_cast<Mersenne*>(static_cast<const HostObject*>(rng.object())->contents.get());
}

void store_state(const Value& rng, const std::array<uint64_t, 4>& state) {
  for (size_t i = 0; i < 4; ++i) set_field(rng, i, number(state[i]));
}

std::array<uint64_t, 4> state_of(const Value& rng) {
  std::array<uint64_t, 4> state{};
  for (size_t i = 0; i < 4; ++i) {
    const Value word = get_field(rng, i);
    if (!word.is_defined()) throw_undef_ref_error();
    state[i] = word.get<uint64_t>();
  }
  return state;
}

}  // namespace

void show_task_state(const Value& xoshiro) { store_state(xoshiro, task_source().state); }
void take_task_state(const Value& xoshiro) { task_source().state = state_of(xoshiro); }

void with_source(Evaluator& evaluator, const Value& rng, const std::function<void(RandomSource&)>& f) {
  if (is_named(rng, "TaskLocalRNG")) return f(task_source());
  if (is_named(rng, "Xoshiro")) {
    Xoshiro256 source;
    source.state = state_of(rng);
    f(source);
    return store_state(rng, source.state);
  }
  if (is_named(rng, "MersenneTwister")) {
    MersenneSource source(mersenne_of(rng));
    return f(source);
  }
  if (is_named(rng, "RandomDevice")) {
    DeviceSource source;
    return f(source);
  }
  ProgramSource source(evaluator, rng);
  f(source);
}

namespace {

void add_bytes(std::vector<uint8_t>& out, uint64_t x, int count) {
  for (int i = 0; i < count; ++i) out.push_back(static_cast<uint8_t>(x >> (8 * i)));
}

/// What of a seed is hashed: unequal for unequal seeds.
std::vector<uint8_t> bytes_of_seed(const Value& seed) {
  std::vector<uint8_t> out;
  if (seed.is(core().string)) {
    const std::string& text = string_of(seed);
    out.assign(text.begin(), text.end());
    const size_t padding = 4 - text.size() % 4;
    out.insert(out.end(), padding, static_cast<uint8_t>(padding));
    out.push_back(5);
    return out;
  }
  if (is_array(seed)) {
    const ArrayObject& a = array_of(seed);
    for (int64_t i = 0; i < a.length; ++i) {
      const Value v = get_element(a, i);
      add_bytes(out, v.is(core().uint32) ? v.get<uint32_t>() : v.get<uint64_t>(), 8);
    }
    out.push_back(0x10);
    return out;
  }
  const auto kind = number_kind(seed);
  if (!kind || is_float(*kind)) throw Unsupported("a seed of type " + std::string(seed.type()->name->name.text()));
  UInt128 bits = 0;
  bool is_negative = false;
  if (*kind == NumberKind::kUInt128) {
    bits = seed.get<UInt128>();
  } else {
    const auto wide = convert_number(NumberKind::kInt128, seed).get<Int128>();
    is_negative = wide < 0;
    bits = static_cast<UInt128>(is_negative ? ~wide : wide);
  }
  do {
    add_bytes(out, static_cast<uint32_t>(bits), 4);
    bits >>= 32;
  } while (bits != 0);
  if (is_negative) out.push_back(1);
  return out;
}

}  // namespace

void seed_source(const Value& rng, const Value& seed) {
  std::array<uint64_t, 4> state{};
  if (seed.is(core().nothing)) {
    DeviceSource device;
    for (uint64_t& word : state) word = device.next();
  } else {
    const auto digest = sha256(bytes_of_seed(seed));
    std::memcpy(state.data(), digest.data(), sizeof state);
  }
  if (is_named(rng, "TaskLocalRNG")) {
    task_source().state = state;
  } else if (is_named(rng, "Xoshiro")) {
    store_state(rng, state);
    set_field(rng, 4, number(state[0] + 3 * state[1] + 5 * state[2] + 7 * state[3]));
  } else {
    std::array<uint32_t, 8> key{};
    std::memcpy(key.data(), state.data(), sizeof key);
    mersenne_of(rng).seed(key);
  }
}

double normal(RandomSource& source, uint64_t bits) {
  const Ziggurat& z = normal_ziggurat();
  for (;; bits = source.bits52()) {
    const auto mantissa = static_cast<int64_t>(bits >> 1);
    const size_t layer = static_cast<size_t>(mantissa) & 0xff;
    const double x = static_cast<double>((bits & 1) != 0 ? -mantissa : mantissa) * z.width[layer];
    if (static_cast<uint64_t>(mantissa) < z.bound[layer]) return x;
    if (layer == 0) {
      const double inverse = 1 / z.tail;
      for (;;) {
        const double along = -inverse * log_of_rest(source.unit()), up = -log_of_rest(source.unit());
        if (up + up > along * along) return (mantissa >> 8) % 2 != 0 ? -z.tail - along : z.tail + along;
      }
    }
    if ((z.density[layer - 1] - z.density[layer]) * source.unit() + z.density[layer] < std::exp(-0.5 * x * x)) return x;
  }
}

double exponential(RandomSource& source, uint64_t bits) {
  const Ziggurat& z = exponential_ziggurat();
  for (;; bits = source.bits52()) {
    const size_t layer = bits & 0xff;
    const double x = static_cast<double>(bits) * z.width[layer];
    if (bits < z.bound[layer]) return x;
    if (layer == 0) return z.tail - log_of_rest(source.unit());
    if ((z.density[layer - 1] - z.density[layer]) * source.unit() + z.density[layer] < std::exp(-x)) return x;
  }
}

uint64_t below64(RandomSource& source, uint64_t count) {
  uint64_t x = source.next();
  if (count == 0) return x;
  unsigned __int128 m = static_cast<unsigned __int128>(x) * count;
  if (static_cast<uint64_t>(m) < count) {
    const uint64_t least = -count % count;
    while (static_cast<uint64_t>(m) < least) {
      x = source.next();
      m = static_cast<unsigned __int128>(x) * count;
    }
  }
  return static_cast<uint64_t>(m >> 64);
}

uint32_t below32(RandomSource& source, uint32_t count) {
  uint32_t x = source.small(32);
  if (count == 0) return x;
  uint64_t m = static_cast<uint64_t>(x) * count;
  if (static_cast<uint32_t>(m) < count) {
    const uint32_t least = -count % count;
    while (static_cast<uint32_t>(m) < least) {
      x = source.small(32);
      m = static_cast<uint64_t>(x) * count;
    }
  }
  return static_cast<uint32_t>(m >> 32);
}

uint64_t masked52(RandomSource& source, uint64_t last, uint64_t mask) {
  for (;;) {
    const uint64_t x = source.bits52() & mask;
    if (x <= last) return x;
  }
}

unsigned __int128 masked128(RandomSource& source, unsigned __int128 last) {
  const bool is_short = last >> 64 == 0;
  const auto mask64 = [](uint64_t x) { return x == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(x); };
  for (;;) {
    if (is_short) {
      const uint64_t x = source.next() & mask64(static_cast<uint64_t>(last));
      if (x <= last) return x;
      continue;
    }
    const unsigned __int128 mask =
        static_cast<unsigned __int128>(mask64(static_cast<uint64_t>(last >> 64))) << 64 | ~uint64_t{0};
    const unsigned __int128 x = source.next128() & mask;
    if (x <= last) return x;
  }
}

}  // namespace weft::julia
