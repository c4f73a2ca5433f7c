func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f16, 0.5:1>> {
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f16, 0.5:1>>  // error: (uniform_quantize_c2)
  return %r : tensor<2x2x!quant.uniform<i8:f16, 0.5:1>>
}
