func.func @main(%x: tensor<1x1xcomplex<f64>>) -> tensor<1x1xf64> {
  %0 = "stablehlo.fft"(%x) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: -1>} : (tensor<1x1xcomplex<f64>>) -> tensor<1x1xf64>  // error: fft_length: got -1, expected extents of 0 or more
  return %0 : tensor<1x1xf64>
}
