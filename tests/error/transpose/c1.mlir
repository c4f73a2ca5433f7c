func.func @main(%x0: tensor<2x3xf32>) -> (tensor<3x2xf64>) {
  %0 = "stablehlo.transpose"(%x0) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> (tensor<3x2xf64>)  // error: (transpose_c1)
  return %0 : tensor<3x2xf64>
}
