func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i16:f32, 0.5:1>> {
  %r = "stablehlo.abs"(%x) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i16:f32, 0.5:1>>  // error: (abs_c2)
  return %r : tensor<2x2x!quant.uniform<i16:f32, 0.5:1>>
}
