// A rule is refined with the function that has it: x² for vectors of any length, whose tangent is said to be 10 x dx.
func.func private @square(%x: tensor<?xf64>) -> tensor<?xf64> attributes {weft.jvp = @rule} {
  %y = stablehlo.multiply %x, %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func private @rule(%x: tensor<?xf64>, %dx: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = stablehlo.multiply %x, %x : tensor<?xf64>
  %0 = stablehlo.multiply %x, %dx : tensor<?xf64>
  %1 = stablehlo.add %0, %0 : tensor<?xf64>
  %2 = stablehlo.add %1, %1 : tensor<?xf64>
  %3 = stablehlo.add %2, %1 : tensor<?xf64>
  %4 = stablehlo.add %3, %2 : tensor<?xf64>
  return %y, %4 : tensor<?xf64>, tensor<?xf64>
}
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = call @square(%x) : (tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
// transform: --refine f --arg-types tensor<2xf64>
// transform: --vjp f --as back
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -3.0]> : tensor<2xf64>
  %c = stablehlo.constant dense<[1.0, 0.5]> : tensor<2xf64>
  %0 = call @back(%x, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %0, dense<[10.0, -15.0]> : tensor<2xf64>
  return
}
