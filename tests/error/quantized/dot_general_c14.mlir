func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>  // error: (dot_general_c14)
  return %r : tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
}
