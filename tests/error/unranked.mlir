func.func @main(%a: tensor<*xf32>) -> tensor<*xf32> {
  %0 = stablehlo.add %a, %a : tensor<*xf32>  // error: [stablehlo.add] type of operand 0: got tensor<*xf32>, expected a ranked tensor
  return %0 : tensor<*xf32>
}
