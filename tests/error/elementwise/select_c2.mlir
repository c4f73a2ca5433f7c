func.func @main(%x0: tensor<3xi1>, %x1: tensor<3xf32>, %x2: tensor<3xf64>) -> (tensor<3xf32>) {
  %0 = "stablehlo.select"(%x0, %x1, %x2) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf64>) -> (tensor<3xf32>)  // error: (select_c2)
  return %0 : tensor<3xf32>
}
