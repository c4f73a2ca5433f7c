func.func @main(%x0: tensor<4x4xf32>) -> (tensor<4x5xf32>) {
  %0 = "stablehlo.collective_permute"(%x0) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> (tensor<4x5xf32>)  // error: (collective_permute_c5)
  return %0 : tensor<4x5xf32>
}
