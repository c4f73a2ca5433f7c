func.func @main(%x0: tensor<3xf32>) -> (tensor<3xf64>) {
  %0 = "stablehlo.sort"(%x0) ({  // error: (sort_c2)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %c = stablehlo.compare LT, %r0, %r1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<3xf32>) -> (tensor<3xf64>)
  return %0 : tensor<3xf64>
}
