#include "native/kernels/convolution_cells.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "native/aot_runtime/cpu_features.h"

#define WEFT_AVX512_BF16 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma,avx512bf16")))
#define WEFT_AVX512_BF16_INLINE \
  __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma,avx512bf16"), always_inline)) inline

namespace weft::native::cells {

int64_t Shape::row_cells() const {
  if (is_folded()) return out_width;
  return ((out_width - 1) * stride_x + (window_width - 1) * dilation_x) / stride_x + 1;
}

int64_t Shape::phase_rows(int64_t rows) const {
  return ((rows - 1) * stride_y + (window_height - 1) * dilation_y) / stride_y + 1;
}

int64_t Shape::plane_cells(int64_t rows) const {
  return stride_y * column_phases() * phase_rows(rows) * row_cells() + kGroup;
}

int64_t Shape::tap_cell(int64_t row, int64_t column, int64_t rows) const {
  const int64_t y = row * dilation_y, x = is_folded() ? 0 : column * dilation_x;
  const int64_t phase = y % stride_y * column_phases() + x % column_phases();
  return (phase * phase_rows(rows) + y / stride_y) * row_cells() + x / column_phases();
}

namespace {

struct TileConfig {
  uint8_t palette, start_row;
  uint8_t reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};
static_assert(sizeof(TileConfig) == 64);

// All eight tiles whole: 16 rows of 64 bytes.
constexpr TileConfig kConfig = {1,
                                0,
                                {},
                                {64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0},
                                {16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0}};

void configure() { asm volatile("ldtilecfg %0" : : "m"(kConfig)); }
void release() { asm volatile("tilerelease"); }

// The eight tiles of a core. By assembler: the compiler's own take tile numbers as text only.
struct HardwareTiles {
  template <int kTile>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  static void load(const char* from) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(kCellBytes), "i"(kTile) : "memory");
  }
  template <int kTile>
  static void store(float* to) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(kBlock * sizeof(float)), "i"(kTile) : "memory");
  }
  template <int kSum, int kLeft, int kRight>
  static void multiply() {
    asm volatile("tdpbf16ps %%tmm%c0, %%tmm%c1, %%tmm%c2" : : "i"(kRight), "i"(kLeft), "i"(kSum));
  }
};

float number(uint16_t bits) { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }

// The same in memory.
struct SoftwareTiles {
  static inline thread_local uint16_t operands[8][16][32];
  static inline thread_local float sums[8][16][16];
  template <int kTile>
  static void zero() {
    std::memset(sums[kTile], 0, sizeof sums[kTile]);
  }
  template <int kTile>
  static void load(const char* from) {
    std::memcpy(operands[kTile], from, sizeof operands[kTile]);
  }
  template <int kTile>
  static void store(float* to) {
    for (int row = 0; row < 16; ++row) std::memcpy(to + row * kBlock, sums[kTile][row], sizeof sums[kTile][row]);
  }
  template <int kSum, int kLeft, int kRight>
  static void multiply() {
    for (int row = 0; row < 16; ++row)
      for (int pair = 0; pair < 16; ++pair)
        for (int column = 0; column < 16; ++column)
          for (int i = 0; i < 2; ++i)
            sums[kSum][row][column] +=
                number(operands[kLeft][row][2 * pair + i]) * number(operands[kRight][pair][2 * column + i]);
  }
};

// Sums of 32 (or, with kIsHalf, 16) results by 32 output channels into `sums`, rows of 32 floats.
template <class Tiles, bool kIsHalf>
void multiply_tiles(const Shape& s, const char* cells, int64_t plane_bytes, const int64_t* offsets, const char* packed,
                    float* sums) {
  const int64_t taps = s.taps(), blocks = s.blocks();
  Tiles::template zero<0>();
  Tiles::template zero<1>();
  if constexpr (!kIsHalf) {
    Tiles::template zero<2>();
    Tiles::template zero<3>();
  }
  for (int64_t block = 0; block < blocks; ++block) {
    const char* plane = cells + block * plane_bytes;
    for (int64_t tap = 0; tap < taps; ++tap, packed += kStepBytes) {
      const char* at = plane + offsets[tap] * kCellBytes;
      Tiles::template load<4>(at);
      Tiles::template load<6>(packed);
      Tiles::template multiply<0, 4, 6>();
      Tiles::template load<7>(packed + kStepBytes / 2);
      Tiles::template multiply<1, 4, 7>();
      if constexpr (!kIsHalf) {
        Tiles::template load<5>(at + 16 * kCellBytes);
        Tiles::template multiply<2, 5, 6>();
        Tiles::template multiply<3, 5, 7>();
      }
    }
  }
  Tiles::template store<0>(sums);
  Tiles::template store<1>(sums + 16);
  if constexpr (!kIsHalf) {
    Tiles::template store<2>(sums + 16 * kBlock);
    Tiles::template store<3>(sums + 16 * kBlock + 16);
  }
}

