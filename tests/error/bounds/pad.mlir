// At most 4 elements, 3 gaps of two between them, one less in front and 5 more behind.
func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4>>, %v: tensor<f32>) {
  %0 = stablehlo.pad %a, %v, low = [-1], high = [5], interior = [2] : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<15xf32>  // error: expected tensor<?xf32, #stablehlo.bounds<14>>
  return
}
