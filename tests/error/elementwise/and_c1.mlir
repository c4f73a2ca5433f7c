func.func @main(%x0: tensor<3xi32>, %x1: tensor<4xi32>) -> (tensor<3xi32>) {
  %0 = "stablehlo.and"(%x0, %x1) : (tensor<3xi32>, tensor<4xi32>) -> (tensor<3xi32>)  // error: (and_c1)
  return %0 : tensor<3xi32>
}
