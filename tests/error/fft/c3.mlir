func.func @main(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>  // error: [stablehlo.fft] size of fft_length: got 0
  return %0 : tensor<8xcomplex<f32>>
}
