func.func @main(%x0: tensor<2xf32>, %x1: tensor<2xi64>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x0, %x1) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)  // error: (dynamic_broadcast_in_dim_c2)
  return %0 : tensor<3x2xf32>
}
