func.func @main(%x0: tensor<4x4xf32>) -> (tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%x0) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> (tensor<4x8xf32>)  // error: (all_to_all_c9)
  return %0 : tensor<4x8xf32>
}
