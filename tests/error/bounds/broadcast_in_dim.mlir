func.func @main(%a: tensor<?xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<?xf32>) -> tensor<2x?xf32>  // error: expected a tensor of known extents or of one unknown, bounded extent
  return
}
