func.func @main() -> (tensor<6xf32>) {
  %0 = "stablehlo.concatenate"() {dimension = 0 : i64} : () -> (tensor<6xf32>)  // error: (concatenate_c3)
  return %0 : tensor<6xf32>
}
