func.func @main(%x0: tensor<6xf32>, %x1: tensor<2xi64>) -> (tensor<3x3xf32>) {
  %0 = "stablehlo.dynamic_reshape"(%x0, %x1) : (tensor<6xf32>, tensor<2xi64>) -> (tensor<3x3xf32>)  // error: (dynamic_reshape_c2)
  return %0 : tensor<3x3xf32>
}
