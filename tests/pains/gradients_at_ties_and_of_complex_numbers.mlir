// Choices that systems make apart: half to each at ties of the maximum, half at the kink of relu; the gradient of imag(exp z) at 1 is -e·i, the
// conjugate of the direction of steepest ascent, as JAX has it.
func.func @max(%x: tensor<2xf64>) -> tensor<f64> {
  %least = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  return %m : tensor<f64>
}
func.func @relu(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.maximum %x, %zero : tensor<f64>
  return %m : tensor<f64>
}
func.func @imag_of_exp(%z: tensor<complex<f64>>) -> tensor<f64> {
  %e = stablehlo.exponential %z : tensor<complex<f64>>
  %i = stablehlo.imag %e : (tensor<complex<f64>>) -> tensor<f64>
  return %i : tensor<f64>
}
// transform: --grad max:0 --as max_gradient --grad relu:0 --as relu_gradient --grad imag_of_exp:0 --as imag_gradient
func.func @main() {
  %x = stablehlo.constant dense<[3.0, 3.0]> : tensor<2xf64>
  %0 = call @max_gradient(%x) : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_eq_const %0, dense<[0.5, 0.5]> : tensor<2xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = call @relu_gradient(%zero) : (tensor<f64>) -> tensor<f64>
  check.expect_eq_const %1, dense<0.5> : tensor<f64>
  %z = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %2 = call @imag_gradient(%z) : (tensor<complex<f64>>) -> tensor<complex<f64>>
  check.expect_almost_eq_const %2, dense<(0.0, -2.7182818284590451)> : tensor<complex<f64>>
  return
}
