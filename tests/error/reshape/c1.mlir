func.func @main(%x0: tensor<6xf32>) -> (tensor<3x2xf64>) {
  %0 = "stablehlo.reshape"(%x0) : (tensor<6xf32>) -> (tensor<3x2xf64>)  // error: (reshape_c1)
  return %0 : tensor<3x2xf64>
}
