// compare_type says the sign as which integers are compared: 5 against the bits of -1.
func.func @main() {
  %five = stablehlo.constant dense<5> : tensor<i32>
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.compare GT, %five, %minus, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  check.expect_eq_const %0, dense<true> : tensor<i1>
  %1 = stablehlo.compare GT, %five, %minus, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  check.expect_eq_const %1, dense<false> : tensor<i1>
  %2 = stablehlo.compare LT, %five, %minus, TOTALORDER : (tensor<i32>, tensor<i32>) -> tensor<i1>
  check.expect_eq_const %2, dense<false> : tensor<i1>
  %u5 = stablehlo.constant dense<5> : tensor<ui8>
  %u255 = stablehlo.constant dense<255> : tensor<ui8>
  %3 = stablehlo.compare LT, %u5, %u255, SIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
  check.expect_eq_const %3, dense<false> : tensor<i1>
  return
}
