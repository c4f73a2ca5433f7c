// x → x², four times, in a loop: 4.594972986, 66.83597071 and 911.3996006 at 1.1, the last by both modes over both modes.
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<4> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %w = stablehlo.multiply %v, %v : tensor<f64>
    stablehlo.return %j, %w : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
// transform: --jvp f --as forward
// transform: --grad f:0 --as reverse
func.func @tangent(%x: tensor<f64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %0:2 = call @forward(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// transform: --jvp tangent --as ff
// transform: --grad tangent:0 --as rf
// transform: --jvp reverse --as fr
// transform: --grad reverse:0 --as rr
func.func @main() {
  %x = stablehlo.constant dense<1.1> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %value = call @f(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %value, dense<4.5949729863572211> : tensor<f64>
  %first = call @reverse(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %first, dense<66.835970710650488> : tensor<f64>
  %also = call @tangent(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %also, dense<66.835970710650488> : tensor<f64>
  %ff:2 = call @ff(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %ff#1, dense<911.39960059977932> : tensor<f64>
  %fr:2 = call @fr(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %fr#1, dense<911.39960059977932> : tensor<f64>
  %rf = call @rf(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %rf, dense<911.39960059977932> : tensor<f64>
  %rr = call @rr(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %rr, dense<911.39960059977932> : tensor<f64>
  return
}
