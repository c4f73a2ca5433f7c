func.func @main(%x0: tensor<2xf32>) -> (tensor<?x2xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%x0) {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>) -> (tensor<?x2xf32>)  // error: expected a tensor of known extents
  return %0 : tensor<?x2xf32>
}
