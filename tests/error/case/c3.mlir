func.func @main(%p: tensor<i32>) -> (tensor<i32>) {
  %0 = "stablehlo.case"(%p) ({  // error: (case_c3)
    %b1 = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %b1 : tensor<i32>
  }, {
    %b2 = stablehlo.constant dense<1> : tensor<2xi32>
    stablehlo.return %b2 : tensor<2xi32>
  }) : (tensor<i32>) -> (tensor<i32>)
  return %0 : tensor<i32>
}
