// The factors of a product may be different floats of eight bits, as FP8 training has them.
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [0.5, -4.0]]> : tensor<2x2xf8E5M2>
  %b = stablehlo.constant dense<[[1.5, 3.0], [0.875, -2.0]]> : tensor<2x2xf8E4M3FN>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf8E5M2>, tensor<2x2xf8E4M3FN>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[3.25, -1.0], [-2.75, 9.5]]> : tensor<2x2xf32>
  return
}
