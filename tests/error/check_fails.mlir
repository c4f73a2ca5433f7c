func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %0, dense<[1.0, 3.0]> : tensor<2xf32>  // error: values differ at [1]: got 2
  return
}
