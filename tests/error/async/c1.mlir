func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) ({  // error: [stablehlo.async_start] number of ops in the body, its return included: got 3, expected 2 (async_start_c1)
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %2 = stablehlo.slice %1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %2 : tensor<1xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}
