func.func @main(%x0: tensor<2x3xf32>, %x1: tensor<i32>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.set_dimension_size"(%x0, %x1) {dimension = 2 : i64} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>)  // error: (set_dimension_size_c1)
  return %0 : tensor<2x3xf32>
}
