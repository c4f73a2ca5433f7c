func.func @main(%x0: tensor<3xcomplex<f32>>) -> (tensor<4xf32>) {
  %0 = "stablehlo.imag"(%x0) : (tensor<3xcomplex<f32>>) -> (tensor<4xf32>)  // error: (imag_c1)
  return %0 : tensor<4xf32>
}
