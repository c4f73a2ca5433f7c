func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<3xf32>  // error: [stablehlo.cholesky] rank of the operand: got 1
  return %0 : tensor<3xf32>
}
