func.func @main(%x0: tensor<3xf32>, %x1: tensor<f32>, %x2: tensor<2xi64>, %x3: tensor<1xi64>, %x4: tensor<1xi64>) -> (tensor<?xf32>) {
  %0 = "stablehlo.dynamic_pad"(%x0, %x1, %x2, %x3, %x4) : (tensor<3xf32>, tensor<f32>, tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32>)  // error: (dynamic_pad_c2)
  return %0 : tensor<?xf32>
}