// Adds the products of two bf16 numbers to each sum.
struct DotProducts {
  WEFT_AVX512_BF16_INLINE static __m512 multiply(__m512 sum, __m512i pairs, __m512i weights) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(pairs), reinterpret_cast<__m512bh>(weights));
  }
};
// Of numbers in f32.
struct WholeProducts {
  WEFT_AVX512_BF16_INLINE static __m512 multiply(__m512 sum, __m512i number, __m512i weights) {
    return _mm512_fmadd_ps(_mm512_castsi512_ps(number), _mm512_castsi512_ps(weights), sum);
  }
};
struct FloatProducts {
  WEFT_AVX512_BF16_INLINE static __m512 multiply(__m512 sum, __m512i pairs, __m512i weights) {
    const __m512i high = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
    sum = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16)),
                          _mm512_castsi512_ps(_mm512_slli_epi32(weights, 16)), sum);
    return _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_and_si512(pairs, high)),
                           _mm512_castsi512_ps(_mm512_and_si512(weights, high)), sum);
  }
};

// kRows results; at most kMostRows, as their sums stay in registers.
template <class Products, int kRows>
WEFT_AVX512_BF16 void multiply_vectors(const Shape& s, const char* cells, int64_t plane_bytes, const int64_t* offsets,
                                       const char* packed, float* sums) {
  __m512 sum[kRows][2];
#pragma GCC unroll 14
  for (int row = 0; row < kRows; ++row) sum[row][0] = sum[row][1] = _mm512_setzero_ps();
  const int64_t taps = s.taps(), blocks = s.blocks();
  for (int64_t block = 0; block < blocks; ++block) {
    const char* plane = cells + block * plane_bytes;
    // Fours of bytes that hold channels; the rest are zeros.
    const int64_t channels = std::min(s.width(), s.cell_channels() - block * s.width());
    const int64_t fours = (channels * s.element_bytes + 3) / 4;
    for (int64_t tap = 0; tap < taps; ++tap, packed += kStepBytes) {
      const char* at = plane + offsets[tap] * kCellBytes;
      for (int64_t pair = 0; pair < fours; ++pair) {
        const __m512i left = _mm512_loadu_si512(packed + pair * kCellBytes);
        const __m512i right = _mm512_loadu_si512(packed + kStepBytes / 2 + pair * kCellBytes);
#pragma GCC unroll 14
        for (int row = 0; row < kRows; ++row) {
          int32_t both;
          std::memcpy(&both, at + row * kCellBytes + pair * 4, sizeof both);
          const __m512i x = _mm512_set1_epi32(both);
          sum[row][0] = Products::multiply(sum[row][0], x, left);
          sum[row][1] = Products::multiply(sum[row][1], x, right);
        }
      }
    }
  }
#pragma GCC unroll 14
  for (int row = 0; row < kRows; ++row) {
    _mm512_store_ps(sums + row * kBlock, sum[row][0]);
    _mm512_store_ps(sums + row * kBlock + 16, sum[row][1]);
  }
}

constexpr int64_t kMostRows = 14;

using VectorKernel = void (*)(const Shape&, const char*, int64_t, const int64_t*, const char*, float*);
template <class Products, size_t... kRows>
constexpr std::array<VectorKernel, sizeof...(kRows)> vector_kernels(std::index_sequence<kRows...>) {
  return {multiply_vectors<Products, static_cast<int>(kRows) + 1>...};
}

