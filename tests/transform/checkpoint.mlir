// sin(sin(x)) in a function whose values are not kept, in a loop of a run-time number of trips: derivatives of every order are those
// of the plain function. For n = 2 f = sin sin sin sin x.
func.func private @inner(%x: tensor<f64>) -> tensor<f64> attributes {weft.checkpoint} {
  %0 = stablehlo.sine %x : tensor<f64>
  %1 = stablehlo.sine %0 : tensor<f64>
  return %1 : tensor<f64>
}
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %w = func.call @inner(%v) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %j, %w : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
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
// transform: --vectorize rr:0,_ --lanes 2 --as lanes
func.func @main() {
  %x = stablehlo.constant dense<0.7> : tensor<f64>
  %n = stablehlo.constant dense<2> : tensor<i64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %r = call @reverse(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %r, dense<0.4260905354724402> : tensor<f64>
  %t = call @tangent(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %t, dense<0.4260905354724402> : tensor<f64>
  %ff:2 = call @ff(%x, %n, %one) : (tensor<f64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %ff#1, dense<-0.9184784874055338> : tensor<f64>
  %rf = call @rf(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %rf, dense<-0.9184784874055338> : tensor<f64>
  %fr:2 = call @fr(%x, %n, %one) : (tensor<f64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %fr#1, dense<-0.9184784874055338> : tensor<f64>
  %rr = call @rr(%x, %n) : (tensor<f64>, tensor<i64>) -> tensor<f64>
  check.expect_almost_eq_const %rr, dense<-0.9184784874055338> : tensor<f64>
  %xs = stablehlo.constant dense<[0.7, 0.0]> : tensor<2xf64>
  %l = call @lanes(%xs, %n) : (tensor<2xf64>, tensor<i64>) -> tensor<2xf64>
  check.expect_almost_eq_const %l, dense<[-0.9184784874055338, 0.0]> : tensor<2xf64>
  return
}
