func.func @main(%x0: tensor<2xf32>, %x1: tensor<3xf32>, %x2: tensor<f32>) -> (tensor<3xf32>) {
  %0 = "stablehlo.clamp"(%x0, %x1, %x2) : (tensor<2xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)  // error: (clamp_c1)
  return %0 : tensor<3xf32>
}
