// x > 0 ? log x : 0. The branch that is not taken leaves no NaN in the gradient, over lanes neither.
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.log %x : tensor<f64>
    stablehlo.return %a : tensor<f64>
  }, {
    stablehlo.return %zero : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
}
// transform: --grad f:0 --as gradient --vectorize gradient:0 --lanes 3 --as lanes
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0.0, 4.0]> : tensor<3xf64>
  %0 = call @lanes(%x) : (tensor<3xf64>) -> tensor<3xf64>
  check.expect_eq_const %0, dense<[1.0, 0.0, 0.25]> : tensor<3xf64>
  return
}
