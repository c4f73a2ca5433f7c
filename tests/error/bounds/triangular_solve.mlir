func.func @main(%a: tensor<?x3x3xf32, #stablehlo.bounds<5, ?, ?>>, %b: tensor<?x3x2xf32, #stablehlo.bounds<7, ?, ?>>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false} : (tensor<?x3x3xf32, #stablehlo.bounds<5, ?, ?>>, tensor<?x3x2xf32, #stablehlo.bounds<7, ?, ?>>) -> tensor<6x3x2xf32>  // error: expected tensor<?x3x2xf32, #stablehlo.bounds<5, ?, ?>>
  return
}
