func.func @main(%a: tensor<2xf64>) -> tensor<2x4xf32> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf64>) -> tensor<2x4xf32>  // error: (bitcast_convert_c1)
  return %0 : tensor<2x4xf32>
}
