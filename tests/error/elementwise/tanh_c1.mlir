func.func @main(%x0: tensor<3xf32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.tanh"(%x0) : (tensor<3xf32>) -> (tensor<4xf32>)  // error: (tanh_c1)
  return %0 : tensor<4xf32>
}
