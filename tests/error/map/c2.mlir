func.func @main() -> (tensor<3xf32>) {
  %0 = "stablehlo.map"() ({  // error: (map_c2)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %s = stablehlo.add %r0, %r1 : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : () -> (tensor<3xf32>)
  return %0 : tensor<3xf32>
}
