func.func @main(%x0: tensor<3xf32>, %x1: tensor<3xf64>) -> (tensor<3xi1>) {
  %0 = "stablehlo.compare"(%x0, %x1) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<3xf32>, tensor<3xf64>) -> (tensor<3xi1>)  // error: (compare_c1)
  return %0 : tensor<3xi1>
}
