func.func @main(%x0: tensor<3xf32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.exponential_minus_one"(%x0) : (tensor<3xf32>) -> (tensor<4xf32>)  // error: (exponential_minus_one_c1)
  return %0 : tensor<4xf32>
}
