func.func @main(%x0: tensor<3xi32>) -> (tensor<4xi32>) {
  %0 = "stablehlo.count_leading_zeros"(%x0) : (tensor<3xi32>) -> (tensor<4xi32>)  // error: (count_leading_zeros_c1)
  return %0 : tensor<4xi32>
}
