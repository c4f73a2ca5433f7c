func.func @main(%a: tensor<3x4xf32>, %b: tensor<f32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.reduce"(%a, %b) ({  // error: (reduce_c7)
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %z = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<f32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
