#include "native/schedule/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "native/aot_runtime/weft_rt_fft.h"
#include "ops/linear_algebra/fourier.h"
#include "ops/reduction/sort_order.h"

namespace weft::native {
namespace {

using Complex = std::complex<long double>;

/// A prime factor above this is dearer than the convolution of the chirp.
constexpr int64_t kLargestFactor = 31;

/// exp(-2πi·k/n)
Complex root(int64_t k, int64_t n) {
  constexpr long double kTurn = 6.28318530717958647692528676655900576839L;
  const long double angle = kTurn * static_cast<long double>(k % n) / static_cast<long double>(n);
  return {std::cos(angle), -std::sin(angle)};
}

/// Fours first; none when a prime is too large.
std::optional<std::vector<int64_t>> factors_of(int64_t n) {
  std::vector<int64_t> out;
  for (int64_t p = 4; n > 1;) {
    if (n % p == 0) {
      out.push_back(p);
      n /= p;
    } else {
      p = p == 4 ? 2 : p == 2 ? 3 : p + 2;
      if (p > kLargestFactor) return std::nullopt;
    }
  }
  return out;
}

class Planner {
 public:
  Planner(const OpView& op, FftPlan& plan) : op_(op), plan_(plan) {}

  void run() {
    const std::string& kind = op_.attrs().text("fft_type");
    const auto& lengths = op_.attrs().ints("fft_length");
    const Type from = op_.operand_type(0), to = op_.result_type();
    const int64_t rank = from.rank(), last = rank - 1, first = rank - static_cast<int64_t>(lengths.size());
    const bool is_inverse = kind == "IFFT" || kind == "IRFFT";
    const Shape in(from.shape().begin(), from.shape().end()), out(to.shape().begin(), to.shape().end());
    plan_.is_double = from.element_type() == ElementType::kF64 || from.element_type() == ElementType::kC128;
    plan_.words.assign(WEFT_RT_FFT_HEADER, 0);
    plan_.words[WEFT_RT_FFT_PARTS] = 1;
    if (from.num_elements() == 0 || to.num_elements() == 0) return;
    const int64_t real_length = lengths.back();
    const bool is_even = real_length % 2 == 0;
    if (kind == "RFFT") {
      add(in, out, last, real_length, is_even ? WEFT_RT_FFT_FROM_REAL_EVEN : WEFT_RT_FFT_FROM_REAL, false,
          WEFT_RT_FFT_OPERAND, WEFT_RT_FFT_RESULT);
      for (int64_t d = first; d < last; ++d)
        add(out, out, d, extent(out, d), WEFT_RT_FFT_COMPLEX, false, WEFT_RT_FFT_RESULT, WEFT_RT_FFT_RESULT);
    } else if (kind == "IRFFT") {
      int64_t place = WEFT_RT_FFT_OPERAND;
      for (int64_t d = first; d < last; ++d) {
        add(in, in, d, extent(in, d), WEFT_RT_FFT_COMPLEX, true, place, WEFT_RT_FFT_BETWEEN);
        place = WEFT_RT_FFT_BETWEEN;
        plan_.words[WEFT_RT_FFT_INTERMEDIATE] = (2 * from.num_elements() + 15) / 16 * 16;
      }
      add(in, out, last, real_length, is_even ? WEFT_RT_FFT_TO_REAL_EVEN : WEFT_RT_FFT_TO_REAL, true, place,
          WEFT_RT_FFT_RESULT);
    } else {
      int64_t place = WEFT_RT_FFT_OPERAND;
      for (int64_t d = first; d <= last; ++d) {
        add(in, out, d, extent(in, d), WEFT_RT_FFT_COMPLEX, is_inverse, place, WEFT_RT_FFT_RESULT);
        place = WEFT_RT_FFT_RESULT;
      }
    }
    add_cores();
  }

 private:
  static int64_t extent(const Shape& shape, int64_t d) { return shape[static_cast<size_t>(d)]; }

  void add(const Shape& in, const Shape& out, int64_t dimension, int64_t length, int64_t kind, bool is_inverse,
           int64_t from, int64_t to) {
    const Slices slices(in, dimension);
    const bool is_halved = kind == WEFT_RT_FFT_FROM_REAL_EVEN || kind == WEFT_RT_FFT_TO_REAL_EVEN;
    const int64_t core = is_halved ? length / 2 : length;
    std::vector<int64_t> w(WEFT_RT_FFT_PASS_WORDS, 0);
    w[WEFT_RT_FFT_LINES] = slices.count;
    w[WEFT_RT_FFT_STEP] = slices.step;
    w[WEFT_RT_FFT_LENGTH] = length;
    w[WEFT_RT_FFT_FROM_LENGTH] = extent(in, dimension);
    w[WEFT_RT_FFT_TO_LENGTH] = extent(out, dimension);
    w[WEFT_RT_FFT_KIND] = kind;
    w[WEFT_RT_FFT_INVERSE] = is_inverse ? 1 : 0;
    w[WEFT_RT_FFT_FROM] = from;
    w[WEFT_RT_FFT_TO] = to;
    w[WEFT_RT_FFT_TWIST_TABLE] = static_cast<int64_t>(plan_.table.size());
    if (is_halved) {
      std::vector<Complex> twist;
      for (int64_t k = 0; k <= length / 2; ++k) twist.push_back(root(k, length));
      put(twist);
    }
    most_lines_ = std::max(most_lines_, slices.count);
    longest_line_ = std::max({longest_line_, extent(in, dimension), extent(out, dimension)});
    if (slices.step > 1) longest_apart_ = std::max({longest_apart_, extent(in, dimension), extent(out, dimension)});
    core_of_pass_.push_back(core);
    plan_.words.insert(plan_.words.end(), w.begin(), w.end());
    ++plan_.words[WEFT_RT_FFT_PASSES];
  }

