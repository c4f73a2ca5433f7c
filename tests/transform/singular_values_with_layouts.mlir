// Only the singular values are wanted, of a matrix whose layouts the call states as exporters do. Their sum's gradient is u·vᵀ: of
// [[3, 0, 0], [0, -2, 0]] that is [[1, 0, 0], [0, -1, 0]].
func.func @sum_of_values(%a: tensor<2x3xf64>) -> tensor<f64> {
  %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x3xf64>, tensor<i32>)
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.reduce(%0#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
// transform: --grad sum_of_values:0 --as slope
func.func @main() {
  %a = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, -2.0, 0.0]]> : tensor<2x3xf64>
  %0 = call @slope(%a) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %0, dense<[[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]> : tensor<2x3xf64> {tolerance = 1.0e-14 : f64}
  return
}
