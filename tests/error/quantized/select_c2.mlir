func.func @main(%x: tensor<2x2xi1>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, %z: tensor<2x2x!quant.uniform<i16:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.select"(%x, %y, %z) : (tensor<2x2xi1>, tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i16:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>  // error: (select_c2)
  return %r : tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
}
