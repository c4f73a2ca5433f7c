// Gradients of loops that write a buffer, and of loops that read one: what they keep and what they touch per trip.
#include "derivative_check.h"

namespace weft::test {
namespace {

/// P[i] = sin(P[i-1] · c[i-1]); the sum of the last of n.
std::string chain(int64_t n) {
  const std::string buffer = "tensor<" + std::to_string(n) + "x2x2xf64>",
                    coefficients = "tensor<" + std::to_string(n) + "xf64>";
  return R"(
func.func @f(%x: tensor<2x2xf64>, %c: )" +
         coefficients + R"() -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<)" +
         std::to_string(n) + R"(> : tensor<i64>
  %last = stablehlo.constant dense<)" +
         std::to_string(n - 1) + R"(> : tensor<i64>
  %z = stablehlo.constant dense<0.0> : )" +
         buffer + R"(
  %zs = stablehlo.constant dense<0.0> : tensor<f64>
  %x1 = stablehlo.reshape %x : (tensor<2x2xf64>) -> tensor<1x2x2xf64>
  %P0 = stablehlo.dynamic_update_slice %z, %x1, %zero, %zero, %zero : ()" +
         buffer + R"(, tensor<1x2x2xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> )" + buffer + R"(
  %0:2 = stablehlo.while(%i = %one, %P = %P0) : tensor<i64>, )" +
         buffer + R"(
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %k = stablehlo.subtract %i, %one : tensor<i64>
    %s = stablehlo.dynamic_slice %P, %k, %zero, %zero, sizes = [1, 2, 2] : ()" +
         buffer + R"(, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x2xf64>
    %e = stablehlo.dynamic_slice %c, %k, sizes = [1] : ()" +
         coefficients + R"(, tensor<i64>) -> tensor<1xf64>
    %er = stablehlo.reshape %e : (tensor<1xf64>) -> tensor<f64>
    %eb = stablehlo.broadcast_in_dim %er, dims = [] : (tensor<f64>) -> tensor<1x2x2xf64>
    %t = stablehlo.multiply %s, %eb : tensor<1x2x2xf64>
    %u = stablehlo.sine %t : tensor<1x2x2xf64>
    %Q = stablehlo.dynamic_update_slice %P, %u, %i, %zero, %zero : ()" +
         buffer + R"(, tensor<1x2x2xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> )" + buffer + R"(
    stablehlo.return %j, %Q : tensor<i64>, )" +
         buffer + R"(
  }
  %l = stablehlo.dynamic_slice %0#1, %last, %zero, %zero, sizes = [1, 2, 2] : ()" +
         buffer + R"(, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x2xf64>
  %r = stablehlo.reduce(%l init: %zs) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x2x2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})";
}

TEST(BufferGradient, ChainThroughABuffer) {
  expect_derivatives(chain(6), {tensor({0.7, 0.2, -0.5, 0.9}, {2, 2}), vector({1.1, 0.9, 1.3, 0.8, 1.2, 1})});
}

/// In every loop body: nothing of the size of the buffers but updates in place of them.
void expect_linear(const Function& f, RegionId region, int64_t large) {
  for (OpId op : f.ops(region)) {
    for (RegionId r : f.regions(op)) expect_linear(f, r, large);
    for (Value v : f.results(op)) {
      const Type t = f.type(v);
      if (t.is_stack()) {
        EXPECT_LT(t.stacked().is_stack() ? 0 : t.stacked().num_elements(), large)
            << "a whole buffer is kept in every trip";
      } else if (region != f.body() && t.num_elements() >= large) {
        EXPECT_EQ(f.def(op).mnemonic, "stablehlo.dynamic_update_slice") << "touches a whole buffer in every trip";
      }
    }
  }
}

TEST(BufferGradient, CostPerTripIsIndependentOfTheBuffer) {
  for (const std::string order : {"R", "RF", "FR", "RR"}) {
    auto m = parse_module(chain(500), "chain");
    const size_t args[] = {0, 1};
    std::string name = "f";
    for (size_t k = order.size(); k-- > 0;) {
      const std::string next = name + order[k];
      if (order[k] == 'F') jvp(*m, name, args, next);
      else vjp(*m, name, args, next);
      name = next;
    }
    SCOPED_TRACE(order);
    const Function& f = m->get(name);
    expect_linear(f, f.body(), 500);
  }
}

