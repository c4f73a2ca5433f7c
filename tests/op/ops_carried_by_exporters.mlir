// Ops that StableHLO lacks arrive under their dialect's name or as calls that carry them. erf(1) is 0.8427007929…; tan(π/4) is 1.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf64>
  %0 = mhlo.erf %x : tensor<3xf64>
  check.expect_almost_eq_const %0, dense<[0.0, 0.84270079294971486, -0.84270079294971486]> : tensor<3xf64> {tolerance = 1.0e-14 : f64}
  %1 = "mhlo.erf"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  check.expect_eq %1, %0 : tensor<3xf64>, tensor<3xf64>
  %2 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  check.expect_eq %2, %0 : tensor<3xf64>, tensor<3xf64>
  %q = stablehlo.constant dense<0.78539816339744828> : tensor<f64>
  %3 = stablehlo.custom_call @mhlo.tan(%q) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %3, dense<1.0> : tensor<f64> {tolerance = 1.0e-14 : f64}
  %y = stablehlo.constant dense<[[3, 9, 4, 9], [1, -2, 7, 0]]> : tensor<2x4xi32>
  %4:2 = stablehlo.custom_call @mhlo.topk(%y) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x4xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %4#0, dense<[[9, 9], [7, 1]]> : tensor<2x2xi32>
  check.expect_eq_const %4#1, dense<[[1, 3], [2, 0]]> : tensor<2x2xi32>
  return
}
