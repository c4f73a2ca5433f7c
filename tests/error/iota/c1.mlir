func.func @main() -> (tensor<2x3xf32>) {
  %0 = "stablehlo.iota"() {iota_dimension = 2 : i64} : () -> (tensor<2x3xf32>)  // error: (iota_c1)
  return %0 : tensor<2x3xf32>
}
