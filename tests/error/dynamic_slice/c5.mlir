func.func @main(%a: tensor<4x5xf32>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %b, %c) {slice_sizes = array<i64: 2, 3>} : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> (tensor<3x2xf32>)  // error: (dynamic_slice_c5)
  return %0 : tensor<3x2xf32>
}
