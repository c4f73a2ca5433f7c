func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xi8> {
  %r = "stablehlo.map"(%x) ({  // error: (map_c4)
  ^bb0(%p: tensor<i8>):
    stablehlo.return %p : tensor<i8>
  }) {dimensions = array<i64: 0>} : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}
