func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x2x!quant.uniform<i8:f16, 0.5:1>>) -> tensor<2x2xi1> {
  %r = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f16, 0.5:1>>) -> tensor<2x2xi1>  // error: (compare_c1)
  return %r : tensor<2x2xi1>
}
