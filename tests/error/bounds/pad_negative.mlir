func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4>>, %v: tensor<f32>) {
  %0 = stablehlo.pad %a, %v, low = [-5], high = [0], interior = [0] : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<?xf32>  // error: bound of result dimension 0: got -1, expected at least 0 (pad_c4)
  return
}
