func.func @main(%x0: tensor<2xi64>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.dynamic_iota"(%x0) {iota_dimension = 2 : i64} : (tensor<2xi64>) -> (tensor<3x2xf32>)  // error: (dynamic_iota_c1)
  return %0 : tensor<3x2xf32>
}
