func.func @main(%x0: tensor<3xf32>, %x1: tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.sort"(%x0, %x1) ({  // error: (sort_c3)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>, %r2: tensor<f32>, %r3: tensor<f32>):
    %c = stablehlo.compare LT, %r0, %r1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<4xf32>
}
