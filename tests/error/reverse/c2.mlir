func.func @main(%x0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.reverse"(%x0) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)  // error: (reverse_c2)
  return %0 : tensor<2x3xf32>
}
