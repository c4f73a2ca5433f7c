// The gradient by a table of which rows 4, 1, 4 and, by an index beyond its end, 4 are read: indices within the table, and a row for each read. The
// same rows summed by index are the whole gradient. A table that nothing reads has none.
func.func @loss(%table: tensor<5x2xf64>, %ids: tensor<3xi32>, %one: tensor<1xi64>, %unused: tensor<2x2xf32>) -> tensor<f64> {
  %0 = "stablehlo.gather"(%table, %ids) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>} : (tensor<5x2xf64>, tensor<3xi32>) -> tensor<3x2xf64>
  %1 = stablehlo.multiply %0, %0 : tensor<3x2xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<f64>
  %3 = call @row(%table, %one) : (tensor<5x2xf64>, tensor<1xi64>) -> tensor<2xf64>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  %5 = stablehlo.add %2, %4 : tensor<f64>
  return %5 : tensor<f64>
}
func.func @row(%table: tensor<5x2xf64>, %id: tensor<1xi64>) -> tensor<2xf64> {
  %0 = "stablehlo.gather"(%table, %id) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 2>} : (tensor<5x2xf64>, tensor<1xi64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// transform: --grad loss:0 --as whole
// transform: --sparse-grad loss:0,3 --as sparse
func.func @main() {
  %table = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [8.0, 9.0]]> : tensor<5x2xf64>
  %ids = stablehlo.constant dense<[4, 1, 4]> : tensor<3xi32>
  %one = stablehlo.constant dense<9> : tensor<1xi64>
  %unused = stablehlo.constant dense<0.0> : tensor<2x2xf32>
  %0:4 = call @sparse(%table, %ids, %one, %unused) : (tensor<5x2xf64>, tensor<3xi32>, tensor<1xi64>, tensor<2x2xf32>) -> (tensor<4xi32>, tensor<4x2xf64>, tensor<0xi32>, tensor<0x2xf32>)
  check.expect_eq_const %0#0, dense<[4, 1, 4, 4]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<[[16.0, 18.0], [4.0, 6.0], [16.0, 18.0], [1.0, 1.0]]> : tensor<4x2xf64>
  %1 = call @whole(%table, %ids, %one, %unused) : (tensor<5x2xf64>, tensor<3xi32>, tensor<1xi64>, tensor<2x2xf32>) -> tensor<5x2xf64>
  check.expect_eq_const %1, dense<[[0.0, 0.0], [4.0, 6.0], [0.0, 0.0], [0.0, 0.0], [33.0, 37.0]]> : tensor<5x2xf64>
  return
}
