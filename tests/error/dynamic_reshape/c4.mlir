func.func @main(%x0: tensor<6xf32>, %x1: tensor<3xi64>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.dynamic_reshape"(%x0, %x1) : (tensor<6xf32>, tensor<3xi64>) -> (tensor<3x2xf32>)  // error: (dynamic_reshape_c4)
  return %0 : tensor<3x2xf32>
}
