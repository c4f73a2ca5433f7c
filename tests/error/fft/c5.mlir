func.func @main(%x0: tensor<4xcomplex<f32>>) -> (tensor<8xf32>) {
  %0 = "stablehlo.fft"(%x0) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<4xcomplex<f32>>) -> (tensor<8xf32>)  // error: (fft_c5)
  return %0 : tensor<8xf32>
}
