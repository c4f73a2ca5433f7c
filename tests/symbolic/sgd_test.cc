// SymJAX's published example of gradient descent, with its published costs.
#include "tests/symbolic/support.h"

namespace weft {
namespace {

TEST(Sgd, FollowsThePublishedCosts) {
  const Variable mu = variable(Tensor::scalar_of(-1.1842843f), "mu");
  const Expr cost = exp(-square(mu - 1));
  const auto step = function({}, {cost}, updates{{mu, mu - 0.2 * grad(cost, mu)}}, testing::options());
  for (const double expected : {0.008471075, 0.00820111, 0.007946271, 0.007705369, 0.007477337, 0.007261209,
                                0.007056114, 0.006861259, 0.006675926, 0.00649946}) {
    EXPECT_NEAR(step().scalar<float>(), expected, 5e-9);
  }
}

}  // namespace
}  // namespace weft
