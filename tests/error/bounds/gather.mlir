func.func @main(%a: tensor<2x4x9xi32>, %i: tensor<2x?x?xi32, #stablehlo.bounds<?, 32, 64>>) {
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 8>} : (tensor<2x4x9xi32>, tensor<2x?x?xi32, #stablehlo.bounds<?, 32, 64>>) -> tensor<33x64x8xi32>  // error: expected tensor<?x?x8xi32, #stablehlo.bounds<32, 64, ?>>
  return
}
