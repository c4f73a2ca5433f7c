// Library kernels neither allocate nor map memory after their first call, in a program that links recycling_new.
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <atomic>

#include "native/kernels/convolution.h"
#include "native/kernels/matmul.h"
#include "native/kernels/permutation.h"
#include "tests/native/kernel_check.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_COUNTS_MALLOC 0
#else
#define WEFT_COUNTS_MALLOC 1
#endif

#if WEFT_COUNTS_MALLOC
// The C library's own entries under other names; these definitions take their place for the whole process.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

static std::atomic<long> allocations{0};

extern "C" {
void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory ? 0 : 12;
}
}

namespace weft::native::test {
namespace {

// Allocations of the calls after the first two (the second may fill free lists for the first time).
long allocations_of(const LibraryKernel& kernel, const void* const* inputs, void* const* outputs) {
  Scratch scratch(kernel.scratch_bytes());
  for (int warm_up = 0; warm_up < 2; ++warm_up) EXPECT_TRUE(kernel.execute(inputs, outputs, scratch.data()));
  const long before = allocations;
  for (int call = 0; call < 50; ++call) kernel.execute(inputs, outputs, scratch.data());
  return allocations - before;
}

TEST(SteadyState, TheCounterCounts) {
  const long before = allocations;
  std::vector<char> large(100000);
  EXPECT_GT(allocations, before);
  EXPECT_EQ(large[0], 0);
}

TEST(SteadyState, ConvolutionsDoNotAllocate) {
  ConvolutionDesc d;
  d.batch = 4, d.in_channels = 8, d.out_channels = 16;
  d.in_size = d.out_size = {14, 14}, d.kernel_size = {3, 3};
  d.stride = d.dilation = d.pad_low = {1, 1};
  d.src_strides = channels_last({4, 8, 14, 14}), d.dst_strides = channels_last({4, 16, 14, 14});
  d.weights_strides = row_major({16, 8, 3, 3});
  std::vector<float> src(4 * 8 * 14 * 14, 1.0f), weights(16 * 8 * 9, 1.0f), dst(4 * 16 * 14 * 14, 1.0f);
  KernelOptions options;
  options.partitions = 2;
  for (auto direction :
       {ConvolutionDirection::kForward, ConvolutionDirection::kBackwardData, ConvolutionDirection::kBackwardWeights}) {
    d.direction = direction;
    KernelChoice choice = make_convolution(d, options);
    ASSERT_TRUE(choice.kernel) << reason(choice);
    const bool is_forward = direction == ConvolutionDirection::kForward,
               is_data = direction == ConvolutionDirection::kBackwardData;
    const void* inputs[] = {is_data ? dst.data() : src.data(), is_forward || is_data ? weights.data() : dst.data()};
    void* outputs[] = {is_forward ? dst.data() : is_data ? src.data() : weights.data()};
    EXPECT_EQ(allocations_of(*choice.kernel, inputs, outputs), 0) << choice.kernel->implementation();
  }
}

TEST(SteadyState, ProductsAndPermutationsDoNotAllocate) {
  KernelOptions options;
  options.partitions = 2;
  options.is_size_ignored = true;
  std::vector<double> a(64 * 64, 1.0), b(64 * 64, 1.0), c(64 * 64);
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {c.data()};
  MatmulDesc d;
  d.m = d.n = d.k = 64;
  d.a_strides = d.b_strides = d.c_strides = {64, 1};
  for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
    d.type = type;
    KernelChoice choice = make_matmul(d, options);
    ASSERT_TRUE(choice.kernel) << reason(choice);
    EXPECT_EQ(allocations_of(*choice.kernel, inputs, outputs), 0) << choice.kernel->implementation();
  }
  KernelChoice choice = make_permutation({8, {64, 64}, {64, 1}, {1, 64}}, options);
  ASSERT_TRUE(choice.kernel) << reason(choice);
  EXPECT_EQ(allocations_of(*choice.kernel, inputs, outputs), 0) << choice.kernel->implementation();
}

}  // namespace
}  // namespace weft::native::test
#endif
