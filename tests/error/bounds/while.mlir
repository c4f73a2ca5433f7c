func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  %0 = "stablehlo.while"(%a) ({  // error: (while_c1)
  ^bb0(%x: tensor<5xf32>):
    %1 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<?xf32, #stablehlo.bounds<4>>):
    stablehlo.return %x : tensor<?xf32, #stablehlo.bounds<4>>
  }) : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32>
  return
}
