func.func @main(%a: tensor<4x5xf32>, %b: tensor<i32>, %c: tensor<i64>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} : (tensor<4x5xf32>, tensor<i32>, tensor<i64>) -> (tensor<2x3xf32>)  // error: (dynamic_slice_c3)
  return %0 : tensor<2x3xf32>
}
