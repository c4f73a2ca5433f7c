// One branch or the other: at most 7.
func.func @main(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<?xf32, #stablehlo.bounds<7>>) {
  %0 = "stablehlo.if"(%p) ({  // error: expected tensor<?xf32, #stablehlo.bounds<7>>
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<?xf32, #stablehlo.bounds<7>>
  }) : (tensor<i1>) -> tensor<8xf32>
  return
}
