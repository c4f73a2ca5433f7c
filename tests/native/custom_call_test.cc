// Handlers registered through weft/custom_call.h: natively and by the evaluator.
#include "weft/custom_call.h"

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

/// result = data · operand, after looking at everything that it is told.
int scale(const weft_call* call) {
  if (call->num_operands != 1 || call->num_results != 1 || call->operands[0].rank != 2 ||
      call->operands[0].shape[1] != 3 || call->operands[0].element != WEFT_F32 || call->results[0].bytes != 24 ||
      std::string(call->config) != "by three" || std::string(call->target) != "test.scale") {
    std::snprintf(call->message, call->message_bytes, "told wrongly");
    return 1;
  }
  const auto* x = static_cast<const float*>(call->operands[0].data);
  for (int i = 0; i < 6; ++i) static_cast<float*>(call->results[0].data)[i] = *static_cast<float*>(call->data) * x[i];
  return 0;
}

int refuse(const weft_call* call) {
  std::snprintf(call->message, call->message_bytes, "not today");
  return 7;
}

const char* const kScale = R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @test.scale(%x) {backend_config = "by three"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
})";

std::string error_of(const std::string& target, const std::string& text, const std::vector<Tensor>& args) {
  try {
    get_target(target).compile(parse_module(text, "test"), "main")->run(args);
  } catch (const Error& e) { return e.what(); }
  return "";
}

TEST(NativeCustomCall, AHandlerOfTheProcess) {
  float factor = 3;
  ASSERT_EQ(weft_register_custom_call("test.scale", scale, &factor), 0);
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const OnBoth r = on_both(kScale, {x});
  const Tensor want = Tensor::of<float>({3, 6, 9, 12, 15, 18}, {2, 3});
  expect_same_bits(r.native[0], want, "native");
  expect_same_bits(r.eval[0], want, "evaluator");
  weft_register_custom_call("test.scale", nullptr, nullptr);
}

TEST(NativeCustomCall, FailureAndAbsence) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  weft_register_custom_call("test.scale", refuse, nullptr);
  for (const std::string target : {"native", "eval"})
    EXPECT_EQ(error_of(target, kScale, {x}), "[stablehlo.custom_call] @test.scale: not today") << target;
  weft_register_custom_call("test.scale", nullptr, nullptr);
  for (const std::string target : {"native", "eval"})
    EXPECT_EQ(error_of(target, kScale, {x}), "[stablehlo.custom_call] there is no handler for @test.scale") << target;
}

// Effects of the only process go to handlers of their names, in program order.
std::string trace;
int next_number(const weft_call* call) {
  trace += "in ";
  *static_cast<int32_t*>(call->results[0].data) = (*static_cast<int32_t*>(call->data))++;
  return 0;
}
int take_number(const weft_call* call) {
  trace += "out " + std::to_string(*static_cast<const int32_t*>(call->operands[0].data)) + " ";
  return 0;
}

TEST(NativeCustomCall, FeedsByHandlers) {
  int32_t next = 10;
  weft_register_custom_call("stablehlo.infeed", next_number, &next);
  weft_register_custom_call("stablehlo.outfeed", take_number, nullptr);
  const std::string text = R"(func.func @main() {
    %t = stablehlo.create_token : !stablehlo.token
    %a:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[]]} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %b:2 = "stablehlo.infeed"(%a#1) {infeed_config = "", layout = [[]]} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %s = stablehlo.add %a#0, %b#0 : tensor<i32>
    %u = "stablehlo.outfeed"(%s, %b#1) {outfeed_config = ""} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    return
  })";
  get_target("native").compile(parse_module(text, "test"), "main")->run({});
  EXPECT_EQ(trace, "in in out 21 ");
  for (const char* name : {"stablehlo.infeed", "stablehlo.outfeed"}) weft_register_custom_call(name, nullptr, nullptr);
}

TEST(NativeCheck, ReportsComplexValues) {
  const std::string text =
      R"(func.func @main(%p: tensor<i1>, %a: tensor<complex<f32>>, %b: tensor<complex<f64>>, %c: tensor<i32>) {
    "weft.check"(%p, %a, %b, %c) {message = "got {} and {}, step {}"} : (tensor<i1>, tensor<complex<f32>>, tensor<complex<f64>>, tensor<i32>) -> ()
    return
  })";
  const std::vector<Tensor> args = {Tensor::scalar_of(false), Tensor::scalar_of(std::complex<float>(1.5F, -2)),
                                    Tensor::scalar_of(std::complex<double>(0.25, 1e20)), Tensor::scalar_of(7)};
  for (const std::string target : {"native", "eval"})
    EXPECT_EQ(error_of(target, text, args), "got (1.5, -2.0) and (0.25, 1e+20), step 7") << target;
}

}  // namespace
}  // namespace weft::test
