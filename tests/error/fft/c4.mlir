func.func @main(%x: tensor<8xf32>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<8xf32>) -> tensor<4xcomplex<f32>>  // error: [stablehlo.fft] extent of dimension 0: got 8, expected 6
  return %0 : tensor<4xcomplex<f32>>
}
