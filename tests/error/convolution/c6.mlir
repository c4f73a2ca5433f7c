func.func @main(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) -> (tensor<2x6x6x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) {window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 0, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> (tensor<2x6x6x6xf32>)  // error: (convolution_c6)
  return %0 : tensor<2x6x6x6xf32>
}
