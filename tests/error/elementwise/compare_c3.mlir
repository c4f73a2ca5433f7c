func.func @main(%x0: tensor<3xf32>, %x1: tensor<3xf32>) -> (tensor<3xi1>) {
  %0 = "stablehlo.compare"(%x0, %x1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xi1>)  // error: (compare_c3)
  return %0 : tensor<3xi1>
}
