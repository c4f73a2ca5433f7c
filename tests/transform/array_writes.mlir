// An array that a loop writes element by element: R[i] = x[i]² at [1, 2, 3] has the Jacobian diag(2, 4, 6), R·R the Hessian
// diag(12 x²). A column that is written: the sum of squares at [3, 4] is 25, its gradient [6, 8].
func.func @squares(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<3xf64>
  %0:2 = stablehlo.while(%i = %zero, %r = %empty) : tensor<i32>, tensor<3xf64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %e = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<3xf64>, tensor<i32>) -> tensor<1xf64>
    %s = stablehlo.multiply %e, %e : tensor<1xf64>
    %q = stablehlo.dynamic_update_slice %r, %s, %i : (tensor<3xf64>, tensor<1xf64>, tensor<i32>) -> tensor<3xf64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %q : tensor<i32>, tensor<3xf64>
  }
  return %0#1 : tensor<3xf64>
}
func.func @product(%x: tensor<3xf64>) -> tensor<f64> {
  %0 = call @squares(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func @column(%x: tensor<2xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nothing = stablehlo.constant dense<0.0> : tensor<f64>
  %a = stablehlo.constant dense<0.0> : tensor<2x2xf64>
  %c = stablehlo.reshape %x : (tensor<2xf64>) -> tensor<2x1xf64>
  %b = stablehlo.dynamic_update_slice %a, %c, %zero, %zero : (tensor<2x2xf64>, tensor<2x1xf64>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>
  %s = stablehlo.multiply %b, %b : tensor<2x2xf64>
  %r = stablehlo.reduce(%s init: %nothing) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// transform: --jacobian squares --forward --as columns
// transform: --jacobian squares --reverse --as rows
// transform: --hessian product --as hessian
// transform: --grad column --with-value --as gradient
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %c = call @columns(%x) : (tensor<3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %c, dense<[[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]> : tensor<3x3xf64>
  %r = call @rows(%x) : (tensor<3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %r, dense<[[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]> : tensor<3x3xf64>
  %h = call @hessian(%x) : (tensor<3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %h, dense<[[12.0, 0.0, 0.0], [0.0, 48.0, 0.0], [0.0, 0.0, 108.0]]> : tensor<3x3xf64>
  %y = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf64>
  %g:2 = call @gradient(%y) : (tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
  check.expect_almost_eq_const %g#0, dense<25.0> : tensor<f64>
  check.expect_almost_eq_const %g#1, dense<[6.0, 8.0]> : tensor<2xf64>
  return
}
