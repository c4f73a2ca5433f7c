func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.foo"(%a) : (tensor<2xf32>) -> tensor<2xf32>  // error: [stablehlo.foo] is not known to Weft
  return %0 : tensor<2xf32>
}
