// A slice size of 0 along a collapsed dimension is allowed (constraint C9: at most 1); the start is clamped to an element that exists.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %part = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %i = stablehlo.constant dense<[[5], [0], [1]]> : tensor<3x1xui8>
  %r = "stablehlo.gather"(%part, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 0>}> : (tensor<2xf32>, tensor<3x1xui8>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[2.0, 1.0, 2.0]> : tensor<3xf32>
  return
}
