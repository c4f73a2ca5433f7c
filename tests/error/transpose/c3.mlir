func.func @main(%x0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.transpose"(%x0) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)  // error: (transpose_c3)
  return %0 : tensor<2x3xf32>
}
