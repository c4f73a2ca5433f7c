func.func @main(%p: tensor<i1>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %inner = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %inner : tensor<f32>
  }, {
    stablehlo.return %inner : tensor<f32>  // error: %inner is not defined here
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
