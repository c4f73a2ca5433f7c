// Derivatives and lanes of programs of processes. A loss is summed over the processes; what each one's gradient says is compared with central
// differences of that sum, and lanes with a loop over them.
#include <numeric>

#include "derivative_check.h"
#include "lane_check.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

/// Runs @f as `n` replicas, one after the other in args and results.
std::vector<Tensor> run_replicas(Module& module, const std::string& f, int64_t n, const std::vector<Tensor>& args,
                                 int64_t partitions = 1) {
  const std::string name = module.unique_name("drive");
  Function& driver = module.add(std::make_unique<Function>(name));
  std::vector<Value> values;
  for (const Tensor& t : args)
    values.push_back(driver.add_arg(driver.body(), Type::tensor(t.element_type(), t.shape())));
  AttrList programs;
  for (int64_t i = 0; i < n; ++i) {
    AttrList row;
    for (int64_t p = 0; p < partitions; ++p) row.emplace_back(OpaqueAttr{"@" + f});
    programs.emplace_back(row);
  }
  OpBuilder b(driver, driver.body(), &module);
  b.yield(b.create("interpreter.run_parallel", values, Attrs{{"programs", Attr(programs)}}));
  return run(module, name, args);
}

constexpr int64_t kReplicas = 4;

/// @f: op on two functions of x, weighted by the replica, summed.
std::string program(const std::string& op) {
  return R"(
func.func @f(%x: tensor<4x2xf64>) -> tensor<f64> {
  %a = stablehlo.sine %x : tensor<4x2xf64>
)" + op + R"(
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %id = stablehlo.replica_id : tensor<ui32>
  %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<f64>
  %flat = stablehlo.reshape %y : (tensor<SHAPExf64>) -> tensor<COUNTxf64>
  %iota = stablehlo.iota dim = 0 : tensor<COUNTxf64>
  %b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f64>) -> tensor<COUNTxf64>
  %w = stablehlo.add %iota, %b : tensor<COUNTxf64>
  %sq = stablehlo.multiply %flat, %flat : tensor<COUNTxf64>
  %t = stablehlo.multiply %w, %sq : tensor<COUNTxf64>
  %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<COUNTxf64>, tensor<f64>) -> tensor<f64>
  return %s : tensor<f64>
})";
}

std::string with_shape(std::string text, const std::string& shape, int64_t count) {
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"SHAPE", shape}, {"COUNT", std::to_string(count)}}) {
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  }
  return text;
}

struct Case {
  std::string name, op, shape;
  int64_t count;
};

std::string reduction(const std::string& body) {
  return "({\n^bb0(%l: tensor<f64>, %r: tensor<f64>):\n%z = " + body +
         " : tensor<f64>\nstablehlo.return %z : tensor<f64>\n})";
}

