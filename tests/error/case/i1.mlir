func.func @main(%p: tensor<i64>) -> (tensor<i32>) {
  %0 = "stablehlo.case"(%p) ({  // error: (case_i1)
    %b1 = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %b1 : tensor<i32>
  }) : (tensor<i64>) -> (tensor<i32>)
  return %0 : tensor<i32>
}
