func.func @main(%x: tensor<3x3xf32>) -> (tensor<3x4xf32>) {
  %0 = "stablehlo.cholesky"(%x) {lower = true} : (tensor<3x3xf32>) -> (tensor<3x4xf32>)  // error: (cholesky_c1)
  return %0 : tensor<3x4xf32>
}
