func.func @main(%x0: tensor<3xf32>, %x1: tensor<3xf64>) -> (tensor<3xcomplex<f32>>) {
  %0 = "stablehlo.complex"(%x0, %x1) : (tensor<3xf32>, tensor<3xf64>) -> (tensor<3xcomplex<f32>>)  // error: (complex_c1)
  return %0 : tensor<3xcomplex<f32>>
}
