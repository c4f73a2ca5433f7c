func.func @main(%x0: tensor<4x3xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x0, %x1, %x2) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4xf32>)  // error: (batch_norm_training_c6)
  return %0#0, %0#1, %0#2 : tensor<4x3xf32>, tensor<3xf32>, tensor<4xf32>
}
