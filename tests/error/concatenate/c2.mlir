func.func @main(%x0: tensor<3x2xf32>, %x1: tensor<3x3xf32>) -> (tensor<6x2xf32>) {
  %0 = "stablehlo.concatenate"(%x0, %x1) {dimension = 0 : i64} : (tensor<3x2xf32>, tensor<3x3xf32>) -> (tensor<6x2xf32>)  // error: (concatenate_c2)
  return %0 : tensor<6x2xf32>
}
