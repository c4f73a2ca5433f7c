func.func private @square(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %y = stablehlo.composite "my.square" %x {decomposition = @square, composite_attributes = {n = 2 : i64}, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %y, dense<[1.0, 4.0, 9.0]> : tensor<3xf32>
  return
}
