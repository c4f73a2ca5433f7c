// Gradient of a loop whose lanes leave it at different trips: Newton's square root of 1, 2, 100 and 1e6, both ways round.
func.func @f(%a: tensor<f64>) -> tensor<f64> {
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %eps = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %s0 = stablehlo.add %a, %one : tensor<f64>
  %y0 = stablehlo.multiply %s0, %half : tensor<f64>
  %0:2 = stablehlo.while(%x = %a, %y = %y0) : tensor<f64>, tensor<f64>
  cond {
    %d = stablehlo.subtract %y, %x : tensor<f64>
    %m = stablehlo.abs %d : tensor<f64>
    %t = stablehlo.multiply %eps, %y : tensor<f64>
    %p = stablehlo.compare GE, %m, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q = stablehlo.divide %a, %y : tensor<f64>
    %s = stablehlo.add %y, %q : tensor<f64>
    %n = stablehlo.multiply %s, %half : tensor<f64>
    stablehlo.return %y, %n : tensor<f64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
// transform: --grad f:0 --as g --vectorize g:0 --lanes 4 --as lanes_of_gradient
// transform: --vectorize f:0 --lanes 4 --as lanes
func.func @sum(%a: tensor<4xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = call @lanes(%a) : (tensor<4xf64>) -> tensor<4xf64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
// transform: --grad sum:0 --as gradient_of_lanes
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0, 100.0, 1.0e+06]> : tensor<4xf64>
  %0 = call @lanes_of_gradient(%a) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_almost_eq_const %0, dense<[0.5, 0.35355339059327379, 0.05, 0.0005]> : tensor<4xf64>
  %1 = call @gradient_of_lanes(%a) : (tensor<4xf64>) -> tensor<4xf64>
  check.expect_almost_eq_const %1, dense<[0.5, 0.35355339059327379, 0.05, 0.0005]> : tensor<4xf64>
  return
}
