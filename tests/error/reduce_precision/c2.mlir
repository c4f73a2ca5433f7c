func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce_precision %a, format = e0m10 : tensor<2xf32>  // error: (reduce_precision_c2)
  return %0 : tensor<2xf32>
}
