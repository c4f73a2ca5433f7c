// A choice by row between an array and the same with a part overwritten, as masked loops over lanes make it.
func.func @slice_by_lane() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %u = stablehlo.constant dense<[[-1.0], [-5.0]]> : tensor<2x1xf32>
  %live = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %far = stablehlo.constant dense<9> : tensor<i32>
  %p = stablehlo.broadcast_in_dim %live, dims = [0] : (tensor<2xi1>) -> tensor<2x4xi1>
  %new = stablehlo.dynamic_update_slice %x, %u, %zero, %far : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %r = stablehlo.select %p, %new, %x : tensor<2x4xi1>, tensor<2x4xf32>
  check.expect_eq_const %r, dense<[[1.0, 2.0, 3.0, -1.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  return
}
// The predicate differs within the part that is overwritten.
func.func @slice_by_column() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %u = stablehlo.constant dense<[[-1.0], [-5.0]]> : tensor<2x1xf32>
  %live = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %p = stablehlo.broadcast_in_dim %live, dims = [1] : (tensor<4xi1>) -> tensor<2x4xi1>
  %new = stablehlo.dynamic_update_slice %x, %u, %zero, %two : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %r = stablehlo.select %p, %new, %x : tensor<2x4xi1>, tensor<2x4xf32>
  check.expect_eq_const %r, dense<[[1.0, 2.0, -1.0, 4.0], [5.0, 6.0, -5.0, 8.0]]> : tensor<2x4xf32>
  return
}
func.func @slice_by_one_predicate() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %u = stablehlo.constant dense<[-2.0]> : tensor<1xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %no = stablehlo.compare LT, %one, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %new = stablehlo.dynamic_update_slice %x, %u, %one : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
  %r = stablehlo.select %no, %new, %x : tensor<i1>, tensor<4xf32>
  check.expect_eq_const %r, dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return
}
// Lane 0 writes row 1, lane 1 is not live, lane 2 writes outside, which is dropped.
func.func @rows_by_lane() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]], [[13.0, 14.0], [15.0, 16.0], [17.0, 18.0]]]> : tensor<3x3x2xf32>
  %i = stablehlo.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]]> : tensor<3x2xf32>
  %live = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %p = stablehlo.broadcast_in_dim %live, dims = [0] : (tensor<3xi1>) -> tensor<3x3x2xi1>
  %new = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x3x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<3x3x2xf32>
  %r = stablehlo.select %p, %new, %x : tensor<3x3x2xi1>, tensor<3x3x2xf32>
  check.expect_eq_const %r, dense<[[[1.0, 2.0], [-1.0, -2.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]], [[13.0, 14.0], [15.0, 16.0], [17.0, 18.0]]]> : tensor<3x3x2xf32>
  return
}
func.func @main() {
  func.call @slice_by_lane() : () -> ()
  func.call @slice_by_column() : () -> ()
  func.call @slice_by_one_predicate() : () -> ()
  func.call @rows_by_lane() : () -> ()
  return
}
