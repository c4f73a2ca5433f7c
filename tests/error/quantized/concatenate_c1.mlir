func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4x2x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.concatenate"(%x, %y) {dimension = 0 : i64} : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4x2x!quant.uniform<i8:f32, 0.5:1>>  // error: (concatenate_c1)
  return %r : tensor<4x2x!quant.uniform<i8:f32, 0.5:1>>
}
