func.func @main(%x0: tensor<4x4xf32>, %x1: tensor<2xi32>) -> (tensor<4x4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%x0, %x1) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4x4xf32>, tensor<2xi32>) -> (tensor<4x4xf32>)  // error: (collective_broadcast_c4)
  return %0 : tensor<4x4xf32>
}
