func.func @main(%x0: tensor<3xf32>, %x1: tensor<3xf32>) -> (tensor<3xf32>) {
  %0 = "stablehlo.map"(%x0, %x1) ({  // error: (map_c4)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>, %r2: tensor<f32>):
    %s = stablehlo.add %r0, %r1 : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  return %0 : tensor<3xf32>
}
