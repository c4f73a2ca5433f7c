func.func private @forward(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %x, %x : tensor<f64>, tensor<f64>
}
func.func private @backward(%kept: tensor<f64>, %c: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %c, %c : tensor<f64>, tensor<f64>
}
func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {weft.vjp = [@forward, @backward]} { // error: [weft.vjp] of @f: number of results of @backward: got 2, expected 1
  return %x : tensor<f64>
}
func.func @main() {
  return
}
