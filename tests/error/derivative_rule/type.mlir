func.func private @rule(%x: tensor<f64>, %dx: tensor<f32>) -> (tensor<f64>, tensor<f64>) {
  return %x, %x : tensor<f64>, tensor<f64>
}
func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {weft.jvp = @rule} { // error: [weft.jvp] of @f: type of argument 1 of @rule: got tensor<f32>, expected tensor<f64>
  return %x : tensor<f64>
}
func.func @main() {
  return
}
