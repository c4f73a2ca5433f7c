func.func @main(%a: tensor<4x6xf32>, %b: tensor<4x5xf32>, %c: tensor<f32>, %d: tensor<f32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0:2 = "stablehlo.reduce_window"(%a, %b, %c, %d) ({  // error: (reduce_window_c2)
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    %z = stablehlo.add %p, %r : tensor<f32>
    stablehlo.return %z, %z : tensor<f32>, tensor<f32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x6xf32>, tensor<4x5xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<2x4xf32>
}
