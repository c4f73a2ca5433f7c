func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 4.0}>> {
  %r = "stablehlo.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 4.0}>>  // error: (transpose_c1)
  return %r : tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 4.0}>>
}
