func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.scan(%x) inits () dimension=0 {  // error: [chlo.scan] number of arguments of the body: got 2, expected 1
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    stablehlo.return %a : tensor<3xf32>
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