std::vector<Case> cases() {
  const std::string groups = "replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>",
                    all = "replica_groups = dense<> : tensor<0x0xi64>",
                    same = " : (tensor<4x2xf64>) -> tensor<4x2xf64>", sum = reduction("stablehlo.add %l, %r"),
                    product = reduction("stablehlo.multiply %l, %r"), larger = reduction("stablehlo.maximum %l, %r");
  return {
      {"AllReduceSum", "%y = \"stablehlo.all_reduce\"(%a) " + sum + " {" + groups + "}" + same, "4x2", 8},
      {"AllReduceOfAll", "%y = \"stablehlo.all_reduce\"(%a) " + sum + " {" + all + "}" + same, "4x2", 8},
      {"AllReduceRagged",
       "%y = \"stablehlo.all_reduce\"(%a) " + sum +
           " {replica_groups = dense<[[0, 2, 1], [3, -1, -1]]> : tensor<2x3xi64>}" + same,
       "4x2", 8},
      {"AllReduceProduct", "%y = \"stablehlo.all_reduce\"(%a) " + product + " {" + groups + "}" + same, "4x2", 8},
      {"AllReduceMaximum", "%y = \"stablehlo.all_reduce\"(%a) " + larger + " {" + groups + "}" + same, "4x2", 8},
      {"CrossReplicaSum", "%y = \"stablehlo.cross-replica-sum\"(%a) {" + groups + "}" + same, "4x2", 8},
      {"AllGather",
       "%y = \"stablehlo.all_gather\"(%a) {all_gather_dim = 1 : i64, " + groups +
           "} : (tensor<4x2xf64>) -> tensor<4x4xf64>",
       "4x4", 16},
      {"ReduceScatter",
       "%y = \"stablehlo.reduce_scatter\"(%a) " + sum + " {scatter_dimension = 0 : i64, " + groups +
           "} : (tensor<4x2xf64>) -> tensor<2x2xf64>",
       "2x2", 4},
      {"ReduceScatterProduct",
       "%y = \"stablehlo.reduce_scatter\"(%a) " + product + " {scatter_dimension = 0 : i64, " + groups +
           "} : (tensor<4x2xf64>) -> tensor<2x2xf64>",
       "2x2", 4},
      {"AllToAll",
       "%y = \"stablehlo.all_to_all\"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : "
       "i64, " +
           groups + "} : (tensor<4x2xf64>) -> tensor<2x4xf64>",
       "2x4", 8},
      {"AllToAllInPlace",
       "%y = \"stablehlo.all_to_all\"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : "
       "i64, " +
           groups + "}" + same,
       "4x2", 8},
      {"Permute",
       "%y = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<[[0, 1], [1, 3], [2, 2]]> : "
       "tensor<3x2xi64>}" +
           same,
       "4x2", 8},
      {"Broadcast", "%y = \"stablehlo.collective_broadcast\"(%a) {" + groups + "}" + same, "4x2", 8},
      {"BroadcastToSome",
       "%y = \"stablehlo.collective_broadcast\"(%a) {replica_groups = dense<[[3, 1]]> : tensor<1x2xi64>}" + same, "4x2",
       8},
      {"Reduce", "%y = \"stablehlo.collective_reduce\"(%a) " + sum + " {" + groups + "}" + same, "4x2", 8},
      {"ReduceRagged",
       "%y = \"stablehlo.collective_reduce\"(%a) " + sum +
           " {replica_groups = dense<[[2, 0, 1], [3, -1, -1]]> : tensor<2x3xi64>}" + same,
       "4x2", 8},
      {"ReduceProduct", "%y = \"stablehlo.collective_reduce\"(%a) " + product + " {" + groups + "}" + same, "4x2", 8},
      {"ReduceToRoot",
       "%root = stablehlo.constant dense<1> : tensor<1xi32>\n%y = \"stablehlo.collective_reduce\"(%a, %root) " + sum +
           " {has_dynamic_root = true, " + groups + "} : (tensor<4x2xf64>, tensor<1xi32>) -> tensor<4x2xf64>",
       "4x2", 8},
      {"TwoOperands",
       "%c = stablehlo.multiply %a, %a : tensor<4x2xf64>\n%i = stablehlo.iota dim = 0 : tensor<4x2xf64>\n"
       "%v:3 = \"stablehlo.collective_permute\"(%i, %c, %a) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : "
       "tensor<3x2xi64>} : (tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>, "
       "tensor<4x2xf64>)\n%u = stablehlo.multiply %v#0, %v#2 : tensor<4x2xf64>\n%y = stablehlo.add %u, %v#1 : "
       "tensor<4x2xf64>",
       "4x2", 8},
      {"Future",
       "%p = \"stablehlo.async_start\"(%a) ({\n^bb0(%g: tensor<4x2xf64>):\n%h = \"stablehlo.all_reduce\"(%g) " + sum +
           " {" + groups + "}" + same +
           "\nstablehlo.return %h : tensor<4x2xf64>\n}) : (tensor<4x2xf64>) -> !stablehlo.future<tensor<4x2xf64>>\n"
           "%y = \"stablehlo.async_done\"(%p) : (!stablehlo.future<tensor<4x2xf64>>) -> tensor<4x2xf64>",
       "4x2", 8},
      {"InALoop",
       R"(%from = stablehlo.constant dense<0> : tensor<i64>
  %to = stablehlo.constant dense<3> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %loop:2 = stablehlo.while(%i = %from, %c = %a) : tensor<i64>, tensor<4x2xf64>
    cond {
      %p = stablehlo.compare LT, %i, %to : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %m = stablehlo.multiply %c, %a : tensor<4x2xf64>
      %g = "stablehlo.collective_permute"(%m) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>} : (tensor<4x2xf64>) -> tensor<4x2xf64>
      %s = stablehlo.sine %g : tensor<4x2xf64>
      %j = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %j, %s : tensor<i64>, tensor<4x2xf64>
    }
  %y = stablehlo.add %loop#1, %a : tensor<4x2xf64>)",
       "4x2", 8},
  };
}

std::vector<Tensor> arguments() {
  std::vector<Tensor> out;
  double seed = 0.4;
  for (int64_t r = 0; r < kReplicas; ++r) {
    std::vector<double> x;
    for (int i = 0; i < 8; ++i) x.push_back(seed = 1.3 * std::cos(7 * seed + 1));
    out.push_back(tensor(x, {4, 2}));
  }
  return out;
}

