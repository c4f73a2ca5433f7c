func.func @main(%a: tensor<3x4x2xf32>, %b: tensor<3x4x1xf32>, %c: tensor<2x3x2xi64>, %d: tensor<2x3x2xf32>, %e: tensor<2x3x2xf32>) -> (tensor<3x4x2xf32>, tensor<3x4x1xf32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %c, %d, %e) ({  // error: (scatter_c1)
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    %z = stablehlo.add %p, %r : tensor<f32>
    stablehlo.return %z, %z : tensor<f32>, tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 2>} : (tensor<3x4x2xf32>, tensor<3x4x1xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> (tensor<3x4x2xf32>, tensor<3x4x1xf32>)
  return %0#0, %0#1 : tensor<3x4x2xf32>, tensor<3x4x1xf32>
}
