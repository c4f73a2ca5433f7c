// At most 2 + 4 + 3 columns.
func.func @main(%a: tensor<5x2xi32>, %b: tensor<5x?xi32, #stablehlo.bounds<?, 4>>, %c: tensor<?x?xi32, #stablehlo.bounds<?, 3>>) {
  %0 = stablehlo.concatenate %a, %b, %c, dim = 1 : (tensor<5x2xi32>, tensor<5x?xi32, #stablehlo.bounds<?, 4>>, tensor<?x?xi32, #stablehlo.bounds<?, 3>>) -> tensor<5x10xi32>  // error: expected tensor<5x?xi32, #stablehlo.bounds<?, 9>>
  return
}
