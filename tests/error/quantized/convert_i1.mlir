func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2xf32> {
  %r = "stablehlo.convert"(%x) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2xf32>  // error: (convert_i1)
  return %r : tensor<2x2xf32>
}
