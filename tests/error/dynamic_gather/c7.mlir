func.func @main(%x0: tensor<4x3xf32>, %x1: tensor<5x1xi32>, %x2: tensor<2xi64>) -> (tensor<5xf32>) {
  %0 = "stablehlo.dynamic_gather"(%x0, %x1, %x2) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<2xi64>) -> (tensor<5xf32>)  // error: (dynamic_gather_c7)
  return %0 : tensor<5xf32>
}
