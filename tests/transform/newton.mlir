// The square root of 2 by Newton's iteration, its derivative 1/(2√2) and its second derivative -1/(8√2): a loop whose trip count
// only the values decide.
func.func @f(%a: tensor<f64>) -> tensor<f64> {
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %eps = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %q0 = stablehlo.divide %a, %a : tensor<f64>
  %s0 = stablehlo.add %a, %q0 : tensor<f64>
  %y0 = stablehlo.multiply %s0, %half : tensor<f64>
  %0:2 = stablehlo.while(%x = %a, %y = %y0) : tensor<f64>, tensor<f64>
  cond {
    %d = stablehlo.subtract %y, %x : tensor<f64>
    %m = stablehlo.abs %d : tensor<f64>
    %p = stablehlo.compare GE, %m, %eps : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q = stablehlo.divide %a, %y : tensor<f64>
    %s = stablehlo.add %y, %q : tensor<f64>
    %n = stablehlo.multiply %s, %half : tensor<f64>
    stablehlo.return %y, %n : tensor<f64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
// transform: --grad f:0 --as gradient
// transform: --grad gradient:0 --as second
// transform: --jvp gradient:0 --as second_forward
func.func @main() {
  %a = stablehlo.constant dense<2.0> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %0 = call @f(%a) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %0, dense<1.4142135623730951> : tensor<f64>
  %1 = call @gradient(%a) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %1, dense<0.35355339059327379> : tensor<f64>
  %2 = call @second(%a) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %2, dense<-0.088388347648318447> : tensor<f64>
  %3:2 = call @second_forward(%a, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %3#1, dense<-0.088388347648318447> : tensor<f64>
  return
}
