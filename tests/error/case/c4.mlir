func.func @main(%p: tensor<i32>) -> (tensor<2xi32>) {
  %0 = "stablehlo.case"(%p) ({  // error: (case_c4)
    %b1 = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %b1 : tensor<i32>
  }) : (tensor<i32>) -> (tensor<2xi32>)
  return %0 : tensor<2xi32>
}
