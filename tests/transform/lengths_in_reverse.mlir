// The derivative of what lanes with a length of their own make of weights that they share: n times the weights' power, and the lanes' sum of
// it. By w: of lane l the derivative of w^n_l · x_l, summed; by x: w^n_l.
func.func @f(%w: tensor<2xf64>, %x: tensor<2xf64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i64>, tensor<2xf64>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %g = stablehlo.multiply %h, %w : tensor<2xf64>
    stablehlo.return %j, %g : tensor<i64>, tensor<2xf64>
  }
  %r = stablehlo.reduce(%0#1 init: %none) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// transform: --vectorize f:_,0,0 --lanes 4 --as lanes
func.func @total(%w: tensor<2xf64>, %x: tensor<4x2xf64>, %n: tensor<4xi64>) -> tensor<f64> {
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = call @lanes(%w, %x, %n) : (tensor<2xf64>, tensor<4x2xf64>, tensor<4xi64>) -> tensor<4xf64>
  %r = stablehlo.reduce(%0 init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// transform: --grad total:0,1 --as gradient
func.func @main() {
  %w = stablehlo.constant dense<[2.0, -1.0]> : tensor<2xf64>
  %x = stablehlo.constant dense<[[1.0, 1.0], [3.0, 0.5], [1.0, 2.0], [-2.0, 4.0]]> : tensor<4x2xf64>
  %n = stablehlo.constant dense<[3, 0, 1, 4]> : tensor<4xi64>
  // Kept from being folded.
  %0:3 = stablehlo.optimization_barrier %w, %x, %n : tensor<2xf64>, tensor<4x2xf64>, tensor<4xi64>
  %1:2 = call @gradient(%0#0, %0#1, %0#2) : (tensor<2xf64>, tensor<4x2xf64>, tensor<4xi64>) -> (tensor<2xf64>, tensor<4x2xf64>)
  // 3·4·1 + 0 + 1 - 4·8·2, and 3·1·1 + 0 + 2 - 4·4.
  check.expect_eq_const %1#0, dense<[-51.0, -11.0]> : tensor<2xf64>
  check.expect_eq_const %1#1, dense<[[8.0, -1.0], [1.0, 1.0], [2.0, -1.0], [16.0, 1.0]]> : tensor<4x2xf64>
  return
}
