func.func @main(%a: tensor<2xindex>) {
  %0 = stablehlo.add %a, %a : tensor<2xindex>  // error: [stablehlo.add] type of operand 0: got tensor<2xindex>
  return
}
