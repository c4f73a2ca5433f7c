func.func @main(%x: tensor<2x2xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<2x2xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>  // error: (uniform_quantize_c1)
  return %r : tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>
}
