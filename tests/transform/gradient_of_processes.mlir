// Three replicas: the loss of each is the squared norm of the sum of all x, and the product of x with what the replica before has. The gradient is
// that of all losses together: 6 · Σx, and the neighbours' x. Twice the x give twice the gradient: two lanes. Values by hand.
func.func @loss(%x: tensor<2xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %sum = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %0 = stablehlo.add %a, %b : tensor<f64>
      stablehlo.return %0 : tensor<f64>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf64>) -> tensor<2xf64>
  %before = "stablehlo.collective_permute"(%x) {
    source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
  } : (tensor<2xf64>) -> tensor<2xf64>
  %1 = stablehlo.multiply %sum, %sum : tensor<2xf64>
  %2 = stablehlo.multiply %before, %x : tensor<2xf64>
  %3 = stablehlo.add %1, %2 : tensor<2xf64>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  return %4 : tensor<f64>
}
// transform: --grad loss:0 --as gradient
// transform: --vectorize gradient:0 --lanes 2 --as lanes
func.func @step(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @gradient(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @step_of_lanes(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0 = call @lanes(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[2.0, -3.0]> : tensor<2xf64>
  %x1 = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf64>
  %x2 = stablehlo.constant dense<[-1.0, 4.0]> : tensor<2xf64>
  %r:3 = "interpreter.run_parallel"(%x0, %x1, %x2) {
    programs = [[@step], [@step], [@step]]
  } : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_eq_const %r#0, dense<[41.0, 55.0]> : tensor<2xf64>
  check.expect_eq_const %r#1, dense<[37.0, 49.0]> : tensor<2xf64>
  check.expect_eq_const %r#2, dense<[41.0, 55.0]> : tensor<2xf64>
  %y0 = stablehlo.constant dense<[[2.0, -3.0], [4.0, -6.0]]> : tensor<2x2xf64>
  %y1 = stablehlo.constant dense<[[5.0, 7.0], [10.0, 14.0]]> : tensor<2x2xf64>
  %y2 = stablehlo.constant dense<[[-1.0, 4.0], [-2.0, 8.0]]> : tensor<2x2xf64>
  %l:3 = "interpreter.run_parallel"(%y0, %y1, %y2) {
    programs = [[@step_of_lanes], [@step_of_lanes], [@step_of_lanes]]
  } : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  check.expect_eq_const %l#0, dense<[[41.0, 55.0], [82.0, 110.0]]> : tensor<2x2xf64>
  check.expect_eq_const %l#1, dense<[[37.0, 49.0], [74.0, 98.0]]> : tensor<2x2xf64>
  check.expect_eq_const %l#2, dense<[[41.0, 55.0], [82.0, 110.0]]> : tensor<2x2xf64>
  return
}
