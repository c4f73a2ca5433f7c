func.func @main(%t: !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>)  // error: (infeed_c3)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
