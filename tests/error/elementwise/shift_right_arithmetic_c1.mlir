func.func @main(%x0: tensor<3xi32>, %x1: tensor<4xi32>) -> (tensor<3xi32>) {
  %0 = "stablehlo.shift_right_arithmetic"(%x0, %x1) : (tensor<3xi32>, tensor<4xi32>) -> (tensor<3xi32>)  // error: (shift_right_arithmetic_c1)
  return %0 : tensor<3xi32>
}
