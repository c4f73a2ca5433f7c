func.func @main(%x0: tensor<3xcomplex<f32>>) -> (tensor<3xf64>) {
  %0 = "stablehlo.real"(%x0) : (tensor<3xcomplex<f32>>) -> (tensor<3xf64>)  // error: (real_c2)
  return %0 : tensor<3xf64>
}
