// Lanes whose number only a call says, and lanes in chunks: against the evaluator running the function lane by lane.
#include <cmath>

#include "ir/clone.h"
#include "ir/target.h"
#include "ops/control_flow/pfor_call.h"
#include "tests/transform/lane_check.h"
#include "transform/gradient.h"
#include "transform/refine_shapes.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

using std::vector;

// A loop with a trip count per lane, a shared vector, a branch, and the number of the lane.
const char* kProgram = R"(
func.func @f(%x: tensor<3xf64>, %w: tensor<3xf64>, %n: tensor<i32>) -> (tensor<3xf64>, tensor<f64>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<3xf64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %s = stablehlo.sine %a : tensor<3xf64>
    %b = stablehlo.multiply %s, %w : tensor<3xf64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<3xf64>, tensor<i32>
  }
  %l = "weft.lane_index"() : () -> tensor<i64>
  %lf = stablehlo.convert %l : (tensor<i64>) -> tensor<f64>
  %sum = stablehlo.reduce(%r#0 init: %lf) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  %p = stablehlo.compare GT, %sum, %z : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %q = "stablehlo.if"(%p) ({
    %e = stablehlo.log %sum : tensor<f64>
    stablehlo.return %e : tensor<f64>
  }, {
    stablehlo.return %z : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r#0, %q : tensor<3xf64>, tensor<f64>
})";

vector<double> numbers(const Tensor& t) {
  const auto p = t.data<double>();
  return {p.begin(), p.end()};
}

vector<Tensor> arguments(int64_t lanes) {
  vector<double> x;
  vector<int32_t> n;
  for (int64_t i = 0; i < 3 * lanes; ++i) x.push_back(std::sin(1.7 * static_cast<double>(i)));
  for (int64_t i = 0; i < lanes; ++i) n.push_back(static_cast<int32_t>((i * 5) % 7));
  return {Tensor::of(x, {3, lanes}), Tensor::of<double>({0.5, 1.5, -2}, {3}), Tensor::of(n, {lanes})};
}

const vector<int64_t> kAxes = {1, kUniform, 0};

void expect_near(const vector<Tensor>& got, const vector<Tensor>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t r = 0; r < got.size(); ++r) {
    ASSERT_EQ(got[r].shape(), expected[r].shape()) << what;
    const auto a = numbers(got[r]), b = numbers(expected[r]);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-12 * std::max(1.0, std::abs(b[i]))) << what << ", result " << r << " at " << i;
  }
}

/// What weft.pfor's own rule gives: lane by lane.
vector<Tensor> lane_by_lane(const std::string& text, const std::string& f, const vector<int64_t>& axes,
                            const vector<Tensor>& args) {
  const auto module = parse_module(text, "test");
  auto over = std::make_unique<Function>("over");
  OpBuilder b(*over, over->body(), module.get());
  PforCall call;
  call.callee = f;
  vector<Value> operands;
  for (size_t i = 0; i < args.size(); ++i) {
    Value v = over->add_arg(over->body(), Type::tensor(args[i].element_type(), args[i].shape()));
    if (axes[i] == 1) v = b.transpose(v, vector<int64_t>{1, 0});
    operands.push_back(v);
    call.varies.push_back(axes[i] == kUniform ? 0 : 1);
  }
  b.yield(emit_pfor(b, call, operands, module->get(f).result_types()));
  module->add(std::move(over));
  return evaluate(*module, "over", args);
}

/// The evaluator runs programs of the argument's types only.
vector<Tensor> evaluate_for(Module& module, const std::string& f, const vector<Tensor>& args) {
  vector<Type> types;
  for (const Tensor& t : args) types.push_back(Type::tensor(t.element_type(), t.shape()));
  if (needs_refinement(module, f)) refine_shapes(module, f, types);
  return evaluate(module, f, args);
}

