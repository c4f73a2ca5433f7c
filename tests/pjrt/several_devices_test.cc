// Several devices of a real plugin for this CPU: what comes out is what the evaluator gives. Skipped where no plugin is at hand.
#include <gtest/gtest.h>

#include <cstring>

#include "eval/evaluator.h"
#include "ir/device_value.h"
#include "pjrt/device_code.h"
#include "pjrt/pjrt_target.h"
#include "pjrt/several_devices.h"
#include "plugin_path.h"
#include "text/parse.h"

namespace weft {
namespace {

class SeveralDevices : public testing::Test {
 protected:
  void SetUp() override {
    if (plugin_path().empty()) GTEST_SKIP() << "no PJRT plugin: tools/get_pjrt_plugin.sh build/plugins";
  }

  static std::unique_ptr<Executable> compile(const std::string& text, const std::string& options = "") {
    std::shared_ptr<const Module> module = parse_module(text, "test");
    return get_target("pjrt:" + plugin_path() + options).compile(module, "main", {});
  }
  static std::vector<Tensor> run(const std::string& text, const std::vector<Tensor>& args,
                                 const std::string& options = "") {
    return compile(text, options)->run(args);
  }
  template <class E>
  static void expect_error(const std::string& text, const std::string& options, const std::string& part) {
    try {
      compile(text, options);
      ADD_FAILURE() << "accepted:\n" << text;
    } catch (const E& error) { EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what(); }
  }
};

Tensor numbers(Shape shape) {
  Tensor t(ElementType::kF32, shape);
  auto* p = t.mutable_data<float>();
  for (int64_t i = 0; i < t.size(); ++i) p[i] = static_cast<float>(i % 7) - 2.5F;  // sums of products are exact
  return t;
}

void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t r = 0; r < got.size(); ++r) {
    ASSERT_EQ(got[r].shape(), expected[r].shape());
    for (int64_t i = 0; i < got[r].size(); ++i)
      EXPECT_EQ(got[r].data<float>()[i], expected[r].data<float>()[i]) << "result " << r << " at " << i;
  }
}

constexpr const char* kProduct = R"(
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<8x4xf32>, %k: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model", "data"}]>}, tensor<f32>) {
  %v = sdy.sharding_constraint %w <@mesh, [{}, {"model"}]> : tensor<8x4xf32>
  %y = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %b = sdy.sharding_constraint %y <@mesh, [{"data"}, {"model"}]> : tensor<4x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %s = stablehlo.multiply %r, %k : tensor<f32>
  %t = stablehlo.add %x, %x : tensor<4x8xf32>
  return %b, %t, %s : tensor<4x4xf32>, tensor<4x8xf32>, tensor<f32>
}
)";

TEST_F(SeveralDevices, CutsArgumentsAndPutsResultsTogether) {
  const std::vector<Tensor> args = {numbers({4, 8}), numbers({8, 4}), Tensor::scalar_of<float>(0.5F)};
  std::shared_ptr<const Module> module = parse_module(kProduct, "test");
  const std::vector<Tensor> expected = evaluate(*module, "main", args);
  expect_same(run(kProduct, args), expected);
  expect_same(run(kProduct, args, ",devices=8"), expected);
  expect_same(run(kProduct, args, ",devices=1"), expected);
  const std::string explained = compile(kProduct)->explain();
  EXPECT_NE(explained.find("argument 0: tensor<2x8xf32> of tensor<4x8xf32>"), std::string::npos) << explained;
  EXPECT_NE(explained.find("argument 1: tensor<8x1xf32> of tensor<8x4xf32>"), std::string::npos) << explained;
  EXPECT_NE(explained.find("result 0: tensor<2x1xf32> of tensor<4x4xf32>"), std::string::npos) << explained;
  EXPECT_NE(explained.find("result 1: tensor<4x1xf32> of tensor<4x8xf32>"), std::string::npos) << explained;
}

// The devices of a mesh may stand in any order, and a part of an axis may cut.
TEST_F(SeveralDevices, FollowsDeviceIdsAndPartsOfAxes) {
  const std::string text = R"(
sdy.mesh @mesh = <["x"=4], device_ids=[2, 0, 3, 1]>
func.func @main(%x: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)2}]>}) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}, {}]>}) {
  %i = stablehlo.iota dim = 0 : tensor<8x2xf32>
  %a = stablehlo.add %x, %i : tensor<8x2xf32>
  %j = stablehlo.iota dim = 1 : tensor<4x2xf32>
  %b = stablehlo.add %y, %j : tensor<4x2xf32>
  return %a, %b : tensor<8x2xf32>, tensor<4x2xf32>
}
)";
  const std::vector<Tensor> args = {numbers({8, 2}), numbers({4, 2})};
  std::shared_ptr<const Module> module = parse_module(text, "test");
  expect_same(run(text, args), evaluate(*module, "main", args));
}

