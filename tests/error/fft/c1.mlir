func.func @main(%x0: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%x0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4, 4>} : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)  // error: (fft_c1)
  return %0 : tensor<4xcomplex<f32>>
}
