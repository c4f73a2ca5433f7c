// A sum keeps its running value in f32 whichever form of add its body holds: rounded at each step it would stall at 256.
func.func @main() {
  %ones = stablehlo.constant dense<1.0> : tensor<300xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %plain = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %plain, dense<300.0> : tensor<bf16>
  %broadcast = stablehlo.reduce(%ones init: %zero) across dimensions = [0] : (tensor<300xbf16>, tensor<bf16>) -> tensor<bf16>
   reducer(%a: tensor<bf16>, %b: tensor<bf16>) {
    %s = chlo.broadcast_add %b, %a : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }
  check.expect_eq_const %broadcast, dense<300.0> : tensor<bf16>
  return
}
