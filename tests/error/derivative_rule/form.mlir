func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {weft.vjp = @rule} { // error: [weft.vjp] of @f: got @rule, expected [@forward, @backward]
  return %x : tensor<f64>
}
func.func @main() {
  return
}
