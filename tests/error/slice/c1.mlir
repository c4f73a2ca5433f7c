func.func @main(%x0: tensor<4xf32>) -> (tensor<2xf64>) {
  %0 = "stablehlo.slice"(%x0) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>) -> (tensor<2xf64>)  // error: (slice_c1)
  return %0 : tensor<2xf64>
}