// Sums of `count` results from consecutive cells; at most kGroup on tiles and kMostRows by vectors.
void multiply(Engine engine, const Shape& s, const char* cells, int64_t count, int64_t plane_bytes,
              const int64_t* offsets, const char* packed, float* sums) {
  if (engine == Engine::kAmx || engine == Engine::kTilesInSoftware) {
    const bool is_half = count <= 16;
    const auto kernel = engine == Engine::kAmx
                            ? (is_half ? multiply_tiles<HardwareTiles, true> : multiply_tiles<HardwareTiles, false>)
                            : (is_half ? multiply_tiles<SoftwareTiles, true> : multiply_tiles<SoftwareTiles, false>);
    return kernel(s, cells, plane_bytes, offsets, packed, sums);
  }
  static constexpr auto kRows = std::make_index_sequence<kMostRows>();
  static constexpr std::array<VectorKernel, kMostRows> kKernels[] = {
      vector_kernels<WholeProducts>(kRows), vector_kernels<DotProducts>(kRows), vector_kernels<FloatProducts>(kRows)};
  const auto& kernels = kKernels[s.element_bytes == 4 ? 0 : engine == Engine::kAvx512Bf16 ? 1 : 2];
  kernels[static_cast<size_t>(count - 1)](s, cells, plane_bytes, offsets, packed, sums);
}

struct Half {
  __m512 operands[vectors::kMostChannelOps];
  __mmask16 mask;
};

__mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : count <= 0 ? 0 : (1 << count) - 1);
}

template <class Element>
WEFT_AVX512 void load_operands(const vectors::Epilogue<Element>& e, int64_t channel, int64_t channels_left,
                               Half& half) {
  half.mask = first_lanes(channels_left);
  for (int op = 0; op < e.channel_ops; ++op)
    half.operands[op] = vectors::load(e.channels[op].operand + channel, half.mask);
}

template <class Element>
WEFT_AVX512 void write(const Shape& s, const vectors::Epilogue<Element>& e, const float* sums, const Half* halves,
                       int64_t count, int64_t x, int64_t y, int64_t row_cells, int64_t channel, int64_t image_at,
                       Element* dst) {
  for (int64_t p = 0; p < count; ++p) {
    if (x < s.out_width) {
      const int64_t at = image_at + y * s.dst_row + x * s.dst_column + channel;
      for (int64_t half = 0; half < 2; ++half) {
        const __mmask16 mask = halves[half].mask;
        if (mask == 0) continue;
        const __m512 sum = _mm512_load_ps(sums + p * kBlock + half * 16);
        const __m512 value = vectors::finish(e, halves[half].operands, sum, mask, at + half * 16);
        vectors::store(dst + at + half * 16, mask, value);
      }
    }
    if (++x == row_cells) x = 0, ++y;
  }
}

// `count` cells from columns `step` elements apart, or of zeros where `from` is null.
template <class Element>
WEFT_AVX512 void gather_cells(const Shape& s, const Element* from, int64_t step, int64_t count, char* to,
                              int64_t plane_bytes) {
  const int64_t blocks = s.blocks();
  for (int64_t i = 0; i < count; ++i, to += kCellBytes) {
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t width = s.width(), left = std::min(width, s.in_channels - block * width);
      const Element* cell_from = from + i * step + block * width;
      __m512i cell = _mm512_setzero_si512();
      if (from && sizeof(Element) == 4)
        cell = _mm512_maskz_loadu_epi32(static_cast<__mmask16>((uint32_t{1} << left) - 1), cell_from);
      else if (from) cell = _mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint64_t{1} << left) - 1), cell_from);
      _mm512_storeu_si512(to + block * plane_bytes, cell);
    }
  }
}

}  // namespace

