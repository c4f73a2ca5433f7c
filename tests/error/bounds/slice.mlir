func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  %0 = stablehlo.slice %a [1:5] : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<4xf32>  // error: (slice_c3)
  return
}
