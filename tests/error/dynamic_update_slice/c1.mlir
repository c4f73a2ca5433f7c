func.func @main(%a: tensor<4x5xf32>, %b: tensor<2x3xf32>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<5x4xf32>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) {} : (tensor<4x5xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> (tensor<5x4xf32>)  // error: (dynamic_update_slice_c1)
  return %0 : tensor<5x4xf32>
}
