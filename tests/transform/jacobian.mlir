// Whole matrices of derivatives and products with them, of f_i = Σ_j w_ij·x_j² at x = [1, 2, 3]: at once, in chunks that divide the number of
// columns or rows and chunks that do not, forwards and backwards.
func.func @f(%x: tensor<3xf64>, %w: tensor<2x3xf64>) -> tensor<2xf64> {
  %0 = stablehlo.multiply %x, %x : tensor<3xf64>
  %1 = stablehlo.dot_general %w, %0, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
func.func @loss(%x: tensor<3xf64>, %w: tensor<2x3xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = call @f(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> tensor<2xf64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func @empty(%x: tensor<0xf64>, %w: tensor<2xf64>) -> tensor<2xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0xf64>, tensor<f64>) -> tensor<f64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2xf64>
  %2 = stablehlo.add %1, %w : tensor<2xf64>
  return %2 : tensor<2xf64>
}
// transform: --jacobian f:0,1 --as chosen
// transform: --jacobian f --forward --as by_columns
// transform: --jacobian f:0,1 --reverse --chunk 1 --as by_row
// transform: --jacobian f:0,1 --forward --chunk 2 --as by_two_columns
// transform: --jacobian f:1,0 --forward --chunk 4 --as other_order
// transform: --hessian loss:0,1 --as hessian
// transform: --hessian loss:0,1 --reverse --chunk 5 --as hessian_by_rows
// transform: --hvp loss:0,1 --as product
// transform: --vjp f:1 --with-value --as pulled
// transform: --jacobian empty --forward --as of_nothing
func.func @check(%a: tensor<2x3xf64>, %b: tensor<2x2x3xf64>) {
  check.expect_eq_const %a, dense<[[2.0, 2.0, 12.0], [6.0, 4.0, 6.0]]> : tensor<2x3xf64>
  check.expect_eq_const %b, dense<[[[1.0, 4.0, 9.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 4.0, 9.0]]]> : tensor<2x2x3xf64>
  return
}
func.func @check_hessian(%xx: tensor<3x3xf64>, %xw: tensor<3x2x3xf64>, %wx: tensor<2x3x3xf64>, %ww: tensor<2x3x2x3xf64>) {
  check.expect_eq_const %xx, dense<[[8.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 6.0]]> : tensor<3x3xf64>
  check.expect_eq_const %xw, dense<[[[2.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [[0.0, 4.0, 0.0], [0.0, 4.0, 0.0]], [[0.0, 0.0, 6.0], [0.0, 0.0, 6.0]]]> : tensor<3x2x3xf64>
  check.expect_eq_const %wx, dense<[[[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]], [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]]> : tensor<2x3x3xf64>
  check.expect_eq_const %ww, dense<0.0> : tensor<2x3x2x3xf64>
  return
}
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %w = stablehlo.constant dense<[[1.0, 0.5, 2.0], [3.0, 1.0, 1.0]]> : tensor<2x3xf64>
  %0:2 = call @chosen(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x2x3xf64>)
  call @check(%0#0, %0#1) : (tensor<2x3xf64>, tensor<2x2x3xf64>) -> ()
  %1:2 = call @by_columns(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x2x3xf64>)
  call @check(%1#0, %1#1) : (tensor<2x3xf64>, tensor<2x2x3xf64>) -> ()
  %2:2 = call @by_row(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x2x3xf64>)
  call @check(%2#0, %2#1) : (tensor<2x3xf64>, tensor<2x2x3xf64>) -> ()
  %3:2 = call @by_two_columns(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x2x3xf64>)
  call @check(%3#0, %3#1) : (tensor<2x3xf64>, tensor<2x2x3xf64>) -> ()
  %4:2 = call @other_order(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<2x2x3xf64>, tensor<2x3xf64>)
  call @check(%4#1, %4#0) : (tensor<2x3xf64>, tensor<2x2x3xf64>) -> ()
  %5:4 = call @hessian(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<3x3xf64>, tensor<3x2x3xf64>, tensor<2x3x3xf64>, tensor<2x3x2x3xf64>)
  call @check_hessian(%5#0, %5#1, %5#2, %5#3) : (tensor<3x3xf64>, tensor<3x2x3xf64>, tensor<2x3x3xf64>, tensor<2x3x2x3xf64>) -> ()
  %6:4 = call @hessian_by_rows(%x, %w) : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<3x3xf64>, tensor<3x2x3xf64>, tensor<2x3x3xf64>, tensor<2x3x2x3xf64>)
  call @check_hessian(%6#0, %6#1, %6#2, %6#3) : (tensor<3x3xf64>, tensor<3x2x3xf64>, tensor<2x3x3xf64>, tensor<2x3x2x3xf64>) -> ()
  %v = stablehlo.constant dense<[1.0, -1.0, 2.0]> : tensor<3xf64>
  %u = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<2x3xf64>
  %7:2 = call @product(%x, %w, %v, %u) : (tensor<3xf64>, tensor<2x3xf64>, tensor<3xf64>, tensor<2x3xf64>) -> (tensor<3xf64>, tensor<2x3xf64>)
  check.expect_eq_const %7#0, dense<[10.0, -3.0, 18.0]> : tensor<3xf64>
  check.expect_eq_const %7#1, dense<[[2.0, -4.0, 12.0], [2.0, -4.0, 12.0]]> : tensor<2x3xf64>
  %c = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf64>
  %8:2 = call @pulled(%x, %w, %c) : (tensor<3xf64>, tensor<2x3xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2x3xf64>)
  check.expect_eq_const %8#0, dense<[21.0, 16.0]> : tensor<2xf64>
  check.expect_eq_const %8#1, dense<[[1.0, 4.0, 9.0], [10.0, 40.0, 90.0]]> : tensor<2x3xf64>
  %none = stablehlo.constant dense<> : tensor<0xf64>
  %9:2 = call @of_nothing(%none, %c) : (tensor<0xf64>, tensor<2xf64>) -> (tensor<2x0xf64>, tensor<2x2xf64>)
  check.expect_eq_const %9#0, dense<> : tensor<2x0xf64>
  check.expect_eq_const %9#1, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  return
}
