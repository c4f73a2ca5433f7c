// A loop whose trip count is an argument, in chunks of lanes: what all lanes share (the forward loop too) stands before the loop over chunks
// or is done again in each, and the values are those of all lanes at once. f(x) = x^8, summed pairwise.
func.func @f(%x: tensor<4xf64>, %n: tensor<i64>) -> tensor<4xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i64>, tensor<4xf64>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %z = stablehlo.multiply %y, %y : tensor<4xf64>
    stablehlo.return %j, %z : tensor<i64>, tensor<4xf64>
  }
  %r = stablehlo.reverse %0#1, dims = [0] : tensor<4xf64>
  %s = stablehlo.add %r, %0#1 : tensor<4xf64>
  return %s : tensor<4xf64>
}
func.func @total(%x: tensor<4xf64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = call @f(%x, %n) : (tensor<4xf64>, tensor<i64>) -> tensor<4xf64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
// transform: --jacobian f --reverse --as at_once
// transform: --jacobian f --reverse --chunk 1 --as by_row
// transform: --jacobian f --reverse --chunk 3 --as by_three_rows
// transform: --jacobian f --forward --chunk 3 --as by_three_columns
// transform: --hessian total --chunk 3 --as hessian
// transform: --hessian total --reverse --chunk 3 --as hessian_by_rows
// transform: --jacobian f --reverse --chunk 3 --as lanes --vectorize lanes:0,0 --lanes 2 --as over_examples
func.func @check(%j: tensor<4x4xf64>) {
  check.expect_eq_const %j, dense<[[8.0, 0.0, 0.0, 8.0], [0.0, 1024.0, -8.0, 0.0], [0.0, 1024.0, -8.0, 0.0], [8.0, 0.0, 0.0, 8.0]]> : tensor<4x4xf64>
  return
}
func.func @check_hessian(%h: tensor<4x4xf64>) {
  check.expect_eq_const %h, dense<[[112.0, 0.0, 0.0, 0.0], [0.0, 7168.0, 0.0, 0.0], [0.0, 0.0, 112.0, 0.0], [0.0, 0.0, 0.0, 112.0]]> : tensor<4x4xf64>
  return
}
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, -1.0, 1.0]> : tensor<4xf64>
  %n = stablehlo.constant dense<3> : tensor<i64>
  %0 = call @at_once(%x, %n) : (tensor<4xf64>, tensor<i64>) -> tensor<4x4xf64>
  call @check(%0) : (tensor<4x4xf64>) -> ()
  %1 = call @by_row(%x, %n) : (tensor<4xf64>, tensor<i64>) -> tensor<4x4xf64>
  call @check(%1) : (tensor<4x4xf64>) -> ()
  %2 = call @by_three_rows(%x, %n) : (tensor<4xf64>, tensor<i64>) -> tensor<4x4xf64>
  call @check(%2) : (tensor<4x4xf64>) -> ()
  %3 = call @by_three_columns(%x, %n) : (tensor<4xf64>, tensor<i64>) -> tensor<4x4xf64>
  call @check(%3) : (tensor<4x4xf64>) -> ()
  %4 = call @hessian(%x, %n) : (tensor<4xf64>, tensor<i64>) -> tensor<4x4xf64>
  call @check_hessian(%4) : (tensor<4x4xf64>) -> ()
  %5 = call @hessian_by_rows(%x, %n) : (tensor<4xf64>, tensor<i64>) -> tensor<4x4xf64>
  call @check_hessian(%5) : (tensor<4x4xf64>) -> ()
  %xs = stablehlo.constant dense<[[1.0, 2.0, -1.0, 1.0], [1.0, 2.0, 1.0, 1.0]]> : tensor<2x4xf64>
  %ns = stablehlo.constant dense<[3, 0]> : tensor<2xi64>
  %6 = call @over_examples(%xs, %ns) : (tensor<2x4xf64>, tensor<2xi64>) -> tensor<2x4x4xf64>
  check.expect_eq_const %6, dense<[[[8.0, 0.0, 0.0, 8.0], [0.0, 1024.0, -8.0, 0.0], [0.0, 1024.0, -8.0, 0.0], [8.0, 0.0, 0.0, 8.0]], [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]]> : tensor<2x4x4xf64>
  return
}
