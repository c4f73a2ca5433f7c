func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>, %y: tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>> {
  %r = "stablehlo.dynamic_reshape"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>>  // error: (dynamic_reshape_c3)
  return %r : tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>>
}
