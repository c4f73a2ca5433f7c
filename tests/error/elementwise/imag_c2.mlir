func.func @main(%x0: tensor<3xcomplex<f32>>) -> (tensor<3xf64>) {
  %0 = "stablehlo.imag"(%x0) : (tensor<3xcomplex<f32>>) -> (tensor<3xf64>)  // error: (imag_c2)
  return %0 : tensor<3xf64>
}
