func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>  // error: (uniform_quantize_o1)
  return %r : tensor<2x2xf32>
}
