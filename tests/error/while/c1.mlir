func.func @main(%x: tensor<i32>) -> (tensor<i32>) {
  %0 = "stablehlo.while"(%x) ({  // error: (while_c1)
  ^bb0(%c: tensor<i32>):
    stablehlo.return %c : tensor<i32>
  }, {
  ^bb0(%b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i32>) -> (tensor<i32>)
  return %0 : tensor<i32>
}
