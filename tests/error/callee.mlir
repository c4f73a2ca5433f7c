func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @missing(%a) : (tensor<2xf32>) -> tensor<2xf32>  // error: missing
  return %0 : tensor<2xf32>
}
