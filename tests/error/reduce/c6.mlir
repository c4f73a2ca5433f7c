func.func @main(%a: tensor<3x4xf32>, %b: tensor<f32>) -> (tensor<3xf32>) {
  %0 = "stablehlo.reduce"(%a, %b) ({  // error: (reduce_c6)
  ^bb0(%p: tensor<f16>, %q: tensor<f16>):
    %z = stablehlo.add %p, %q : tensor<f16>
    stablehlo.return %z : tensor<f16>
  }) {dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<f32>) -> (tensor<3xf32>)
  return %0 : tensor<3xf32>
}
