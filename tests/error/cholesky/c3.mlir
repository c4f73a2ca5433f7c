func.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<3x2xf32>  // error: [stablehlo.cholesky] last two extents
  return %0 : tensor<3x2xf32>
}
