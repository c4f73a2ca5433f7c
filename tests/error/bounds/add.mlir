func.func @main(%a: tensor<3xf32>, %b: tensor<?xf32, #stablehlo.bounds<2>>) {
  %0 = stablehlo.add %a, %b : (tensor<3xf32>, tensor<?xf32, #stablehlo.bounds<2>>) -> tensor<?xf32>  // error: [stablehlo.add] type of operand 1: got tensor<?xf32, #stablehlo.bounds<2>>, expected the type of operand 0
  return
}
