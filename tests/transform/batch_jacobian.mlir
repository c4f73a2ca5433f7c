// Derivatives of each example by itself, examples along axis 0: of x², and of y_bi = (Σ_j w_ij·x_bj)² by x, forwards, backwards and in
// chunks. What an example's result owes to the others is not looked at.
func.func @square(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @layer(%w: tensor<3x2xf64>, %x: tensor<2x2xf64>) -> (tensor<2x3xf64>, tensor<2xf64>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<2x2xf64>, tensor<3x2xf64>) -> tensor<2x3xf64>
  %1 = stablehlo.multiply %0, %0 : tensor<2x3xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<2xf64>
  return %1, %2 : tensor<2x3xf64>, tensor<2xf64>
}
// transform: --batch-jacobian square --as of_square
// transform: --batch-jacobian square --reverse --chunk 1 --as of_square_by_rows
// transform: --batch-jacobian layer:1 --as of_layer
// transform: --batch-jacobian layer:1 --forward --memory 1 --as of_layer_by_columns
// transform: --batch-jacobian layer:1 --reverse --chunk 2 --as of_layer_by_rows
func.func @check(%a: tensor<2x3x2xf64>, %b: tensor<2x2xf64>) {
  check.expect_eq_const %a, dense<[[[10.0, 20.0], [2.0, 0.0], [-2.0, 2.0]], [[22.0, 44.0], [6.0, 0.0], [-2.0, 2.0]]]> : tensor<2x3x2xf64>
  check.expect_eq_const %b, dense<1.0> : tensor<2x2xf64>
  return
}
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = call @of_square(%x) : (tensor<2x2xf32>) -> tensor<2x2x2xf32>
  check.expect_eq_const %0, dense<[[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]> : tensor<2x2x2xf32>
  %1 = call @of_square_by_rows(%x) : (tensor<2x2xf32>) -> tensor<2x2x2xf32>
  check.expect_eq_const %1, dense<[[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]> : tensor<2x2x2xf32>
  %w = stablehlo.constant dense<[[1.0, 2.0], [1.0, 0.0], [-1.0, 1.0]]> : tensor<3x2xf64>
  %y = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %2:2 = call @of_layer(%w, %y) : (tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
  call @check(%2#0, %2#1) : (tensor<2x3x2xf64>, tensor<2x2xf64>) -> ()
  %3:2 = call @of_layer_by_columns(%w, %y) : (tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
  call @check(%3#0, %3#1) : (tensor<2x3x2xf64>, tensor<2x2xf64>) -> ()
  %4:2 = call @of_layer_by_rows(%w, %y) : (tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
  call @check(%4#0, %4#1) : (tensor<2x3x2xf64>, tensor<2x2xf64>) -> ()
  return
}
