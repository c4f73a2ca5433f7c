func.func @main(%a: tensor<4x6xf32>, %b: tensor<2x3xf32>, %c: tensor<f32>) -> (tensor<4x6xf32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) ({  // error: (select_and_scatter_c6)
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %z = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %z = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> (tensor<4x6xf32>)
  return %0 : tensor<4x6xf32>
}
