func.func @main(%a: tensor<2x?xf32, #stablehlo.bounds<?, 3>>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>) -> tensor<4x2xf32>  // error: expected tensor<?x2xf32, #stablehlo.bounds<3, ?>>
  return
}
