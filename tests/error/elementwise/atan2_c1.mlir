func.func @main(%x0: tensor<3xf32>, %x1: tensor<4xf32>) -> (tensor<3xf32>) {
  %0 = "stablehlo.atan2"(%x0, %x1) : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3xf32>)  // error: (atan2_c1)
  return %0 : tensor<3xf32>
}
