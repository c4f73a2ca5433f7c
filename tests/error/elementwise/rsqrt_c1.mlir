func.func @main(%x0: tensor<3xf32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.rsqrt"(%x0) : (tensor<3xf32>) -> (tensor<4xf32>)  // error: (rsqrt_c1)
  return %0 : tensor<4xf32>
}
