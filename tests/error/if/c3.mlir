func.func @main(%p: tensor<i1>) -> (tensor<2xi32>) {
  %0 = "stablehlo.if"(%p) ({  // error: (if_c3)
    %b1 = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %b1 : tensor<i32>
  }, {
    %b2 = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %b2 : tensor<i32>
  }) : (tensor<i1>) -> (tensor<2xi32>)
  return %0 : tensor<2xi32>
}
