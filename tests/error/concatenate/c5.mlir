func.func @main(%x0: tensor<3xf32>, %x1: tensor<3xf32>) -> (tensor<6xf64>) {
  %0 = "stablehlo.concatenate"(%x0, %x1) {dimension = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<6xf64>)  // error: (concatenate_c5)
  return %0 : tensor<6xf64>
}
