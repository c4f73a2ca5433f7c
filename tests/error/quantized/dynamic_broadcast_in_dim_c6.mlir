func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>, %y: tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>> {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %y) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>>  // error: (dynamic_broadcast_in_dim_c6)
  return %r : tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 2.0}>>
}
