func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) ({  // error: [stablehlo.async_start] op in the body: got stablehlo.negate, expected a collective or a slice (async_start_c2)
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}
