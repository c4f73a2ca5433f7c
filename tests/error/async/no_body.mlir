func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>  // error: [stablehlo.async_start] number of bodies: got 0, expected 1
  return
}
