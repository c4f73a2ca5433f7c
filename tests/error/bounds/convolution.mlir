// Images: 8 at most. Rows: 10 at most, windows of 3.
func.func @main(%a: tensor<?x?x4xf32, #stablehlo.bounds<8, 10, ?>>, %k: tensor<3x4x5xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x?x4xf32, #stablehlo.bounds<8, 10, ?>>, tensor<3x4x5xf32>) -> tensor<8x9x5xf32>  // error: expected tensor<?x?x5xf32, #stablehlo.bounds<8, 8, ?>>
  return
}
