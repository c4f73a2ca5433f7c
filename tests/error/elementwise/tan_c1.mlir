func.func @main(%x0: tensor<3xf32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.tan"(%x0) : (tensor<3xf32>) -> (tensor<4xf32>)  // error: (tan_c1)
  return %0 : tensor<4xf32>
}
