func.func @main(%x0: tensor<4x4xf32>, %x1: tensor<3x3x3xf32>) -> (tensor<3x3xf32>) {
  %0 = "stablehlo.reduce_window"(%x0, %x1) ({  // error: (reduce_window_i2)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %s = stablehlo.add %r0, %r1 : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<4x4xf32>, tensor<3x3x3xf32>) -> (tensor<3x3xf32>)
  return %0 : tensor<3x3xf32>
}
