func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8<-127:127>:f32, 0.5:1>> {
  %r = "stablehlo.multiply"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8<-127:127>:f32, 0.5:1>>  // error: (multiply_c1)
  return %r : tensor<2x2x!quant.uniform<i8<-127:127>:f32, 0.5:1>>
}
