func.func @main(%x0: tensor<4x4xf32>) -> (tensor<4x5xf32>) {
  %0 = "stablehlo.collective_broadcast"(%x0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> (tensor<4x5xf32>)  // error: (collective_broadcast_c3)
  return %0 : tensor<4x5xf32>
}
