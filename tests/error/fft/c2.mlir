func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xf32>  // error: [stablehlo.fft] element type: got f32
  return %0 : tensor<8xf32>
}
