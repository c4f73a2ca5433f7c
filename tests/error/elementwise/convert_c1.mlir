func.func @main(%x0: tensor<3xf32>) -> (tensor<4xi32>) {
  %0 = "stablehlo.convert"(%x0) : (tensor<3xf32>) -> (tensor<4xi32>)  // error: (convert_c1)
  return %0 : tensor<4xi32>
}
