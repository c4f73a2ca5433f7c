func.func @main(%x0: tensor<4xf32>) -> (tensor<2xf32>) {
  %0 = "stablehlo.slice"(%x0) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>) -> (tensor<2xf32>)  // error: (slice_c2)
  return %0 : tensor<2xf32>
}
