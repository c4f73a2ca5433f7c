func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xf64> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>  // error: (bitcast_convert_c2)
  return %0 : tensor<2xf64>
}