  void add_cores() {
    std::map<int64_t, std::pair<int64_t, int64_t>> places;
    int64_t longest = 0;
    for (size_t i = 0; i < core_of_pass_.size(); ++i) {
      const int64_t n = core_of_pass_[i];
      const auto [it, is_new] = places.try_emplace(n, plan_.words.size(), plan_.table.size());
      if (is_new) longest = std::max(longest, add_core(n));
      const size_t at = WEFT_RT_FFT_HEADER + i * WEFT_RT_FFT_PASS_WORDS;
      plan_.words[at + WEFT_RT_FFT_CORE] = it->second.first;
      plan_.words[at + WEFT_RT_FFT_CORE_TABLE] = it->second.second;
    }
    // Not apart by a multiple of 4096 bytes, at which a processor takes a read for one of what was just written.
    longest = (longest + 15) / 16 * 16 + 80;
    plan_.words[WEFT_RT_FFT_CORE_LENGTH] = longest;
    // Lines together, where there are some and their arrays stay near the processor.
    constexpr int64_t kNear = 3 << 19;
    const int64_t together = 4 * WEFT_RT_FFT_BLOCK * longest;
    const bool fits = most_lines_ >= 4 && together * (plan_.is_double ? 8 : 4) <= kNear;
    plan_.words[WEFT_RT_FFT_TOGETHER] = fits ? 1 : 0;
    const int64_t block = 2 * WEFT_RT_FFT_BLOCK * (fits ? longest_line_ : longest_apart_);
    plan_.words[WEFT_RT_FFT_SCRATCH] = (fits ? together : 4 * longest) + (block + 15) / 16 * 16;
  }

  /// The numbers in one of its arrays.
  int64_t add_core(int64_t n) {
    auto factors = factors_of(n);
    int64_t padded = 0;
    std::string how;
    if (!factors) {
      padded = 1;
      while (padded < 2 * n - 1) padded *= 2;
      factors = factors_of(padded);
      chirp(n, padded);
      how = "as a convolution of length " + std::to_string(padded);
    } else {
      for (int64_t p : *factors) how += (how.empty() ? "" : "·") + std::to_string(p);
      if (how.empty()) how = "1";
    }
    plan_.words.insert(plan_.words.end(), {n, padded, static_cast<int64_t>(factors->size())});
    plan_.words.insert(plan_.words.end(), factors->begin(), factors->end());
    int64_t rest = padded > 0 ? padded : n;
    for (int64_t p : *factors) {
      const int64_t m = rest / p;
      for (int64_t t = 1; t < p; ++t) {
        std::vector<Complex> turns;
        for (int64_t k = 0; k < m; ++k) turns.push_back(root(k * t, rest));
        put(turns);
      }
      if (p > 5) {
        std::vector<Complex> roots;
        for (int64_t k = 0; k < p; ++k) roots.push_back(root(k, p));
        put(roots);
      }
      rest = m;
    }
    plan_.note += (plan_.note.empty() ? "length " : ", ") + std::to_string(n) + " " + (padded > 0 ? "" : "by ") + how;
    return padded > 0 ? padded : n;
  }

  void chirp(int64_t n, int64_t padded) {
    std::vector<Complex> chirp, kernel(static_cast<size_t>(padded));
    for (int64_t k = 0; k < n; ++k) {
      // k² modulo 2n stays exact.
      const auto square = static_cast<int64_t>(static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k) %
                                               static_cast<unsigned __int128>(2 * n));
      chirp.push_back(root(square, 2 * n));
      kernel[static_cast<size_t>(k)] = std::conj(chirp.back());
      if (k > 0) kernel[static_cast<size_t>(padded - k)] = std::conj(chirp.back());
    }
    Fourier<long double>(static_cast<size_t>(padded)).run(kernel, false);
    put(chirp);
    put(kernel);
  }

  void put(const std::vector<Complex>& numbers) {
    for (const Complex& v : numbers) plan_.table.push_back(static_cast<double>(v.real()));
    for (const Complex& v : numbers) plan_.table.push_back(static_cast<double>(v.imag()));
  }

  const OpView& op_;
  FftPlan& plan_;
  std::vector<int64_t> core_of_pass_;
  int64_t longest_apart_ = 0;  // of the lines that are not dense
  int64_t longest_line_ = 0, most_lines_ = 0;
};

}  // namespace

std::vector<int64_t> FftPlan::for_parts(int64_t parts) const {
  std::vector<int64_t> out = words;
  out[WEFT_RT_FFT_PARTS] = parts;
  return out;
}

size_t FftPlan::workspace_bytes(int64_t parts) const {
  const int64_t numbers = words[WEFT_RT_FFT_INTERMEDIATE] + parts * words[WEFT_RT_FFT_SCRATCH];
  return static_cast<size_t>(numbers) * (is_double ? sizeof(double) : sizeof(float));
}

std::optional<FftPlan> plan_fft(const OpView& op, std::string* reason) {
  const auto refuse = [&](const char* why) {
    if (reason != nullptr) *reason = why;
    return std::nullopt;
  };
  if (op.def().mnemonic != "stablehlo.fft") return refuse("not a Fourier transform");
  const Type from = op.operand_type(0), to = op.result_type();
  if (!from.is_tensor() || !to.is_tensor() || !from.is_static() || !to.is_static())
    return refuse("extents are not static");
  FftPlan plan;
  Planner(op, plan).run();
  return plan;
}

}  // namespace weft::native
