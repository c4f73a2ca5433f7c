func.func @main(%x0: tensor<3xcomplex<f32>>) -> (tensor<3xcomplex<f32>>) {
  %0 = "stablehlo.abs"(%x0) : (tensor<3xcomplex<f32>>) -> (tensor<3xcomplex<f32>>)  // error: (abs_c2)
  return %0 : tensor<3xcomplex<f32>>
}
