func.func @main(%x0: tensor<3x3xf32>, %x1: tensor<3x2xf64>) -> (tensor<3x2xf64>) {
  %0 = "stablehlo.triangular_solve"(%x0, %x1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf64>) -> (tensor<3x2xf64>)  // error: (triangular_solve_c1)
  return %0 : tensor<3x2xf64>
}
