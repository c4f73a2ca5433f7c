func.func @main(%x: tensor<2x3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.scan(%x) inits (%c) dimension=0 {  // error: [chlo.scan] values that the body returns: got 0, expected at least the 1 carries
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    stablehlo.return
  } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
