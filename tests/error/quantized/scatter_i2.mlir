func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x1x!quant.uniform<i32:f32, 0.5:1>>, %z: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.scatter"(%x, %y, %z) ({  // error: (scatter_i2)
  ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.5:1>>, %q: tensor<!quant.uniform<i8:f32, 0.5:1>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.5:1>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.5:1>>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x1x!quant.uniform<i32:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %r : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
