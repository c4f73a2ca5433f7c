func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>> {
  %r = "stablehlo.reshape"(%x) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>>  // error: (reshape_c3)
  return %r : tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>>
}
