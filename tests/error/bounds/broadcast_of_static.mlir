func.func @main(%a: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>  // error: extent of result dimension 1: got ? (at most 3), expected 3
  return
}
