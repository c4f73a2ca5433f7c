// Both operands have at most three elements.
func.func @main(%a: tensor<?xf32, #stablehlo.bounds<3>>, %b: tensor<?xf32, #stablehlo.bounds<8>>) {
  %0 = stablehlo.add %a, %b : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<4xf32>  // error: expected tensor<?xf32, #stablehlo.bounds<3>>
  return
}
