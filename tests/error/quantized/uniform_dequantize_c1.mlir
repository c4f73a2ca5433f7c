func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x3xf32> {
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x3xf32>  // error: (uniform_dequantize_c1)
  return %r : tensor<2x3xf32>
}
