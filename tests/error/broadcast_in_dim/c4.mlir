func.func @main(%x0: tensor<2x2xf32>) -> (tensor<2x2xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%x0) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<2x2xf32>) -> (tensor<2x2xf32>)  // error: (broadcast_in_dim_c4)
  return %0 : tensor<2x2xf32>
}
