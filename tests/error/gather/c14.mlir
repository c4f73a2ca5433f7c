func.func @main(%a: tensor<3x4x2xf32>, %b: tensor<2x3x2xi64>) -> (tensor<2x3x2xf32>) {
  %0 = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [2, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>) -> (tensor<2x3x2xf32>)  // error: (gather_c14)
  return %0 : tensor<2x3x2xf32>
}
