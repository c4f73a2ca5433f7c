// The square root of 2 by Newton's iteration, of whose trips three are kept: 1/(2√a) and -1/(4 a√a), in every order and over lanes that
// leave the loop after different numbers of trips.
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
// transform: --grad f:0 --recompute 3 --as gradient
// transform: --grad gradient:0 --recompute 2 --as second
// transform: --jvp gradient:0 --as second_forward
// transform: --jvp f --as tangent
// transform: --vjp tangent:0 --recompute 4 --as over_tangent
// transform: --vectorize f --lanes 3 --as lanes
// transform: --vjp lanes --recompute 3 --as of_lanes
// transform: --vectorize gradient --lanes 3 --as over_lanes
// transform: --vectorize second --lanes 3 --as second_over_lanes
// transform: --vjp f --memory 100 --as within
func.func @main() {
  %a = stablehlo.constant dense<2.0> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = call @gradient(%a) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %1, dense<0.35355339059327379> : tensor<f64>
  %2 = call @second(%a) : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %2, dense<-0.088388347648318447> : tensor<f64>
  %3:2 = call @second_forward(%a, %one) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %3#1, dense<-0.088388347648318447> : tensor<f64>
  %4 = call @over_tangent(%a, %one, %zero, %one) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %4, dense<-0.088388347648318447> : tensor<f64>
  %5 = call @within(%a, %one) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %5, dense<0.35355339059327379> : tensor<f64>

  %as = stablehlo.constant dense<[2.0, 1.0e6, 1.0e-8]> : tensor<3xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<3xf64>
  %6 = call @of_lanes(%as, %ones) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  check.expect_almost_eq_const %6, dense<[0.35355339059327379, 5.0e-4, 5.0e3]> : tensor<3xf64>
  %7 = call @over_lanes(%as) : (tensor<3xf64>) -> tensor<3xf64>
  check.expect_almost_eq_const %7, dense<[0.35355339059327379, 5.0e-4, 5.0e3]> : tensor<3xf64>
  %8 = call @second_over_lanes(%as) : (tensor<3xf64>) -> tensor<3xf64>
  %scaled = stablehlo.constant dense<[1.0, 1.0e9, 1.0e-11]> : tensor<3xf64>
  %9 = stablehlo.multiply %8, %scaled : tensor<3xf64>
  check.expect_almost_eq_const %9, dense<[-0.088388347648318447, -0.25, -2.5]> : tensor<3xf64>
  return
}
