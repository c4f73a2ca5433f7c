func.func private @rule(%x: tensor<f64>, %dx: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %x, %dx : tensor<f64>, tensor<f64>
}
func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {weft.checkpoint, weft.jvp = @rule} { // error: [weft.checkpoint] of @f: the function has a rule of its own
  return %x : tensor<f64>
}
func.func @main() {
  return
}
