func.func @main(%a: tensor<?xf32, #stablehlo.bounds<3>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<?xf32, #stablehlo.bounds<3>>) -> tensor<2x4xf32>  // error: extent of result dimension 1: got 4, expected ? (at most 3), that of operand dimension 0 (broadcast_in_dim_c5)
  return
}
