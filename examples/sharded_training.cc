// A network of two layers trained on four devices: two parts of the examples times two parts of the weights.
//
//   sharded_training pjrt:cpu     (or another target: native, pjrt:tpu)
#include <cstdio>

#include "weft/nn.h"

int main(int argc, char** argv) {
  using namespace weft;
  const std::string target = argc > 1 ? argv[1] : "native";
  try {
    nn::Random random(1);
    const Variable w1 = variable(nn::he_normal({8, 64}, 8, random), "w1");
    const Variable w2 = variable(nn::he_normal({64, 1}, 64, random), "w2");
    const Expr x = placeholder<float>({32, 8}, "x"), y = placeholder<float>({32, 1}, "y");

    // Rows of the examples go over "data"; columns of the first matrix and rows of the second over "model".
    const Mesh m = mesh({{"data", 2}, {"model", 2}});
    const Expr hidden = relu(dot(shard(x, m, {"data"}), shard(w1, m, {{}, "model"})));
    const Expr guess = shard(dot(hidden, shard(w2, m, {"model"})), m, {"data"});
    const Expr loss = mean(square(guess - shard(y, m, {"data"})));
    const CompiledGraph step =
        function({x, y}, {loss}, nn::sgd(loss, {w1, w2}, {.learning_rate = 0.02}), {.target = target});

    Tensor xs = zeros<float>({32, 8}), ys = zeros<float>({32, 1});
    for (int i = 0; i < 32; ++i) {
      for (int k = 0; k < 8; ++k) {
        xs.mutable_data<float>()[8 * i + k] = random.normal();
        ys.mutable_data<float>()[i] += xs.data<float>()[8 * i + k] / 4;
      }
    }
    for (int i = 0; i < 100; ++i) {
      const float now = step(xs, ys).scalar<float>();
      if (i % 20 == 0) std::printf("step %3d  loss %.6f\n", i, static_cast<double>(now));
    }
    if (target.starts_with("pjrt:")) std::printf("%s", step.explain().c_str());
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
