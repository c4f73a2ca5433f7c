// x², whose derivative is said to be 10 x by a reverse rule: in every order, through loops and over lanes.
func.func private @square(%x: tensor<f64>) -> tensor<f64> attributes {weft.vjp = [@forward_rule, @backward_rule]} {
  %y = stablehlo.multiply %x, %x : tensor<f64>
  return %y : tensor<f64>
}
func.func private @forward_rule(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = stablehlo.multiply %x, %x : tensor<f64>
  return %y, %x : tensor<f64>, tensor<f64>
}
func.func private @backward_rule(%x: tensor<f64>, %c: tensor<f64>) -> tensor<f64> {
  %ten = stablehlo.constant dense<10.0> : tensor<f64>
  %s = stablehlo.multiply %ten, %x : tensor<f64>
  %r = stablehlo.multiply %s, %c : tensor<f64>
  return %r : tensor<f64>
}
// The loop applies it n times: for n = 2 the derivative by the rule is 100 x³, the second one 300 x².
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %w = func.call @square(%v) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %j, %w : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
// transform: --grad square:0 --as direct
// transform: --grad f:0 --as reverse
// transform: --jvp f:0 --as forward
func.func @tangent(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %0:2 = call @forward(%x, %n, %one) : (tensor<f64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// transform: --jvp tangent:0 --as ff
// transform: --grad tangent:0 --as rf
// transform: --jvp reverse:0 --as fr
// transform: --grad reverse:0 --as rr
// transform: --vectorize f:0,_ --lanes 3 --as lanes
// transform: --vectorize square --lanes 3 --as square_lanes
func.func @sum(%x: tensor<3xf64>, %n: tensor<i64>) -> tensor<f64> {
  %0 = call @lanes(%x, %n) : (tensor<3xf64>, tensor<i64>) -> tensor<3xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
// transform: --grad sum:0 --as of_lanes
// transform: --vjp square_lanes --as square_lanes_back
// transform: --vectorize reverse:0,_ --lanes 3 --as over_lanes
// transform: --vectorize rr:0,_ --lanes 3 --as second_over_lanes
func.func @main() {
  %x = stablehlo.constant dense<1.5> : tensor<f64>
  %n = stablehlo.constant dense<2> : tensor<i64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %value = call @f(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %value, dense<5.0625> : tensor<f64>
  %d = call @direct(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %d, dense<15.0> : tensor<f64>
  %r = call @reverse(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %r, dense<337.5> : tensor<f64>
  %t = call @tangent(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %t, dense<337.5> : tensor<f64>
  %ff:2 = call @ff(%x, %n, %one) : (tensor<f64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %ff#1, dense<675.0> : tensor<f64>
  %rf = call @rf(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %rf, dense<675.0> : tensor<f64>
  %fr:2 = call @fr(%x, %n, %one) : (tensor<f64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %fr#1, dense<675.0> : tensor<f64>
  %rr = call @rr(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %rr, dense<675.0> : tensor<f64>

  %xs = stablehlo.constant dense<[1.0, 1.5, -2.0]> : tensor<3xf64>
  %a = call @of_lanes(%xs, %n) : (tensor<3xf64>, tensor<i64>) -> tensor<3xf64>
  check.expect_almost_eq_const %a, dense<[100.0, 337.5, -800.0]> : tensor<3xf64>
  %b = call @over_lanes(%xs, %n) : (tensor<3xf64>, tensor<i64>) -> tensor<3xf64>
  check.expect_almost_eq_const %b, dense<[100.0, 337.5, -800.0]> : tensor<3xf64>
  %c = call @second_over_lanes(%xs, %n) : (tensor<3xf64>, tensor<i64>) -> tensor<3xf64>
  check.expect_almost_eq_const %c, dense<[300.0, 675.0, 1200.0]> : tensor<3xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<3xf64>
  %e = call @square_lanes_back(%xs, %ones) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  check.expect_almost_eq_const %e, dense<[10.0, 15.0, -20.0]> : tensor<3xf64>
  return
}
