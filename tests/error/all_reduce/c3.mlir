func.func @main(%x0: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %0 = "stablehlo.all_reduce"(%x0) ({  // error: (all_reduce_c3)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %s = stablehlo.add %r0, %r1 : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %0 : tensor<4x4xf32>
}
