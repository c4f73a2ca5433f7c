func.func @main(%p: tensor<i32>) -> (tensor<i32>) {
  %0 = "stablehlo.case"(%p) : (tensor<i32>) -> (tensor<i32>)  // error: (case_c1)
  return %0 : tensor<i32>
}
