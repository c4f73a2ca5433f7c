func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>  // error: (uniform_dequantize_i1)
  return %r : tensor<2x2xf32>
}
