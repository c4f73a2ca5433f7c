func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) ({  // error: [stablehlo.async_start] type of argument 0 of the body: got tensor<4xi32>, expected tensor<4xf32> (async_start_c3)
  ^bb0(%a: tensor<4xi32>):
    %1 = stablehlo.slice %a [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    stablehlo.return %1 : tensor<2xi32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xi32>>
  return
}
