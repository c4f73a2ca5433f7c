#include "weft/nn.h"

namespace weft::nn {
namespace {

std::string shape_text(const Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

Tensor first_weights(Initialization how, Shape shape, int64_t fan_in, int64_t fan_out, Random& random) {
  return how == Initialization::kHe ? he_normal(std::move(shape), fan_in, random)
                                    : glorot_uniform(std::move(shape), fan_in, fan_out, random);
}

/// Weights, which are made at the first application, and a bias.
struct Weighted : Layer::Definition {
  std::vector<Variable> variables;
  std::vector<Variable> parameters() const override { return variables; }
  void add_bias(int64_t features, const std::string& name) {
    variables.push_back(variable(zeros<float>({features}), name + ".bias"));
  }
};

struct Dense : Weighted {
  int64_t features;
  DenseOptions options;
  Dense(int64_t f, DenseOptions o) : features(f), options(std::move(o)) {}
  Expr apply(const Expr& x, Random& random) override {
    if (x.rank() != 2)
      throw UserError("[dense] rank of the input: got shape " + shape_text(x.shape()) +
                      ", expected [n, k] (flatten it first)");
    const int64_t inputs = x.dim(1);
    if (variables.empty()) {
      variables.push_back(variable(first_weights(options.initialization, {inputs, features}, inputs, features, random),
                                   options.name + ".weight"));
      if (options.bias) add_bias(features, options.name);
    }
    if (variables[0].dim(0) != inputs) {
      throw UserError("[dense] features of the input: got " + std::to_string(inputs) + ", expected " +
                      std::to_string(variables[0].dim(0)) + " as when the layer was first applied");
    }
    const Expr y = dot(x, variables[0]);
    return options.bias ? y + variables[1] : y;
  }
};

struct Conv : Weighted {
  int64_t features;
  std::vector<int64_t> window;
  ConvOptions options;
  Conv(int64_t f, std::vector<int64_t> w, ConvOptions o) : features(f), window(std::move(w)), options(std::move(o)) {}
  Expr apply(const Expr& x, Random& random) override {
    if (x.rank() != 4)
      throw UserError("[conv2d] rank of the input: got shape " + shape_text(x.shape()) +
                      ", expected [n, h, w, channels]");
    if (options.groups < 1 || x.dim(3) % options.groups != 0) {
      throw UserError("[conv2d] groups: got " + std::to_string(options.groups) + ", expected a divisor of " +
                      std::to_string(x.dim(3)) + " channels");
    }
    if (variables.empty()) {
      const int64_t inputs = x.dim(3) / options.groups, area = window[0] * window[1];
      variables.push_back(variable(first_weights(options.initialization, {window[0], window[1], inputs, features},
                                                 area * inputs, area * features / options.groups, random),
                                   options.name + ".weight"));
      if (options.bias) add_bias(features, options.name);
    }
    const Expr y = weft::conv2d(x, variables[0],
                                {.strides = options.strides,
                                 .dilation = options.dilation,
                                 .padding = options.padding,
                                 .groups = options.groups});
    return options.bias ? y + variables[1] : y;
  }
};

struct Map : Layer::Definition {
  std::function<Expr(const Expr&)> f;
  explicit Map(std::function<Expr(const Expr&)> g) : f(std::move(g)) {}
  Expr apply(const Expr& x, Random&) override { return f(x); }
};

struct Sequence : Layer::Definition {
  std::vector<Layer> layers;
  explicit Sequence(std::vector<Layer> l) : layers(std::move(l)) {}
  Expr apply(const Expr& x, Random& random) override {
    Expr y = x;
    for (const Layer& layer : layers) y = layer.apply(y, random);
    return y;
  }
  std::vector<Variable> parameters() const override {
    std::vector<Variable> out;
    for (const Layer& layer : layers) {
      for (const Variable& v : layer.parameters()) {
        bool is_new = true;  // a layer may stand in two places
        for (const Variable& known : out) is_new = is_new && known.node() != v.node();
        if (is_new) out.push_back(v);
      }
    }
    return out;
  }
};

}  // namespace

Expr Layer::operator()(const Expr& x, uint64_t seed) const {
  Random random(seed);
  return definition_->apply(x, random);
}

Layer dense(int64_t features, DenseOptions options) {
  if (features < 1) throw UserError("[dense] features: got " + std::to_string(features) + ", expected 1 or more");
  return Layer(std::make_shared<Dense>(features, std::move(options)));
}

Layer conv2d(int64_t features, std::vector<int64_t> window, ConvOptions options) {
  if (features < 1) throw UserError("[conv2d] features: got " + std::to_string(features) + ", expected 1 or more");
  if (window.size() != 2 || window[0] < 1 || window[1] < 1) {
    throw UserError("[conv2d] window: got " + shape_text(window) + ", expected two positive numbers (height, width)");
  }
  return Layer(std::make_shared<Conv>(features, std::move(window), std::move(options)));
}

Layer activation(std::function<Expr(const Expr&)> f) { return Layer(std::make_shared<Map>(std::move(f))); }
Layer max_pool(PoolOptions options) {
  return activation([options](const Expr& x) { return weft::max_pool(x, options); });
}
Layer avg_pool(PoolOptions options) {
  return activation([options](const Expr& x) { return weft::avg_pool(x, options); });
}
Layer flatten() {
  return activation([](const Expr& x) { return weft::flatten(x); });
}
Layer relu() {
  return activation([](const Expr& x) { return weft::relu(x); });
}
Layer tanh() {
  return activation([](const Expr& x) { return weft::tanh(x); });
}
Layer sigmoid() {
  return activation([](const Expr& x) { return weft::sigmoid(x); });
}
Layer sequential(std::vector<Layer> layers) { return Layer(std::make_shared<Sequence>(std::move(layers))); }

int64_t count_elements(std::span<const Variable> variables) {
  int64_t n = 0;
  for (const Variable& v : variables) n += num_elements(v.shape());
  return n;
}

}  // namespace weft::nn