TEST(OpenLanes, OneCompilationForEveryNumberOfLanes) {
  const std::shared_ptr<Module> module = parse_module(kProgram, "test");
  vectorize(*module, "f", kAxes, kDynamic, {.name = "over"});
  verify(*module);
  const auto native = get_target("native").compile(module, "over", {});
  for (int64_t lanes : {3, 1, 17, 0, 5}) {
    const auto args = arguments(lanes);
    const auto expected = lane_by_lane(kProgram, "f", kAxes, args);
    expect_near(native->run(args), expected, "native, " + std::to_string(lanes) + " lanes");
    // The static form.
    const auto fixed = parse_module(kProgram, "test");
    const std::string name = vectorize(*fixed, "f", kAxes, lanes).name();
    expect_near(evaluate(*fixed, name, args), expected, "static, " + std::to_string(lanes) + " lanes");
  }
  EXPECT_EQ(native->extent_calls().own, 0u) << "code of its own for some number of lanes";
}

TEST(OpenLanes, DerivativesBeforeAndAfter) {
  const vector<size_t> by = {0, 1};
  const auto args = arguments(4);
  vector<Tensor> with_cotangents = args;
  vector<double> c;
  for (int i = 0; i < 12; ++i) c.push_back(std::cos(0.3 * i));
  with_cotangents.push_back(Tensor::of(c, {4, 3}));
  with_cotangents.push_back(Tensor::of<double>({1, -2, 0.5, 3}, {4}));

  // vjp of the function over an open number of lanes, beside that over four.
  const auto open = parse_module(kProgram, "test"), fixed = parse_module(kProgram, "test");
  vectorize(*open, "f", kAxes, kDynamic, {.name = "over"});
  vectorize(*fixed, "f", kAxes, 4, {.name = "over"});
  for (Module* m : {open.get(), fixed.get()}) {
    vjp(*m, "over", by, "back");
    verify(*m);
  }
  const auto expected = evaluate(*fixed, "back", with_cotangents);
  expect_near(get_target("native")
                  .compile(std::shared_ptr<const Module>(clone_module(*open)), "back", {})
                  ->run(with_cotangents),
              expected, "vjp after lanes, native");

  expect_near(evaluate_for(*open, "back", with_cotangents), expected, "vjp after lanes");

  // Lanes of the vjp: what all lanes share has a cotangent for each lane.
  const auto inside = parse_module(kProgram, "test");
  vjp(*inside, "f", by, "back");
  vectorize(*inside, "back", vector<int64_t>{1, kUniform, 0, 0, 0}, kDynamic, {.name = "lanes"});
  const auto lanes = evaluate_for(*inside, "lanes", with_cotangents);
  const auto w = numbers(lanes[1]);
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(w[k] + w[3 + k] + w[6 + k] + w[9 + k], numbers(expected[1])[k], 1e-12);

  // Forwards.
  vector<Tensor> with_tangents = args;
  with_tangents.push_back(args[0]);
  with_tangents.push_back(args[1]);
  const auto a = parse_module(kProgram, "test"), b = parse_module(kProgram, "test");
  vectorize(*a, "f", kAxes, kDynamic, {.name = "over"});
  vectorize(*b, "f", kAxes, 4, {.name = "over"});
  for (Module* m : {a.get(), b.get()}) jvp(*m, "over", by, "forward");
  expect_near(evaluate_for(*a, "forward", with_tangents), evaluate(*b, "forward", with_tangents), "jvp after lanes");
}

// x - mean over lanes, times the largest; and all of them.
const char* kAcross = R"(
func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<?xf64>, tensor<f64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %n = "weft.lane_count"() : () -> tensor<i64>
  %nf = stablehlo.convert %n : (tensor<i64>) -> tensor<f64>
  %s = "weft.lanes_reduce"(%x, %zero) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %mean = stablehlo.divide %s, %nf : tensor<f64>
  %d = stablehlo.subtract %x, %mean : tensor<f64>
  %m = "weft.lanes_reduce"(%d, %low) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %y = stablehlo.multiply %d, %m : tensor<f64>
  %all = "weft.lanes_concat"(%y) : (tensor<f64>) -> tensor<?xf64>
  %t = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  return %y, %all, %t : tensor<f64>, tensor<?xf64>, tensor<f64>
})";

