func.func @main(%a: tensor<4x6xf32>, %b: tensor<f32>) -> (tensor<2x4xf64>) {
  %0 = "stablehlo.reduce_window"(%a, %b) ({  // error: (reduce_window_c16)
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %z = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x6xf32>, tensor<f32>) -> (tensor<2x4xf64>)
  return %0 : tensor<2x4xf64>
}