std::optional<Engine> best_engine(int64_t element_bytes) {
  static const std::optional<Engine> best = []() -> std::optional<Engine> {
    // Asked of the runtime, so that WEFT_CPU hides features here too.
    static const char* const kVectors[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma", nullptr};
    static const char* const kTiles[] = {"amx-tile", "amx-bf16", nullptr};
    static const char* const kPairs[] = {"avx512bf16", nullptr};
    if (weft_rt_missing_feature(kVectors) != nullptr) return std::nullopt;
    constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    if (weft_rt_missing_feature(kTiles) == nullptr && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0)
      return Engine::kAmx;
    return weft_rt_missing_feature(kPairs) == nullptr ? Engine::kAvx512Bf16 : Engine::kAvx512;
  }();
  return best && element_bytes == 4 ? Engine::kAvx512 : best;
}

Prepared::Prepared(Engine engine) : engine_(engine) {
  if (engine_ == Engine::kAmx) configure();
}
Prepared::~Prepared() {
  if (engine_ == Engine::kAmx) release();
}

template <class Element>
void pack(const Shape& s, const Window<Element>& w, int64_t first, int64_t last, void* packed) {
  const int64_t step = kStepBytes / s.element_bytes, each = 4 / s.element_bytes;
  auto* out = static_cast<Element*>(packed) + first * s.blocks() * s.taps() * step;
  for (int64_t out_block = first; out_block < last; ++out_block) {
    for (int64_t block = 0; block < s.blocks(); ++block) {
      for (int64_t row = 0; row < s.window_height; ++row) {
        for (int64_t column = 0; column < s.tap_columns(); ++column, out += step) {
          // Two tiles of 16 output channels; a tile's row holds four bytes of input channels of each.
          for (int64_t in = 0; in < s.width(); ++in) {
            const int64_t cell_channel = block * s.width() + in;
            const int64_t channel = s.is_folded() ? cell_channel % s.in_channels : cell_channel;
            const int64_t tap_column = s.is_folded() ? cell_channel / s.in_channels : column;
            const bool is_inside = cell_channel < s.cell_channels();
            for (int64_t half = 0; half < 2; ++half) {
              const int64_t first_out = out_block * kBlock + half * 16;
              const int64_t count = is_inside ? std::clamp<int64_t>(s.out_channels - first_out, 0, 16) : 0;
              const Element* from = w.data + first_out * w.out + channel * w.in + row * w.row + tap_column * w.column;
              Element* to = out + half * (step / 2) + in / each * 16 * each + in % each;
              for (int64_t o = 0; o < count; ++o) to[o * each] = from[o * w.out];
              for (int64_t o = count; o < 16; ++o) to[o * each] = Element{0};
            }
          }
        }
      }
    }
  }
}

template <class Element>
void gather(const Shape& s, const Element* src, int64_t image, int64_t first_row, int64_t rows, void* planes) {
  const int64_t row_cells = s.row_cells(), phase_rows = s.phase_rows(rows), phases = s.column_phases();
  const int64_t plane_bytes = s.plane_cells(rows) * kCellBytes;
  const int64_t in_rows = (rows - 1) * s.stride_y + (s.window_height - 1) * s.dilation_y + 1;
  for (int64_t r = 0; r < in_rows; ++r) {
    bool is_read = false;
    for (int64_t tap = 0; tap < s.window_height; ++tap) is_read |= (r - tap * s.dilation_y) % s.stride_y == 0;
    if (!is_read) continue;
    const int64_t y = first_row * s.stride_y + r - s.pad_top;
    const Element* line = y >= 0 && y < s.in_height ? src + image * s.src_batch + y * s.src_row : nullptr;
    for (int64_t phase = 0; phase < phases; ++phase) {
      bool is_column_read = s.is_folded();
      for (int64_t tap = 0; tap < s.window_width; ++tap) is_column_read |= (tap * s.dilation_x - phase) % phases == 0;
      if (!is_column_read) continue;
      char* to = static_cast<char*>(planes) +
                 ((r % s.stride_y * phases + phase) * phase_rows + r / s.stride_y) * row_cells * kCellBytes;
      if (!line) {
        gather_cells<Element>(s, nullptr, 0, row_cells, to, plane_bytes);
        continue;
      }
      if (s.is_folded()) {
        std::memset(to, 0, static_cast<size_t>(row_cells * kCellBytes));
        for (int64_t i = 0; i < row_cells; ++i) {
          auto* cell = reinterpret_cast<Element*>(to + i * kCellBytes);
          for (int64_t tap = 0; tap < s.window_width; ++tap) {
            const int64_t x = i * s.stride_x + tap * s.dilation_x - s.pad_left;
            if (x < 0 || x >= s.in_width) continue;
            for (int64_t c = 0; c < s.in_channels; ++c) cell[tap * s.in_channels + c] = line[x * s.src_column + c];
          }
        }
        continue;
      }
      // Cell i holds column i * stride + phase - pad.
      const auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i, 0, row_cells); };
      const int64_t before = s.pad_left - phase, end = s.in_width + s.pad_left - phase;
      const int64_t left = clamp(before <= 0 ? 0 : (before + s.stride_x - 1) / s.stride_x);
      const int64_t right = std::max(left, clamp(end <= 0 ? 0 : (end + s.stride_x - 1) / s.stride_x));
      gather_cells<Element>(s, nullptr, 0, left, to, plane_bytes);
      gather_cells(s, line + (left * s.stride_x + phase - s.pad_left) * s.src_column, s.src_column * s.stride_x,
                   right - left, to + left * kCellBytes, plane_bytes);
      gather_cells<Element>(s, nullptr, 0, row_cells - right, to + right * kCellBytes, plane_bytes);
    }
  }
}

