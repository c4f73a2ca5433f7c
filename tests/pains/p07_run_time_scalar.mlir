// P07: a scalar of the run is frozen when the derivative is made. k(u, t) = d/du exp(t)·u, made once: 1 for t = 0, e for t = 1.
func.func @f(%u: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %e = stablehlo.exponential %t : tensor<f64>
  %y = stablehlo.multiply %e, %u : tensor<f64>
  return %y : tensor<f64>
}
// transform: --grad f:0 --as k
func.func @main() {
  %u = stablehlo.constant dense<3.0> : tensor<f64>
  %t0 = stablehlo.constant dense<0.0> : tensor<f64>
  %k0 = call @k(%u, %t0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  check.expect_eq_const %k0, dense<1.0> : tensor<f64>
  %t1 = stablehlo.constant dense<1.0> : tensor<f64>
  %k1 = call @k(%u, %t1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %k1, dense<2.7182818284590451> : tensor<f64>
  return
}
