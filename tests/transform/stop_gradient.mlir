// x · stop(x²): the derivative is x², the second one 0, in every order; over lanes too.
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %s = stablehlo.multiply %x, %x : tensor<f64>
  %t = "weft.stop_gradient"(%s) : (tensor<f64>) -> tensor<f64>
  %y = stablehlo.multiply %x, %t : tensor<f64>
  return %y : tensor<f64>
}
// transform: --grad f:0 --as reverse
// transform: --jvp f:0 --as forward
// transform: --grad reverse:0 --as rr
// transform: --jvp reverse:0 --as fr
// transform: --jvp forward --as ff
// transform: --vectorize reverse --lanes 2 --as lanes
func.func @main() {
  %x = stablehlo.constant dense<3.0> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %r = call @reverse(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %r, dense<9.0> : tensor<f64>
  %f:2 = call @forward(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %f#0, dense<27.0> : tensor<f64>
  check.expect_almost_eq_const %f#1, dense<9.0> : tensor<f64>
  %rr = call @rr(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %rr, dense<0.0> : tensor<f64>
  %fr:2 = call @fr(%x, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %fr#1, dense<0.0> : tensor<f64>
  %ff:4 = call @ff(%x, %one, %one, %zero) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %ff#3, dense<0.0> : tensor<f64>
  %xs = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %l = call @lanes(%xs) : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %l, dense<[1.0, 4.0]> : tensor<2xf64>
  return
}
