// Updates of one buffer under several conditions in a loop happen in place: no copy in a trip.
#include <gtest/gtest.h>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

// x[i] becomes x[i] + 1 where i < 6 and then 10 x[i] where i > 3.
constexpr const char* kTwoConditions = R"(
func.func @main(%x: tensor<8xf64>) -> tensor<8xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<8> : tensor<i64>
  %six = stablehlo.constant dense<6> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %more = stablehlo.constant dense<1.0> : tensor<1xf64>
  %times = stablehlo.constant dense<10.0> : tensor<1xf64>
  %0:2 = stablehlo.while(%i = %zero, %p = %x) : tensor<i64>, tensor<8xf64>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %low = stablehlo.compare LT, %i, %six : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %q = "stablehlo.if"(%low) ({
      %s = stablehlo.dynamic_slice %p, %i, sizes = [1] : (tensor<8xf64>, tensor<i64>) -> tensor<1xf64>
      %t = stablehlo.add %s, %more : tensor<1xf64>
      %u = stablehlo.dynamic_update_slice %p, %t, %i : (tensor<8xf64>, tensor<1xf64>, tensor<i64>) -> tensor<8xf64>
      stablehlo.return %u : tensor<8xf64>
    }, {
      stablehlo.return %p : tensor<8xf64>
    }) : (tensor<i1>) -> tensor<8xf64>
    %high = stablehlo.compare GT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %r = "stablehlo.if"(%high) ({
      %s = stablehlo.dynamic_slice %q, %i, sizes = [1] : (tensor<8xf64>, tensor<i64>) -> tensor<1xf64>
      %t = stablehlo.multiply %s, %times : tensor<1xf64>
      %u = stablehlo.dynamic_update_slice %q, %t, %i : (tensor<8xf64>, tensor<1xf64>, tensor<i64>) -> tensor<8xf64>
      stablehlo.return %u : tensor<8xf64>
    }, {
      stablehlo.return %q : tensor<8xf64>
    }) : (tensor<i1>) -> tensor<8xf64>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %r : tensor<i64>, tensor<8xf64>
  }
  return %0#1 : tensor<8xf64>
})";

TEST(ConditionalUpdates, TwoInARowCopyNothing) {
  const std::shared_ptr<Module> module = parse_module(kTwoConditions, "conditions");
  const auto executable = native_target().compile(module, "main");
  EXPECT_EQ(executable->explain().find("copy:"), std::string::npos) << executable->explain();
  const std::vector<Tensor> in = {Tensor::of<double>({0, 1, 2, 3, 4, 5, 6, 7}, {8})};
  const std::vector<Tensor> got = executable->run(in);
  const double want[] = {1, 2, 3, 4, 50, 60, 60, 70};
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(got[0].data<double>()[i], want[i]) << i;
}

}  // namespace
}  // namespace weft
