func.func @main(%x0: tensor<3xf32>, %x1: tensor<3xf32>) -> (tensor<6xf32>) {
  %0 = "stablehlo.concatenate"(%x0, %x1) {dimension = 1 : i64} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<6xf32>)  // error: (concatenate_c4)
  return %0 : tensor<6xf32>
}
