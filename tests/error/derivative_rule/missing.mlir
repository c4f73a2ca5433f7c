func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {weft.jvp = @rule} { // error: [weft.jvp] of @f: there is no function @rule
  return %x : tensor<f64>
}
func.func @main() {
  return
}
