func.func @main(%x0: tensor<3x5x3xf32>, %x1: tensor<3x3x2xf32>, %x2: tensor<1x2xi64>) -> (tensor<?x?x?xf32>) {
  %0 = "stablehlo.dynamic_conv"(%x0, %x1, %x2) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_strides = array<i64: 1>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<3x5x3xf32>, tensor<3x3x2xf32>, tensor<1x2xi64>) -> (tensor<?x?x?xf32>)  // error: (dynamic_conv_c10)
  return %0 : tensor<?x?x?xf32>
}
