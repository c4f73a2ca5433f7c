func.func @main(%x0: tensor<3xf32>, %x1: tensor<3xf32>) -> (tensor<3xcomplex<f64>>) {
  %0 = "stablehlo.complex"(%x0, %x1) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xcomplex<f64>>)  // error: (complex_c3)
  return %0 : tensor<3xcomplex<f64>>
}
