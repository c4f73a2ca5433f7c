func.func @main(%x0: tensor<6xf32>) -> (tensor<3x3xf32>) {
  %0 = "stablehlo.reshape"(%x0) : (tensor<6xf32>) -> (tensor<3x3xf32>)  // error: (reshape_c2)
  return %0 : tensor<3x3xf32>
}
