func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_done"(%x) : (tensor<4xf32>) -> tensor<4xf32>  // error: [stablehlo.async_done] type of the operand: got tensor<4xf32>, expected a future (async_done_i1)
  return
}
