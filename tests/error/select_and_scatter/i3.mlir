func.func @main(%x: tensor<4x4xf32>, %y: tensor<2x2xf32>, %i: tensor<1xf32>) -> (tensor<4x4xf32>) {
  %0 = "stablehlo.select_and_scatter"(%x, %y, %i) ({  // error: (select_and_scatter_i3)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %c = stablehlo.compare LT, %r0, %r1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %s = stablehlo.add %r0, %r1 : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<1xf32>) -> (tensor<4x4xf32>)
  return %0 : tensor<4x4xf32>
}
