func.func @main(%p: tensor<i1>) -> (tensor<i32>) {
  %0 = "stablehlo.if"(%p) ({  // error: (if_c1)
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }, {
    %b2 = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %b2 : tensor<i32>
  }) : (tensor<i1>) -> (tensor<i32>)
  return %0 : tensor<i32>
}
