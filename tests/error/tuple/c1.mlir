func.func @main(%x0: tensor<2xf32>, %x1: tensor<3xf32>) -> (tuple<tensor<2xf32>, tensor<4xf32>>) {
  %0 = "stablehlo.tuple"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> (tuple<tensor<2xf32>, tensor<4xf32>>)  // error: (tuple_c1)
  return %0 : tuple<tensor<2xf32>, tensor<4xf32>>
}
