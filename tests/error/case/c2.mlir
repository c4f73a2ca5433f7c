func.func @main(%p: tensor<i32>) -> (tensor<i32>) {
  %0 = "stablehlo.case"(%p) ({  // error: (case_c2)
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> (tensor<i32>)
  return %0 : tensor<i32>
}
