// Gradient descent on one number, after the example of SymJAX's documentation (Balestriero 2020): ten values of the cost.
#include <cstdio>

#include "weft/symbolic.h"

int main() {
  using namespace weft;
  const Variable mu = variable(Tensor::scalar_of(-1.1842843f), "mu");
  const Expr cost = exp(-square(mu - 1));
  const CompiledGraph step = function({}, {cost}, updates{{mu, mu - 0.2 * grad(cost, mu)}});
  for (int i = 0; i < 10; ++i) std::printf("%.9f\n", static_cast<double>(step().scalar<float>()));
}