TEST(OpenLanes, AcrossLanesInChunks) {
  const Tensor x = Tensor::of<double>({1, 5, -3, 2, 9, 4, 3}, {7});
  std::string seven = kAcross;
  for (size_t at; (at = seven.find("<?x")) != std::string::npos;) seven[at + 1] = '7';
  const auto expected = lane_by_lane(seven, "f", {0}, {x});
  // Mean 3, largest difference 6.
  EXPECT_EQ(numbers(expected[0]), (vector<double>{-12, 12, -36, -6, 36, 6, 0}));
  for (int64_t chunk : {0, 1, 2, 3, 6, 7, 100}) {
    const std::shared_ptr<Module> module = parse_module(kAcross, "test");
    vectorize(*module, "f", vector<int64_t>{0}, kDynamic, {.name = "over", .chunk = chunk});
    const auto native = get_target("native").compile(module, "over", {});
    expect_near(native->run(vector<Tensor>{x}), expected, "chunks of " + std::to_string(chunk));
  }
}

TEST(OpenLanes, ChunksEqualAllAtOnce) {
  for (int64_t lanes : {7, 8, 1, 0}) {
    const auto args = arguments(lanes);
    const auto expected = lane_by_lane(kProgram, "f", kAxes, args);
    for (int64_t chunk : {1, 3, 4, 7}) {
      const std::string what = std::to_string(lanes) + " lanes in chunks of " + std::to_string(chunk);
      const std::shared_ptr<Module> module = parse_module(kProgram, "test");
      vectorize(*module, "f", kAxes, lanes, {.name = "over", .chunk = chunk});
      verify(*module);
      expect_near(evaluate(*module, "over", args), expected, what);
      if (chunk == 3) expect_near(get_target("native").compile(module, "over", {})->run(args), expected, what);
    }
  }
}

TEST(OpenLanes, RefusedInChunks) {
  const auto module =
      parse_module("func.func @f(%x: tensor<f64>) -> tensor<f64> {\n  return %x : tensor<f64>\n}", "test");
  EXPECT_THROW(vectorize(*module, "f", vector<int64_t>{0}, 8, {.chunk = -1}), UserError);
  EXPECT_THROW(vectorize(*module, "f", vector<int64_t>{kUniform}, kDynamic), UserError);
}

TEST(OpenLanes, CustomCallsThatStandForOpsAreWrittenOutInWhatLanesCall) {
  const auto module = parse_module(R"(
func.func @less(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @f(%x: tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<5xi32>
  %n = stablehlo.constant dense<-1> : tensor<i32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %z, %n) {called_computations = [@less], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<5xf32>, tensor<5xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
})",
                                   "test");
  vectorize(*module, "f", vector<int64_t>{0}, kDynamic, {.name = "f"});
  const std::shared_ptr<Module> shared = clone_module(*module);
  const auto executable = get_target("native").compile(shared, "f", {});
  for (int64_t lanes : {1, 3, 0}) {
    Tensor x(ElementType::kF32, {lanes, 5});
    for (int64_t i = 0; i < x.size(); ++i)
      x.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * 7 % 5);
    const vector<Tensor> got = executable->run(vector<Tensor>{x});
    ASSERT_EQ(got[0].shape(), (Shape{lanes, 2}));
    // 7 i mod 5 over five elements in a row are 0, 2, 4, 1, 3.
    for (int64_t l = 0; l < lanes; ++l) {
      EXPECT_EQ(got[0].data<float>()[static_cast<size_t>(2 * l)], 4);
      EXPECT_EQ(got[0].data<float>()[static_cast<size_t>(2 * l + 1)], 3);
      EXPECT_EQ(got[1].data<int32_t>()[static_cast<size_t>(2 * l)], 2);
      EXPECT_EQ(got[1].data<int32_t>()[static_cast<size_t>(2 * l + 1)], 4);
    }
  }
}

}  // namespace
}  // namespace weft
