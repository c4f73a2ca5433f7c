// A call with one tuple as its result is the call with the tuple's elements as its results. diag(3, 2) has the eigenvalues 2 and 3.
func.func @main() {
  %a = stablehlo.constant dense<[[3.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf64>
  %0 = stablehlo.custom_call @Eigh(%a) {backend_config = "1,1,100,0.000001"} : (tensor<2x2xf64>) -> tuple<tensor<2x2xf64>, tensor<2xf64>>
  %v = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x2xf64>, tensor<2xf64>>) -> tensor<2x2xf64>
  %w = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x2xf64>, tensor<2xf64>>) -> tensor<2xf64>
  check.expect_almost_eq_const %w, dense<[2.0, 3.0]> : tensor<2xf64> {tolerance = 1.0e-14 : f64}
  %s = stablehlo.abs %v : tensor<2x2xf64>
  check.expect_almost_eq_const %s, dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf64> {tolerance = 1.0e-14 : f64}
  return
}
