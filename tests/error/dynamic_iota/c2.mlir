func.func @main(%x0: tensor<3xi64>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.dynamic_iota"(%x0) {iota_dimension = 1 : i64} : (tensor<3xi64>) -> (tensor<3x2xf32>)  // error: (dynamic_iota_c2)
  return %0 : tensor<3x2xf32>
}