double total(const std::vector<Tensor>& losses) {
  double sum = 0;
  for (const Tensor& t : losses) sum += t.scalar<double>();
  return sum;
}

class Collective : public ::testing::TestWithParam<Case> {};

TEST_P(Collective, GradientIsThatOfTheSumOverProcesses) {
  auto module = parse_module(with_shape(program(GetParam().op), GetParam().shape, GetParam().count), "t.mlir");
  const size_t by[] = {0};
  gradient(*module, "f", by, "g");
  jvp(*module, "f", by, "F");
  jvp(*module, "g", by, "gF");
  const std::vector<Tensor> args = arguments();
  const std::vector<Tensor> grads = run_replicas(*module, "g", kReplicas, args);
  ASSERT_EQ(grads.size(), static_cast<size_t>(kReplicas));
  constexpr double kStep = 1e-5;
  std::vector<Tensor> along, interleaved;
  double seed = 0.2;
  for (size_t r = 0; r < args.size(); ++r) {
    along.push_back(args[r].clone());
    for (int64_t i = 0; i < 8; ++i) along[r].mutable_data<double>()[i] = seed = std::cos(9 * seed + 1);
    interleaved.push_back(args[r]);
    interleaved.push_back(along[r]);
    for (size_t i = 0; i < 8; ++i) {
      const auto moved = [&](double h) {
        std::vector<Tensor> out = args;
        out[r] = out[r].clone();
        out[r].mutable_data<double>()[i] += h;
        return total(run_replicas(*module, "f", kReplicas, out));
      };
      const double expected = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      EXPECT_NEAR(grads[r].data<double>()[i], expected, 1e-7 * (1 + std::fabs(expected)))
          << "replica " << r << ", " << i;
    }
  }
  // Forward, and forward over reverse.
  const std::vector<Tensor> forward = run_replicas(*module, "F", kReplicas, interleaved);
  double tangent = 0;
  for (size_t r = 0; r < args.size(); ++r) tangent += forward[2 * r + 1].scalar<double>();
  EXPECT_NEAR(tangent, dot(grads, along), 1e-11 * (1 + std::fabs(tangent)));
  const std::vector<Tensor> second = run_replicas(*module, "gF", kReplicas, interleaved);
  const auto shifted = [&](double h) {
    std::vector<Tensor> out = args;
    for (size_t r = 0; r < out.size(); ++r) {
      out[r] = out[r].clone();
      for (size_t i = 0; i < 8; ++i) out[r].mutable_data<double>()[i] += h * along[r].data<double>()[i];
    }
    return run_replicas(*module, "g", kReplicas, out);
  };
  const std::vector<Tensor> up = shifted(kStep), down = shifted(-kStep);
  for (size_t r = 0; r < args.size(); ++r) {
    for (size_t i = 0; i < 8; ++i) {
      const double expected = (up[r].data<double>()[i] - down[r].data<double>()[i]) / (2 * kStep);
      EXPECT_NEAR(second[2 * r + 1].data<double>()[i], expected, 1e-5 * (1 + std::fabs(expected)));
    }
  }
}

TEST_P(Collective, LanesEqualALoop) {
  for (const std::string& name : {std::string("f"), std::string("g")}) {
    for (int64_t lanes : {0, 1, 3}) {
      auto module = parse_module(with_shape(program(GetParam().op), GetParam().shape, GetParam().count), "t.mlir");
      const size_t by[] = {0};
      gradient(*module, "f", by, "g");
      const int64_t axes[] = {0};
      const std::string over = vectorize(*module, name, axes, lanes).name();
      std::vector<Tensor> args;
      double seed = 0.4;
      for (int64_t r = 0; r < kReplicas; ++r) {
        std::vector<double> x;
        for (int64_t i = 0; i < 8 * lanes; ++i) x.push_back(seed = 1.3 * std::cos(7 * seed + 1));
        args.push_back(tensor(x, {lanes, 4, 2}));
      }
      const std::vector<Tensor> got = run_replicas(*module, over, kReplicas, args);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        std::vector<Tensor> one;
        for (const Tensor& t : args) one.push_back(slice_at(t, 0, lane));
        const std::vector<Tensor> expected = run_replicas(*module, name, kReplicas, one);
        for (size_t r = 0; r < got.size(); ++r)
          EXPECT_TRUE(same_bits(slice_at(got[r], 0, lane), expected[r]))
              << name << " lane " << lane << " replica " << r;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Collective, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace weft::test
