func.func @main(%a: tensor<10x?x12xf32, #stablehlo.bounds<?, 64, ?>>, %b: tensor<10x12x?xf32, #stablehlo.bounds<?, ?, 32>>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<10x?x12xf32, #stablehlo.bounds<?, 64, ?>>, tensor<10x12x?xf32, #stablehlo.bounds<?, ?, 32>>) -> tensor<10x64x33xf32>  // error: expected tensor<10x?x?xf32, #stablehlo.bounds<?, 64, 32>>
  return
}
