func.func @main(%x: tensor<i32>) -> (tensor<f32>) {
  %0 = "stablehlo.while"(%x) ({  // error: (while_c3)
  ^bb0(%c: tensor<i32>):
    %p = stablehlo.compare LT, %c, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i32>) -> (tensor<f32>)
  return %0 : tensor<f32>
}
