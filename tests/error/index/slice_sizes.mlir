func.func @main(%a: tensor<?x4xf32>, %i: tensor<1xi64>, %sizes: tensor<2xindex>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true} : (tensor<?x4xf32>, tensor<1xi64>, tensor<2xindex>) -> tensor<?x?xf32>  // error: (dynamic_gather_i3)
  return
}
