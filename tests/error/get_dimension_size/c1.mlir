func.func @main(%x0: tensor<2x3xf32>) -> (tensor<i32>) {
  %0 = "stablehlo.get_dimension_size"(%x0) {dimension = 2 : i64} : (tensor<2x3xf32>) -> (tensor<i32>)  // error: (get_dimension_size_c1)
  return %0 : tensor<i32>
}