TEST_F(SeveralDevices, RefusesMeshesOfAnotherNumberOfDevices) {
  expect_error<UserError>(kProduct, ",devices=4", R"(the mesh ["data"=2, "model"=4] has 8 devices: got devices=4)");
  expect_error<UserError>(kProduct, ",cpu_device_count=2", "the program is for 8 devices");
  expect_error<UserError>(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sdy.sharding_constraint %x <mesh<["x"=2]>, [{"x"}]> : tensor<4xf32>
  %b = sdy.sharding_constraint %a <mesh<["x"=4]>, [{"x"}]> : tensor<4xf32>
  return %b : tensor<4xf32>
})",
                          "", "meshes of 2 and of 4 devices");
  EXPECT_THROW(get_target("pjrt:" + plugin_path() + ",devices=many"), UserError);
}

TEST_F(SeveralDevices, ChecksWhatIsCutOnTheHost) {
  const std::string text = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = sdy.sharding_constraint %x <mesh<["x"=2]>, [{"x"}]> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %p = stablehlo.compare GE, %c, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  "weft.check"(%p) <{message = "negative"}> : (tensor<4xi1>) -> ()
  %y = stablehlo.sqrt %c : tensor<4xf32>
  return %y : tensor<4xf32>
})";
  EXPECT_EQ(run(text, {Tensor::of<float>({4, 9, 0, 1}, {4})})[0].data<float>()[1], 3);
  EXPECT_THROW(run(text, {Tensor::of<float>({4, 9, 0, -1}, {4})}), UserError);
}

// Weights that never come back to the host between steps, written over themselves; by hand.
TEST_F(SeveralDevices, KeepPartsBetweenCalls) {
  const std::string text = R"(
func.func @main(%w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) {
  %c = sdy.sharding_constraint %w <mesh<["x"=2, "y"=2]>, [{"y"}, {"x"}]> : tensor<4x4xf32>
  %d = stablehlo.add %c, %c : tensor<4x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  return %d, %r : tensor<4x4xf32>, tensor<f32>
})";
  CompileOptions options;
  options.donations = {{0, 0}};
  const auto code = get_target("pjrt:" + plugin_path()).compile(parse_module(text, "test"), "main", options);
  ASSERT_EQ(code->donations().size(), 1U);
  const Tensor w = numbers({4, 4});
  float sum = 0;
  for (const float v : w.data<float>()) sum += v;
  std::shared_ptr<DeviceValue> now = code->put(0, w);
  for (int i = 0; i < 3; ++i) {
    const auto call = code->start(std::vector{now}, false);
    EXPECT_TRUE(now->is_donated());
    now = call->results()[0];
    EXPECT_TRUE(code->is_in_place(0, *now));
    EXPECT_EQ(call->results()[1]->read().scalar<float>(), sum * static_cast<float>(1 << i));
  }
  const Tensor last = now->read();
  for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(last.data<float>()[i], 8 * w.data<float>()[i]);
}

// Each device scales its rows by its number and sums columns over all devices; by hand.
TEST_F(SeveralDevices, RunManualComputations) {
  const std::string text = R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    %i = stablehlo.partition_id : tensor<ui32>
    %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
    %s = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %c = stablehlo.multiply %b, %s : tensor<2xf32>
    %g = "stablehlo.all_reduce"(%b) ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<2xf32>) -> tensor<2xf32>
    sdy.return %c, %g : tensor<2xf32>, tensor<2xf32>
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
})";
  const std::vector<Tensor> y = run(text, {Tensor::of<float>({1, 2, 3, 4}, {4})});
  const std::vector<float> scaled = {0, 0, 3, 4}, summed = {4, 6};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(y[0].data<float>()[i], scaled[i]) << i;
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(y[1].data<float>()[i], summed[i]) << i;
  expect_error<Unsupported>(text, ",devices=1", "[sdy.manual_computation] on one device");
}

TEST_F(SeveralDevices, LoadCodeThatWasCut) {
  const std::string text = R"(
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c = sdy.sharding_constraint %x <mesh<["x"=2, "y"=2]>, [{"y"}, {"x"}]> : tensor<4x2xf32>
  %d = stablehlo.add %c, %c : tensor<4x2xf32>
  return %d : tensor<4x2xf32>
})";
  const auto client = pjrt::client_of(plugin_path());
  pjrt::DistributedProgram program = pjrt::cut_program(*parse_module(text, "test"), "main", 4, {});
  const auto code = client->compile(program.text.text, program.settings);
  const pjrt::DeviceCode file = {.plugin = "cpu",
                                 .topology = "here",
                                 .entry = "main",
                                 .arg_types = program.arg_types,
                                 .result_types = program.computed_types,
                                 .arg_shardings = program.arg_shardings,
                                 .result_shardings = program.result_shardings,
                                 .checks = "",
                                 .code = code->code().serialize()};
  const std::string bytes = pjrt::write_device_code(file);
  const auto loaded = pjrt::load_device_code(client, pjrt::read_device_code(bytes, "test"));
  const Tensor x = numbers({4, 2});
  const Tensor y = loaded->run(std::span(&x, 1))[0];
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(y.data<float>()[i], 2 * x.data<float>()[i]) << i;
  EXPECT_NE(loaded->explain().find("for 4 devices"), std::string::npos) << loaded->explain();
}

