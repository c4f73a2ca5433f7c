func.func @main(%x0: tensor<4x4xf32>) -> (tensor<2x4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%x0) ({  // error: (reduce_scatter_c4)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %s = stablehlo.add %r0, %r1 : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 3]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> (tensor<2x4xf32>)
  return %0 : tensor<2x4xf32>
}
