func.func @main(%x0: tensor<2xf32>) -> (tensor<3xf32>) {
  %0 = "stablehlo.optimization_barrier"(%x0) : (tensor<2xf32>) -> (tensor<3xf32>)  // error: (optimization_barrier_c1)
  return %0 : tensor<3xf32>
}
