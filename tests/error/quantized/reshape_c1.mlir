func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 4.0}>> {
  %r = "stablehlo.reshape"(%x) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 4.0}>>  // error: (reshape_c1)
  return %r : tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 4.0}>>
}
