func.func @main(%x0: tensor<4x3xf32>, %x1: tensor<3xi64>, %x2: tensor<2xi64>, %x3: tensor<2xi64>) -> (tensor<?x?xf32>) {
  %0 = "stablehlo.real_dynamic_slice"(%x0, %x1, %x2, %x3) : (tensor<4x3xf32>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x?xf32>)  // error: [stablehlo.real_dynamic_slice]
  return %0 : tensor<?x?xf32>
}
