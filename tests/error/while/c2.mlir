func.func @main(%x: tensor<i32>) -> (tensor<i32>) {
  %0 = "stablehlo.while"(%x) ({  // error: (while_c2)
  ^bb0(%c: tensor<i32>):
    %p = stablehlo.compare LT, %c, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i32>) -> (tensor<i32>)
  return %0 : tensor<i32>
}
