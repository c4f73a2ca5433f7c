func.func @main(%x0: tensor<3xf32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.round_nearest_even"(%x0) : (tensor<3xf32>) -> (tensor<4xf32>)  // error: (round_nearest_even_c1)
  return %0 : tensor<4xf32>
}
