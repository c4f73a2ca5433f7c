func.func @main(%a: tensor<?x9xcomplex<f32>, #stablehlo.bounds<3, ?>>) {
  %0 = stablehlo.fft %a, type = FFT, length = [9] : (tensor<?x9xcomplex<f32>, #stablehlo.bounds<3, ?>>) -> tensor<4x9xcomplex<f32>>  // error: expected tensor<?x9xcomplex<f32>, #stablehlo.bounds<3, ?>>
  return
}
