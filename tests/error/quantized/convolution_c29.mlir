func.func @main(%x: tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<1x2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.convolution"(%x, %y) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>  // error: (convolution_c29)
  return %r : tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>
}
