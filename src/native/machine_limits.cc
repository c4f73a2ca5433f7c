#include "native/machine_limits.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "native/runtime/parallel.h"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

template <class Body>
double best_seconds(int runs, Body&& body) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    const auto begin = Clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

// Twelve chains hide the latency of a multiply-add on two ports. In assembly, as compilers keep an array of them in memory.
constexpr int kChains = 12;

template <class T, int kBytes>
struct Wide {
  typedef T Vector __attribute__((vector_size(kBytes)));
};

template <class T, int kBytes>
using Vector = typename Wide<T, kBytes>::Vector;

#define WEFT_CHAINS(constraint)                                                                                   \
  [x0] "+" constraint(x[0]), [x1] "+" constraint(x[1]), [x2] "+" constraint(x[2]), [x3] "+" constraint(x[3]),     \
      [x4] "+" constraint(x[4]), [x5] "+" constraint(x[5]), [x6] "+" constraint(x[6]), [x7] "+" constraint(x[7]), \
      [x8] "+" constraint(x[8]), [x9] "+" constraint(x[9]), [x10] "+" constraint(x[10]), [x11] "+" constraint(x[11])
#define WEFT_EACH(op) op("0") op("1") op("2") op("3") op("4") op("5") op("6") op("7") op("8") op("9") op("10") op("11")
#define WEFT_FMA_PS(i) "vfmadd213ps %[b], %[a], %[x" i "]\n\t"
#define WEFT_FMA_PD(i) "vfmadd213pd %[b], %[a], %[x" i "]\n\t"
#define WEFT_SSE_PS(i) "mulps %[a], %[x" i "]\n\taddps %[b], %[x" i "]\n\t"
#define WEFT_SSE_PD(i) "mulpd %[a], %[x" i "]\n\taddpd %[b], %[x" i "]\n\t"

// One function per width, since the instruction set is a property of a function: `rounds` multiply-adds in each chain.
#define WEFT_CHAIN_FUNCTION(name, isa, bytes, constraint, ps, pd)                             \
  template <class T>                                                                          \
  [[gnu::target(isa)]] T name(int64_t rounds, T factor, T summand) {                          \
    Vector<T, bytes> x[kChains];                                                              \
    for (int c = 0; c < kChains; ++c) x[c] = Vector<T, bytes>{} + static_cast<T>(c);          \
    const Vector<T, bytes> a = Vector<T, bytes>{} + factor, b = Vector<T, bytes>{} + summand; \
    /* Many rounds an iteration: the chains leave the registers seldom. */                    \
    for (int64_t i = 0; i < rounds; i += 64) {                                                \
      if constexpr (sizeof(T) == 4)                                                           \
        asm volatile(".rept 64\n\t" WEFT_EACH(ps) ".endr"                                     \
                     : WEFT_CHAINS(constraint)                                                \
                     : [a] constraint(a), [b] constraint(b));                                 \
      else                                                                                    \
        asm volatile(".rept 64\n\t" WEFT_EACH(pd) ".endr"                                     \
                     : WEFT_CHAINS(constraint)                                                \
                     : [a] constraint(a), [b] constraint(b));                                 \
    }                                                                                         \
    T sum = 0;                                                                                \
    for (int c = 0; c < kChains; ++c) sum += x[c][0];                                         \
    return sum;                                                                               \
  }

WEFT_CHAIN_FUNCTION(chains_512, "avx512f", 64, "v", WEFT_FMA_PS, WEFT_FMA_PD)
WEFT_CHAIN_FUNCTION(chains_256, "avx2,fma", 32, "x", WEFT_FMA_PS, WEFT_FMA_PD)
WEFT_CHAIN_FUNCTION(chains_128, "sse2", 16, "x", WEFT_SSE_PS, WEFT_SSE_PD)

#undef WEFT_CHAINS
#undef WEFT_EACH
#undef WEFT_FMA_PS
#undef WEFT_FMA_PD
#undef WEFT_SSE_PS
#undef WEFT_SSE_PD
#undef WEFT_CHAIN_FUNCTION

template <class T>
double peak_gflops(int threads) {
  constexpr int64_t kRounds = 4'000'000;
  const bool is_512 = __builtin_cpu_supports("avx512f"),
             is_256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const int bytes = is_512 ? 64 : is_256 ? 32 : 16;
  volatile T factor = static_cast<T>(0.999), summand = static_cast<T>(0.001);
  std::vector<T> sinks(static_cast<size_t>(threads));
  const double seconds = best_seconds(5, [&] {
    rt::parallel(threads, [&](int64_t part, int64_t) {
      T& sink = sinks[static_cast<size_t>(part)];
      sink = is_512   ? chains_512<T>(kRounds, factor, summand)
             : is_256 ? chains_256<T>(kRounds, factor, summand)
                      : chains_128<T>(kRounds, factor, summand);
    });
  });
  const double lanes = static_cast<double>(bytes) / sizeof(T);
  return 2.0 * kRounds * kChains * lanes * threads / seconds * 1e-9;
}

}  // namespace

MachineLimits measure_limits(int threads) {
  MachineLimits out;
  out.threads = std::max(threads, 1);
  out.f32_gflops = peak_gflops<float>(out.threads);
  out.f64_gflops = peak_gflops<double>(out.threads);

  constexpr size_t kWords = size_t{24} << 20;  // 192 MiB each
  const auto from = std::make_unique<uint64_t[]>(kWords), to = std::make_unique<uint64_t[]>(kWords);
  const auto share = [&](int64_t part, int64_t parts) {
    const auto at = [&](int64_t p) { return kWords * static_cast<size_t>(p) / static_cast<size_t>(parts); };
    return std::pair{at(part), at(part + 1)};
  };
  rt::parallel(out.threads, [&](int64_t part, int64_t parts) {
    const auto [begin, end] = share(part, parts);
    std::memset(&from[begin], 1, (end - begin) * sizeof(uint64_t));
    std::memset(&to[begin], 1, (end - begin) * sizeof(uint64_t));
  });
  std::vector<uint64_t> sums(static_cast<size_t>(out.threads));
  const double read = best_seconds(5, [&] {
    rt::parallel(out.threads, [&](int64_t part, int64_t parts) {
      const auto [begin, end] = share(part, parts);
      typedef uint64_t Line __attribute__((vector_size(64), aligned(8)));
      Line sum[4] = {};
      size_t i = begin;
      for (; i + 32 <= end; i += 32) {
        for (int k = 0; k < 4; ++k) sum[k] += *reinterpret_cast<const Line*>(&from[i + 8 * static_cast<size_t>(k)]);
      }
      sum[0] += sum[1] + sum[2] + sum[3];
      sums[static_cast<size_t>(part)] = sum[0][0] + sum[0][7];
    });
  });
  const double copy = best_seconds(5, [&] {
    rt::parallel(out.threads, [&](int64_t part, int64_t parts) {
      const auto [begin, end] = share(part, parts);
      std::memcpy(&to[begin], &from[begin], (end - begin) * sizeof(uint64_t));
    });
  });
  asm volatile("" : : "r"(sums.data()), "r"(to.get()) : "memory");
  const double bytes = static_cast<double>(kWords * sizeof(uint64_t));
  out.read_gbs = bytes / read * 1e-9;
  out.copy_gbs = 2 * bytes / copy * 1e-9;
  return out;
}

}  // namespace weft
