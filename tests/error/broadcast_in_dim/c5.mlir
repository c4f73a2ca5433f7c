func.func @main(%x0: tensor<2xf32>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%x0) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>) -> (tensor<3x2xf32>)  // error: (broadcast_in_dim_c5)
  return %0 : tensor<3x2xf32>
}
