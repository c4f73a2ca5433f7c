// The comparator says as which numbers the elements are sorted.
func.func @main() {
  %values = stablehlo.constant dense<[3, -1, 2, -5]> : tensor<4xi32>
  // As unsigned numbers -5 and -1 are the largest.
  %4 = "stablehlo.sort"(%values) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  check.expect_eq_const %4, dense<[2, 3, -5, -1]> : tensor<4xi32>
  %5 = "stablehlo.sort"(%values) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  check.expect_eq_const %5, dense<[-5, -1, 2, 3]> : tensor<4xi32>
  return
}