// Horner: Σ c_k x^k with c = 1..5 at .5, by c_k x^k.
TEST(BufferGradient, HornerReadsItsCoefficientsInPlace) {
  auto m = parse_module(R"(
func.func @f(%x: tensor<f64>, %c: tensor<5xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %h0 = stablehlo.constant dense<0.0> : tensor<f64>
  %0:2 = stablehlo.while(%i = %four, %h = %h0) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare GE, %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i64>
    %s = stablehlo.dynamic_slice %c, %i, sizes = [1] : (tensor<5xf64>, tensor<i64>) -> tensor<1xf64>
    %t = stablehlo.reshape %s : (tensor<1xf64>) -> tensor<f64>
    %a = stablehlo.multiply %x, %h : tensor<f64>
    %b = stablehlo.add %a, %t : tensor<f64>
    stablehlo.return %j, %b : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})",
                        "horner");
  const size_t args[] = {0, 1};
  const Function& g = gradient(*m, "f", args, "g", true);
  expect_linear(g, g.body(), 5);
  const auto out = run(*m, "g", {scalar(0.5), vector({1, 2, 3, 4, 5})});
  double value = 0, by_x = 0;
  for (int k = 0; k < 5; ++k) {
    value += (k + 1) * std::pow(0.5, k);
    by_x += k == 0 ? 0 : k * (k + 1) * std::pow(0.5, k - 1);
    EXPECT_DOUBLE_EQ(out[2].data<double>()[static_cast<size_t>(k)], std::pow(0.5, k));
  }
  EXPECT_DOUBLE_EQ(out[0].scalar<double>(), value);
  EXPECT_DOUBLE_EQ(out[1].scalar<double>(), by_x);
}

// carry += x·(y + z): y + z is the same in every trip and cheap, so nothing as large as it is kept.
TEST(BufferGradient, CheapInvariantValuesAreComputedAgain) {
  const std::string text = R"(
func.func @f(%x: tensor<8x8xf64>, %y: tensor<8x8xf64>, %z: tensor<8x8xf64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %zs = stablehlo.constant dense<0.0> : tensor<f64>
  %c0 = stablehlo.constant dense<0.0> : tensor<8x8xf64>
  %0:2 = stablehlo.while(%i = %zero, %c = %c0) : tensor<i64>, tensor<8x8xf64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %s = stablehlo.add %y, %z : tensor<8x8xf64>
    %t = stablehlo.multiply %x, %s : tensor<8x8xf64>
    %d = stablehlo.add %c, %t : tensor<8x8xf64>
    stablehlo.return %j, %d : tensor<i64>, tensor<8x8xf64>
  }
  %r = stablehlo.reduce(%0#1 init: %zs) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})";
  auto m = parse_module(text, "t");
  const size_t args[] = {0, 1, 2};
  const Function& g = gradient(*m, "f", args, "g");
  for (uint32_t i = 0; i < g.num_values(); ++i) EXPECT_FALSE(g.type(Value{i}).is_stack());
  std::vector<double> ones(64, 1), twos(64, 2), threes(64, 3);
  const auto out = run(*m, "g", {tensor(ones, {8, 8}), tensor(twos, {8, 8}), tensor(threes, {8, 8}), integer(5)});
  for (size_t k = 0; k < 64; ++k) {
    EXPECT_EQ(out[0].data<double>()[k], 25);
    EXPECT_EQ(out[1].data<double>()[k], 5);
    EXPECT_EQ(out[2].data<double>()[k], 5);
  }
}

// h = tanh(W·h): the value that is kept for tanh is the next h, which the backward loop has already.
TEST(BufferGradient, ARecurrentStepKeepsOneStatePerTrip) {
  const std::string text = R"(
func.func @f(%h0: tensor<2x4xf64>, %w: tensor<4x4xf64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %zs = stablehlo.constant dense<0.0> : tensor<f64>
  %0:2 = stablehlo.while(%i = %zero, %h = %h0) : tensor<i64>, tensor<2x4xf64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %a = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<2x4xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
    %b = stablehlo.tanh %a : tensor<2x4xf64>
    stablehlo.return %j, %b : tensor<i64>, tensor<2x4xf64>
  }
  %r = stablehlo.reduce(%0#1 init: %zs) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})";
  auto m = parse_module(text, "t");
  const size_t args[] = {0, 1};
  const Function& g = gradient(*m, "f", args, "g");
  int stacks = 0;
  for (OpId op : g.ops(g.body())) stacks += g.def(op).mnemonic == "weft.stack_new" ? 1 : 0;
  EXPECT_EQ(stacks, 1);
  std::vector<double> w;
  for (int i = 0; i < 16; ++i) w.push_back(0.5 * std::sin(3.0 * i + 1));
  for (int64_t n : {0, 1, 4}) {
    expect_derivatives(text,
                       {tensor({0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8}, {2, 4}), tensor(w, {4, 4}), integer(n)});
  }
}

}  // namespace
}  // namespace weft::test
