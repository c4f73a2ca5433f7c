// 4 elements, two more on each side, windows of 5: (4 + 4 - 5) / 3 + 1.
func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4>>, %v: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %v) ({  // error: expected tensor<?xf32, #stablehlo.bounds<2>>
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {padding = dense<2> : tensor<1x2xi64>, window_dimensions = array<i64: 5>, window_strides = array<i64: 3>} : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<3xf32>
  return
}
