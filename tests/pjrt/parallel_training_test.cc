// Training steps that are data parallel, tensor parallel or both, on 2 and 4 devices of a real plugin for this CPU: as on one device, within
// rounding. Skipped where no plugin is at hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/builder.h"
#include "plugin_path.h"
#include "text/parse.h"
#include "weft/nn.h"

namespace weft {
namespace {

class ParallelTraining : public testing::Test {
 protected:
  void SetUp() override {
    if (plugin_path().empty()) GTEST_SKIP() << "no PJRT plugin: tools/get_pjrt_plugin.sh build/plugins";
  }
};

Tensor random(Shape shape, uint64_t seed, float scale) {
  nn::Random r(seed);
  Tensor t(ElementType::kF32, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<float>()[i] = scale * r.normal();
  return t;
}

/// A mesh of data × model devices; without one values are used as they are.
struct Layout {
  std::optional<Mesh> mesh;
  Expr operator()(const Expr& x, std::vector<AxisCut> cuts) const {
    return mesh ? shard(x, *mesh, std::move(cuts)) : x;
  }
};

struct Network {
  std::vector<Tensor> weights;
  Tensor example, target;
  std::function<Expr(const Layout&, const Expr& x, const Expr& y, const std::vector<Expr>& w)> loss;
};

/// The losses of some steps of Adam, then the weights.
std::vector<Tensor> train(const Network& network, const Layout& layout, const FunctionOptions& options) {
  const auto x = placeholder(network.example.element_type(), network.example.shape(), "x");
  const auto y = placeholder(network.target.element_type(), network.target.shape(), "y");
  std::vector<Variable> variables;
  for (const Tensor& w : network.weights) variables.push_back(variable(w, "w" + std::to_string(variables.size())));
  const Expr loss = network.loss(layout, x, y, {variables.begin(), variables.end()});
  const auto step = function({x, y}, {loss}, nn::adam(loss, variables, {.learning_rate = 0.05}), options);
  std::vector<Tensor> out;
  for (int i = 0; i < 3; ++i) out.push_back(step(network.example, network.target)[0].clone());
  for (const Variable& v : variables) out.push_back(v.value());
  return out;
}

void expect_near(const std::vector<Tensor>& got, const std::vector<Tensor>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t k = 0; k < got.size(); ++k) {
    for (int64_t i = 0; i < got[k].size(); ++i) {
      const float a = got[k].data<float>()[i], b = expected[k].data<float>()[i];
      ASSERT_NEAR(a, b, 2e-5F * (1 + std::abs(b))) << what << ": value " << k << " at " << i;
    }
  }
}

/// Several layouts against one device of the same plugin, and that against the native target.
void expect_alike(const Network& network) {
  const std::string plugin = "pjrt:" + plugin_path();
  const std::vector<Tensor> one = train(network, {}, {.target = plugin});
  EXPECT_LT(one[2].scalar<float>(), one[0].scalar<float>()) << "it learns";
  expect_near(train(network, {}, {}), one, "native");
  for (const auto& [data, model] :
       {std::pair(2, 1), std::pair(4, 1), std::pair(1, 2), std::pair(1, 4), std::pair(2, 2)}) {
    const Layout layout{mesh({{"data", data}, {"model", model}})};
    const std::string what = std::to_string(data) + " x " + std::to_string(model);
    expect_near(train(network, layout, {.target = plugin, .devices = data * model}), one, what);
  }
}

Network perceptron() {
  Network n;
  n.weights = {random({8, 16}, 1, 0.4F), random({16}, 2, 0.1F), random({16, 4}, 3, 0.3F), random({4}, 4, 0.1F)};
  n.example = random({16, 8}, 5, 1);
  n.target = Tensor(ElementType::kI32, {16});
  for (int32_t i = 0; i < 16; ++i) n.target.mutable_data<int32_t>()[i] = i % 4;
  // Columns of the first matrix and rows of the second are cut: one sum over the model's devices in each direction.
  n.loss = [](const Layout& at, const Expr& x, const Expr& y, const std::vector<Expr>& w) {
    const Expr h = relu(at(dot(at(x, {"data"}), at(w[0], {{}, "model"})), {"data", "model"}) + at(w[1], {"model"}));
    const Expr logits = at(dot(h, at(w[2], {"model"})), {"data"}) + w[3];
    return softmax_cross_entropy(logits, at(y, {"data"}));
  };
  return n;
}

/// A block of attention and two dense layers, before each a normalisation: heads and hidden units are cut.
Network transformer() {
  constexpr int64_t kBatch = 4, kTime = 6, kWidth = 16, kHeads = 4, kHead = kWidth / kHeads, kHidden = 32;
  Network n;
  for (const Shape& shape : {Shape{kWidth, kWidth},
                             {kWidth, kWidth},
                             {kWidth, kWidth},
                             {kWidth, kWidth},
                             {kWidth, kHidden},
                             {kHidden, kWidth}})
    n.weights.push_back(random(shape, 10 + n.weights.size(), 0.25F));
  n.weights.push_back(full<float>({kWidth}, 1));
  n.weights.push_back(full<float>({kWidth}, 1));
  n.example = random({kBatch, kTime, kWidth}, 20, 1);
  n.target = random({kBatch, kTime, kWidth}, 21, 1);
  n.loss = [](const Layout& at, const Expr& input, const Expr& y, const std::vector<Expr>& w) {
    const Expr x = at(input, {"data"});
    const auto normalised = [](const Expr& v, const Expr& gain) {
      return (v - mean(v, {-1}, true)) / sqrt(variance(v, {-1}, true) + 1e-5) * gain;
    };
    const auto per_row = [](const Expr& v, const Expr& matrix) {
      return reshape(dot(reshape(v, {v.dim(0) * kTime, -1}), matrix), {v.dim(0), kTime, -1});
    };
    const Expr a = normalised(x, w[6]);
    const auto heads = [&](size_t i) {
      const Expr v = per_row(a, at(w[i], {{}, "model"}));
      return at(transpose(reshape(v, {v.dim(0), kTime, kHeads, kHead}), {0, 2, 1, 3}), {"data", "model"});
    };
    const Expr q = heads(0), k = heads(1), v = heads(2);
    const Expr weights = softmax(matmul(q, transpose(k, {0, 1, 3, 2})) / std::sqrt(static_cast<double>(kHead)));
    const Expr joined = reshape(transpose(matmul(weights, v), {0, 2, 1, 3}), {x.dim(0), kTime, kWidth});
    const Expr attended = x + at(per_row(joined, at(w[3], {"model"})), {"data"});
    const Expr hidden = relu(at(per_row(normalised(attended, w[7]), at(w[4], {{}, "model"})), {"data", {}, "model"}));
    const Expr out = attended + at(per_row(hidden, at(w[5], {"model"})), {"data"});
    return mean(square(out - at(y, {"data"})));
  };
  return n;
}

TEST_F(ParallelTraining, OfAPerceptron) { expect_alike(perceptron()); }
TEST_F(ParallelTraining, OfATransformerBlock) { expect_alike(transformer()); }

TEST_F(ParallelTraining, KeepsPartsOfWeightsOnEachDevice) {
  const Network n = perceptron();
  const Layout at{mesh({{"data", 1}, {"model", 4}})};
  const auto x = placeholder<float>({16, 8}, "x");
  const auto w = variable(n.weights[0], "w");
  const auto loss = sum(square(dot(x, at(w, {{}, "model"}))));
  const auto step = function({x}, {loss}, updates{{w, w - 0.1F * grad(loss, w)}}, {.target = "pjrt:" + plugin_path()});
  const std::string explained = step.explain();
  EXPECT_NE(explained.find("argument 1: tensor<8x4xf32> of tensor<8x16xf32>"), std::string::npos) << explained;
  EXPECT_NE(explained.find("result 1: tensor<8x4xf32> of tensor<8x16xf32>"), std::string::npos) << explained;
}

/// The gradients of a network of a part of the examples as @step, after which all processes take the mean of theirs, and @main, which runs
/// so many of them: operands and results of one process after the other.
std::shared_ptr<Module> with_all_reduce(const std::string& gradients, int64_t processes) {
  std::shared_ptr<Module> module = parse_module(gradients, "gradients");
  const Function& f = module->get("main");
  auto step = std::make_unique<Function>("step");
  ValueMap map(f);
  for (Value v : f.args()) map.set(v, step->add_arg(step->body(), f.type(v)));
  std::vector<Value> results = clone_ops(f, f.body(), *step, step->body(), map);
  OpBuilder b(*step, step->body(), module.get());
  Tensor group(ElementType::kI64, {1, processes});
  for (int64_t p = 0; p < processes; ++p) group.mutable_data<int64_t>()[p] = p;
  for (Value& v : results) {
    const Type t = b.type(v);
    const RegionId body[] = {b.binary_region(t.element_type(), "stablehlo.add")};
    const Attrs attrs{{"replica_groups", Literal::dense(group)}};
    const Value all = b.create("stablehlo.all_reduce", std::span(&v, 1), attrs, std::span(&t, 1), body)[0];
    v = b.divide(all, b.splat(t, static_cast<double>(processes)));
  }
  b.yield(results);
  auto main = std::make_unique<Function>("main");
  AttrList rows;
  std::vector<Type> types;
  for (int64_t p = 0; p < processes; ++p) {
    rows.emplace_back(AttrList{OpaqueAttr{"@step"}});
    for (Value v : step->args()) main->add_arg(main->body(), step->type(v));
    for (Type t : step->result_types()) types.push_back(t);
  }
  module->replace(std::move(step));
  const std::vector<Value> args(main->args().begin(), main->args().end());
  OpBuilder outer(*main, main->body(), module.get());
  outer.yield(outer.create("interpreter.run_parallel", args, Attrs{{"programs", rows}}, types));
  module->replace(std::move(main));
  return module;
}

/// Gradients of the loss by all weights, as a function of examples, targets and weights.
CompiledGraph gradients(const Network& n, int64_t examples, const FunctionOptions& options) {
  Shape in = n.example.shape(), out = n.target.shape();
  in[0] = out[0] = examples;
  std::vector<Expr> inputs = {placeholder(n.example.element_type(), in), placeholder(n.target.element_type(), out)};
  for (const Tensor& w : n.weights) inputs.push_back(placeholder(w.element_type(), w.shape()));
  const std::vector<Expr> w(inputs.begin() + 2, inputs.end());
  const Expr loss = n.loss({}, inputs[0], inputs[1], w);
  std::vector<Expr> outputs = {loss};
  for (const Expr& g : grad(loss, w)) outputs.push_back(g);
  return function(inputs, outputs, {}, options);
}

Tensor rows(const Tensor& t, int64_t first, int64_t count) {
  Shape shape = t.shape();
  const size_t bytes = t.size_bytes() / static_cast<size_t>(shape[0]);
  shape[0] = count;
  Tensor out(t.element_type(), shape);
  std::memcpy(out.raw(), static_cast<const std::byte*>(t.raw()) + bytes * static_cast<size_t>(first), out.size_bytes());
  return out;
}

void expect_alike_by_all_reduce(const Network& n) {
  const std::string plugin = "pjrt:" + plugin_path();
  std::vector<const Tensor*> args = {&n.example, &n.target};
  for (const Tensor& w : n.weights) args.push_back(&w);
  const int64_t examples = n.example.shape()[0];
  const Results results = gradients(n, examples, {.target = plugin}).call(args);
  std::vector<Tensor> expected;
  for (size_t i = 0; i < results.size(); ++i) expected.push_back(results[i]);
  for (const int64_t processes : {2, 4}) {
    const int64_t part = examples / processes;
    const auto module = with_all_reduce(gradients(n, part, {.target = "eval"}).text(), processes);
    std::vector<Tensor> parts;
    for (int64_t p = 0; p < processes; ++p) {
      parts.push_back(rows(n.example, p * part, part));
      parts.push_back(rows(n.target, p * part, part));
      parts.insert(parts.end(), n.weights.begin(), n.weights.end());
    }
    const std::vector<Tensor> got = get_target(plugin).compile(module, "main", {})->run(parts);
    ASSERT_EQ(got.size(), expected.size() * static_cast<size_t>(processes));
    for (size_t p = 0; p < static_cast<size_t>(processes); ++p) {
      const auto begin = got.begin() + static_cast<std::ptrdiff_t>(p * expected.size());
      expect_near({begin, begin + static_cast<std::ptrdiff_t>(expected.size())}, expected,
                  "process " + std::to_string(p) + " of " + std::to_string(processes));
    }
    const std::vector<Tensor> evaluated = evaluate(*module, "main", parts);
    expect_near(got, evaluated, "evaluator");
  }
}

// Each process has a part of the examples; all of them take the mean of their gradients.
TEST_F(ParallelTraining, OfAPerceptronByAllReduce) { expect_alike_by_all_reduce(perceptron()); }
TEST_F(ParallelTraining, OfATransformerBlockByAllReduce) { expect_alike_by_all_reduce(transformer()); }

}  // namespace
}  // namespace weft
