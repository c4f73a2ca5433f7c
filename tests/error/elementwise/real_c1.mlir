func.func @main(%x0: tensor<3xcomplex<f32>>) -> (tensor<4xf32>) {
  %0 = "stablehlo.real"(%x0) : (tensor<3xcomplex<f32>>) -> (tensor<4xf32>)  // error: (real_c1)
  return %0 : tensor<4xf32>
}
