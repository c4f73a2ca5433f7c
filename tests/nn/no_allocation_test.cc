// From the second call on, a training step asks the system for no memory.
#include "examples/allocation_counter.h"

#include "tests/symbolic/support.h"
#include "weft/nn.h"

namespace weft {
namespace {

TEST(Allocation, NoneInAStepButTheFirst) {
  if (!ALLOCATIONS_ARE_COUNTED) GTEST_SKIP() << "a sanitizer stands in the place of malloc";
  FunctionOptions options;  // native: the evaluator allocates every value
  const nn::Layer net = nn::sequential(
      {nn::conv2d(4, {3, 3}, {.padding = Padding::kSame}), nn::relu(), nn::max_pool(), nn::flatten(), nn::dense(10)});
  const Expr x = placeholder<float>({8, 8, 8, 1}, "x"), y = placeholder<int32_t>({8}, "y");
  const Expr loss = softmax_cross_entropy(net(x), y);
  const auto step = function({x, y}, {loss}, nn::adam(loss, net.parameters()), options);
  const Tensor images = full<float>({8, 8, 8, 1}, 0.5f), labels = zeros<int32_t>({8});
  step(images, labels);
  for (int i = 0; i < 5; ++i) {
    const long before = allocation_count;
    const float value = step(images, labels).scalar<float>();
    EXPECT_EQ(allocation_count - before, 0) << "step " << i + 2;
    EXPECT_TRUE(std::isfinite(value));
  }
  // The counter counts.
  const long before = allocation_count;
  void* volatile probe = std::malloc(10);
  std::free(probe);
  EXPECT_EQ(allocation_count - before, 1);
}

}  // namespace
}  // namespace weft
