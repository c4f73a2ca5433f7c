func.func @main(%x: !stablehlo.future<tensor<4xf32>>) {
  %0 = "stablehlo.async_done"(%x) : (!stablehlo.future<tensor<4xf32>>) -> tensor<3xf32>  // error: [stablehlo.async_done] type of the result: got tensor<3xf32>, expected tensor<4xf32> (async_done_c1)
  return
}
