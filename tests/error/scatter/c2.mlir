func.func @main(%a: tensor<3x4x2xf32>, %b: tensor<2x3x2xi64>, %c: tensor<2x3x1x2xf32>) -> (tensor<3x4x2xf32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) ({  // error: (scatter_c2)
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %z = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 2>} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<2x3x1x2xf32>) -> (tensor<3x4x2xf32>)
  return %0 : tensor<3x4x2xf32>
}
