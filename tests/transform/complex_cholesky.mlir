// l·lᴴ = a for a = [[4, 2-2i], [2+2i, 9]], of which the lower triangle is read, moved by [[1, ·], [i, 2]]: l = [[2, 0], [1+i, √7]], and
// l̇11 = 1/4, l̇21 = i/2 - (2+2i)/16, l̇22 = (2 - 2·Re((1-i)·l̇21)) / (2·√7) = 3 / (4·√7), by hand.
func.func @factor(%a: tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xcomplex<f64>>
  return %0 : tensor<2x2xcomplex<f64>>
}
// transform: --jvp factor --as moved
func.func @main() {
  %a = stablehlo.constant dense<[[(4.0, 0.0), (7.0, 7.0)], [(2.0, 2.0), (9.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  // The upper triangle and the imaginary part of the diagonal do not count.
  %t = stablehlo.constant dense<[[(1.0, 5.0), (3.0, 3.0)], [(0.0, 1.0), (2.0, -4.0)]]> : tensor<2x2xcomplex<f64>>
  %0:2 = call @moved(%a, %t) : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>)
  %re = stablehlo.real %0#1 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
  %im = stablehlo.imag %0#1 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %re, dense<[[0.25, 0.0], [-0.125, 0.28347335475692041]]> : tensor<2x2xf64> {tolerance = 1.0e-14 : f64}
  check.expect_almost_eq_const %im, dense<[[0.0, 0.0], [0.375, 0.0]]> : tensor<2x2xf64> {tolerance = 1.0e-14 : f64}
  return
}
