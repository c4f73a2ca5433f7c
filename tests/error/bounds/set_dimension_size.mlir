func.func @main(%a: tensor<4x2xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x2xf32>, tensor<i32>) -> tensor<5x2xf32>  // error: expected tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  return
}
