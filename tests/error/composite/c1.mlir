func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "f" %a {decomposition = @f} : (tensor<f32>) -> tensor<f32>  // error: [stablehlo.composite] name: got "f"
  return %0 : tensor<f32>
}
