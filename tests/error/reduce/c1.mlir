func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x5xf32>, %c: tensor<f32>, %d: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = "stablehlo.reduce"(%a, %b, %c, %d) ({  // error: (reduce_c1)
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    %z = stablehlo.add %p, %r : tensor<f32>
    stablehlo.return %z, %z : tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}