// Two processes with data of their own; the sum of squares of all of it, by hand.
constexpr const char* kProcesses = R"(
func.func @norm(%x: tensor<2xf32>) -> (tensor<f32>, tensor<ui32>) {
  %s = stablehlo.multiply %x, %x : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %a = "stablehlo.all_reduce"(%r) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %t = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
  %i = stablehlo.partition_id : tensor<ui32>
  return %a, %i : tensor<f32>, tensor<ui32>
}
func.func @main(%x: tensor<2xf32>) -> (tensor<f32>, tensor<f32>, tensor<ui32>, tensor<2xf32>) {
  %y = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %r:8 = "interpreter.run_parallel"(%x, %x, %y, %y) {programs = [[@norm, @norm], [@norm, @norm]]} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<ui32>, tensor<f32>, tensor<ui32>, tensor<f32>, tensor<ui32>, tensor<f32>, tensor<ui32>)
  return %r#0, %r#6, %r#7, %y : tensor<f32>, tensor<f32>, tensor<ui32>, tensor<2xf32>
}
)";

TEST_F(SeveralDevices, RunsProcesses) {
  const std::vector<Tensor> y = run(kProcesses, {Tensor::of<float>({1, 2}, {2})});
  EXPECT_EQ(y[0].scalar<float>(), 30);
  EXPECT_EQ(y[1].scalar<float>(), 30);
  EXPECT_EQ(y[2].scalar<uint32_t>(), 1U);
  EXPECT_EQ(y[3].data<float>()[1], 4);
  expect_error<UserError>(kProcesses, ",devices=2", "program of 4 processes: got devices=2");
}

TEST_F(SeveralDevices, RefusesProcessesOfDifferentPrograms) {
  expect_error<Unsupported>(R"(
func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@f], [@g]]} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
})",
                            "", "@f and @g: a plugin runs one program on all devices");
  expect_error<Unsupported>(R"(
func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %y = stablehlo.add %x, %x : tensor<f32>
  %r:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@f], [@f]]} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
})",
                            "", "[stablehlo.add] makes what processes take");
}

// Each of three replicas adds its number; 0 + 1 + 2 by hand.
TEST_F(SeveralDevices, RunsAnEntryWithCollectivesOnAllDevices) {
  const std::string text = R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %i = stablehlo.replica_id : tensor<ui32>
  %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
  %s = stablehlo.add %x, %f : tensor<f32>
  %a = "stablehlo.all_reduce"(%s) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %t = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
})";
  const std::vector<Tensor> x = {Tensor::scalar_of<float>(10)};
  EXPECT_EQ(run(text, x, ",devices=3")[0].scalar<float>(), 33);
  EXPECT_EQ(run(text, x)[0].scalar<float>(), 10);
}

// What no CPU plugin has: bits arrive as they are, minus zero and the payload of a NaN included.
TEST_F(SeveralDevices, BroadcastsBits) {
  const std::string text = R"(
func.func @f(%x: tensor<3xf32>, %h: tensor<2xbf16>, %c: tensor<1xcomplex<f32>>, %p: tensor<2xi1>, %root: tensor<4xi32>) -> (tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>) {
  %r:4 = "stablehlo.collective_broadcast"(%x, %h, %c, %p, %root) {replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>, has_dynamic_root = true} : (tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<4xi32>) -> (tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>
}
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<3xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %h = stablehlo.constant dense<[-0.0, 3.0]> : tensor<2xbf16>
  %h0 = stablehlo.constant dense<1.0> : tensor<2xbf16>
  %c = stablehlo.constant dense<(-0.0, 5.0)> : tensor<1xcomplex<f32>>
  %c0 = stablehlo.constant dense<(1.0, 1.0)> : tensor<1xcomplex<f32>>
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %p0 = stablehlo.constant dense<true> : tensor<2xi1>
  %root = stablehlo.constant dense<1> : tensor<4xi32>
  %r:12 = "interpreter.run_parallel"(%x, %h, %c, %p, %root, %one, %h0, %c0, %p0, %root, %one, %h0, %c0, %p0, %root) {programs = [[@f], [@f], [@f]]} : (tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<4xi32>, tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<4xi32>, tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<4xi32>) -> (tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>)
  return %r#8, %r#9, %r#10, %r#11, %r#4 : tensor<3xf32>, tensor<2xbf16>, tensor<1xcomplex<f32>>, tensor<2xi1>, tensor<3xf32>
})";
  Tensor x = Tensor::of<float>({-0.0F, 7, 0}, {3});
  const uint32_t nan = 0x7fc12345;
  std::memcpy(x.mutable_data<float>() + 2, &nan, sizeof nan);
  std::shared_ptr<const Module> module = parse_module(text, "test");
  const std::vector<Tensor> got = run(text, {x}), expected = evaluate(*module, "main", std::span(&x, 1));
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(std::memcmp(got[i].raw(), expected[i].raw(), expected[i].size_bytes()), 0) << i;
  EXPECT_EQ(std::memcmp(got[0].raw(), x.raw(), x.size_bytes()), 0) << "process 2 got the data of process 0";
  EXPECT_EQ(got[4].data<float>()[1], 0) << "process 1 is in no group";
}

}  // namespace
}  // namespace weft
