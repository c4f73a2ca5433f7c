// Layout copies: every bit of every element arrives.
#include "native/kernels/permutation.h"

#include "tests/native/kernel_check.h"

namespace weft::native::test {
namespace {

int64_t span_of(const Dims& dims, const Dims& strides) {
  int64_t span = 1;
  for (size_t d = 0; d < dims.size(); ++d) span += (dims[d] - 1) * strides[d];
  return span;
}

TEST(PermutationKernel, CopiesBits) {
  std::mt19937 random(1);
  int accepted = 0;
  for (int trial = 0; trial < 200; ++trial) {
    PermutationDesc desc;
    size_t widths[] = {1, 4, 8};
    desc.element_bytes = widths[trial % 3];
    for (int64_t rank = pick(random, 0, 5); rank-- > 0;) desc.dims.push_back(pick(random, 1, 20));
    desc.input_strides = random_strides(desc.dims, random, trial % 4 == 0);
    desc.output_strides = random_strides(desc.dims, random, trial % 5 == 0);
    KernelOptions options;
    options.partitions = 1 + trial % 2;
    options.is_size_ignored = true;
    KernelChoice choice = make_permutation(desc, options);
    if (!choice.kernel) {
      EXPECT_NE(reason(choice).find("only oneDNN's reference"), std::string::npos) << reason(choice);
      continue;
    }
    ++accepted;
    std::vector<char> from(span_of(desc.dims, desc.input_strides) * desc.element_bytes);
    std::vector<char> to(span_of(desc.dims, desc.output_strides) * desc.element_bytes);
    for (char& byte : from) byte = static_cast<char>(random());  // signalling NaN and subnormal patterns among them
    Scratch scratch(choice.kernel->scratch_bytes());
    const void* inputs[] = {from.data()};
    void* outputs[] = {to.data()};
    ASSERT_TRUE(choice.kernel->execute(inputs, outputs, scratch.data()));
    int wrong = 0;
    for_each_index(desc.dims, [&](const Dims& index) {
      int64_t source = 0, target = 0;
      for (size_t d = 0; d < index.size(); ++d) {
        source += index[d] * desc.input_strides[d];
        target += index[d] * desc.output_strides[d];
      }
      wrong +=
          std::memcmp(&from[source * desc.element_bytes], &to[target * desc.element_bytes], desc.element_bytes) != 0;
    });
    EXPECT_EQ(wrong, 0) << choice.kernel->implementation() << " element_bytes " << desc.element_bytes;
  }
  EXPECT_GE(accepted, 100);
}

TEST(PermutationKernel, SaysWhyItDoesNotApply) {
  auto refused = [](PermutationDesc desc) {
    KernelChoice choice = make_permutation(desc, {});
    EXPECT_EQ(choice.kernel, nullptr);
    return reason(choice);
  };
  EXPECT_NE(refused({4, {64, 63}, {63, 1}, {1, 64}}).find("too small: 16128"), std::string::npos);
  EXPECT_NE(refused({2, {640, 64}, {64, 1}, {1, 640}}).find("elements of 2 bytes"), std::string::npos);
  EXPECT_NE(refused({4, {0, 64}, {64, 1}, {1, 64}}).find("extent is zero"), std::string::npos);
  EXPECT_NE(refused({4, {640, 64}, {64, 1}, {1, 1}}).find("overlap"), std::string::npos);
  EXPECT_NE(make_permutation({4, {64, 64}, {64, 1}, {1, 64}}, {}).kernel, nullptr);
}

}  // namespace
}  // namespace weft::native::test
