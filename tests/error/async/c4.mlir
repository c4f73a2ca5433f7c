func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) ({  // error: [stablehlo.async_start] type of the result: got !stablehlo.future<tensor<4xf32>>, expected !stablehlo.future<tensor<2xf32>> (async_start_c4)
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}