template <class Element>
void run(Engine engine, const Shape& s, const void* planes, const int64_t* offsets, const void* packed,
         const vectors::Epilogue<Element>& e, Element* dst, int64_t image, int64_t images, int64_t row, int64_t rows) {
  alignas(64) float sums[kGroup * kBlock];
  const int64_t row_cells = s.row_cells(), plane_bytes = s.plane_cells(rows) * kCellBytes;
  const bool is_tiled = engine == Engine::kAmx || engine == Engine::kTilesInSoftware;
  // Tiles run on over the cells between rows, whose sums nobody wants; vectors stop at the end of each row.
  const int64_t cells = is_tiled ? (rows - 1) * row_cells + s.out_width : s.out_width;
  const int64_t lines = is_tiled ? 1 : rows;
  const int64_t groups = is_tiled ? (cells + kGroup - 1) / kGroup : (cells + kMostRows - 1) / kMostRows;
  const int64_t group = is_tiled ? kGroup : (cells + groups - 1) / groups;
  for (int64_t out_block = 0; out_block < s.out_blocks(); ++out_block) {
    const char* weights = static_cast<const char*>(packed) + out_block * s.blocks() * s.taps() * kStepBytes;
    const int64_t channel = out_block * kBlock;
    Half halves[2];
    for (int64_t half = 0; half < 2; ++half)
      load_operands(e, channel + half * 16, s.out_channels - channel - half * 16, halves[half]);
    for (int64_t n = 0; n < images; ++n) {
      const char* begin = static_cast<const char*>(planes) + n * s.blocks() * plane_bytes;
      const int64_t image_at = (image + n) * s.dst_batch + row * s.dst_row;
      for (int64_t line = 0; line < lines; ++line) {
        for (int64_t first = 0; first < cells; first += group) {
          const int64_t cell = line * row_cells + first, count = std::min(group, cells - first);
          multiply(engine, s, begin + cell * kCellBytes, count, plane_bytes, offsets, weights, sums);
          write(s, e, sums, halves, count, cell % row_cells, cell / row_cells, row_cells, channel, image_at, dst);
        }
      }
    }
  }
}

template void pack(const Shape&, const Window<float>&, int64_t, int64_t, void*);
template void pack(const Shape&, const Window<uint16_t>&, int64_t, int64_t, void*);
template void gather(const Shape&, const float*, int64_t, int64_t, int64_t, void*);
template void gather(const Shape&, const uint16_t*, int64_t, int64_t, int64_t, void*);
template void run(Engine, const Shape&, const void*, const int64_t*, const void*, const vectors::Epilogue<float>&,
                  float*, int64_t, int64_t, int64_t, int64_t);
template void run(Engine, const Shape&, const void*, const int64_t*, const void*, const vectors::Epilogue<uint16_t>&,
                  uint16_t*, int64_t, int64_t, int64_t, int64_t);

}  // namespace weft::native::cells
