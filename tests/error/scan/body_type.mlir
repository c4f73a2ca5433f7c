func.func @main(%x: tensor<2x3xf32>, %c: tensor<3xi32>) -> tensor<2x3xf32> {
  %0:2 = chlo.scan(%x) inits (%c) dimension=0 {  // error: [chlo.scan] operand and body argument 1 are incompatible: got tensor<3xf32>, expected tensor<3xi32>
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    stablehlo.return %a, %b : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xi32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return %0#0 : tensor<2x3xf32>
}
