func.func @main(%a: tensor<2xf32>) {
  "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()  // error: [stablehlo.add] number of results: got 0, expected 1
  return
}
