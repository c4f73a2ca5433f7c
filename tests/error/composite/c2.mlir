func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my.f" %a {decomposition = @f} : (tensor<f32>) -> tensor<f32>  // error: [stablehlo.composite] decomposition: got @f
  return %0 : tensor<f32>
}
