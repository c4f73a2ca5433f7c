func.func @main() -> tensor<2x3x2xf32> {
  %x = stablehlo.constant dense<1.5> : tensor<2x3x2xf32>
  %m = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %n = stablehlo.constant dense<[1.0, 2.5, 3.0]> : tensor<3xf32>
  %v = stablehlo.constant dense<0.0> : tensor<3xf32>
  %d = stablehlo.constant dense<0.0> : tensor<2x3x2xf32>
  %b = stablehlo.optimization_barrier %x : tensor<2x3x2xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%b, %m, %n, %v, %d) <{epsilon = 0.25 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<2x3x2xf32>
}
