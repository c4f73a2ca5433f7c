func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, %z: tensor<2x2x!quant.uniform<u8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.clamp"(%x, %y, %z) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<u8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>  // error: (clamp_c3)
  return %r : tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
}
