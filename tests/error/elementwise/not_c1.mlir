func.func @main(%x0: tensor<3xi32>) -> (tensor<4xi32>) {
  %0 = "stablehlo.not"(%x0) : (tensor<3xi32>) -> (tensor<4xi32>)  // error: (not_c1)
  return %0 : tensor<4xi32>
}
