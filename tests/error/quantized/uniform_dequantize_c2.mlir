func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2xf16> {
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2xf16>  // error: (uniform_dequantize_c2)
  return %r : tensor<2x2xf16>
}
