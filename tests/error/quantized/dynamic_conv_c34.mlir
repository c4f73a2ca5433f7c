func.func @main(%x: tensor<1x3x2xf64>, %y: tensor<1x2x2x!quant.uniform<i8:f32, 0.5:1>>, %z: tensor<1x2xi64>) -> tensor<1x3x2xf64> {
  %r = "stablehlo.dynamic_conv"(%x, %y, %z) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x3x2xf64>, tensor<1x2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x2xi64>) -> tensor<1x3x2xf64>  // error: (dynamic_conv_c34)
  return %r : tensor<1x3x2xf64>
}
