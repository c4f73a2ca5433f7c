func.func @main(%x0: tensor<3xf32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.logistic"(%x0) : (tensor<3xf32>) -> (tensor<4xf32>)  // error: (logistic_c1)
  return %0 : tensor<4xf32>
}
