func.func @main(%x0: tensor<6xf32>) -> (tensor<?x2xf32>) {
  %0 = "stablehlo.reshape"(%x0) : (tensor<6xf32>) -> (tensor<?x2xf32>)  // error: expected a tensor of known extents
  return %0 : tensor<?x2xf32>
}
