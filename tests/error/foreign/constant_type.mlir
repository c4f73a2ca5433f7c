func.func @main() {
  %0 = arith.constant tensor<1xi32>  // error: a number or a dense literal was expected: got tensor<1xi32>
  return
}
