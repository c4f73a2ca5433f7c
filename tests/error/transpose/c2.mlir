func.func @main(%x0: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.transpose"(%x0) {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)  // error: (transpose_c2)
  return %0 : tensor<3x2xf32>
}
