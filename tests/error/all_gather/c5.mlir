func.func @main(%x0: tensor<4x4xf32>) -> (tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%x0) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x4xf32>) -> (tensor<4x8xf32>)  // error: (all_gather_c5)
  return %0 : tensor<4x8xf32>
}
