func.func @main(%x0: tensor<3xf32>) -> (tensor<4xi1>) {
  %0 = "stablehlo.is_finite"(%x0) : (tensor<3xf32>) -> (tensor<4xi1>)  // error: (is_finite_c1)
  return %0 : tensor<4xi1>
}
