func.func @main() -> (tensor<?x2xf32>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> (tensor<?x2xf32>)  // error: expected known extents
  return %0 : tensor<?x2xf32>
}
