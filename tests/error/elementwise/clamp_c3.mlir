func.func @main(%x0: tensor<f64>, %x1: tensor<3xf32>, %x2: tensor<f64>) -> (tensor<3xf32>) {
  %0 = "stablehlo.clamp"(%x0, %x1, %x2) : (tensor<f64>, tensor<3xf32>, tensor<f64>) -> (tensor<3xf32>)  // error: (clamp_c3)
  return %0 : tensor<3xf32>
}
