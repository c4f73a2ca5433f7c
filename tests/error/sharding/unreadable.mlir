// An attribute of that name which is no sharding.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.add %x, %x {sdy.sharding = 3 : i64} : tensor<4xf32>  // error: expected #sdy.sharding_per_value
  return %a : tensor<4xf32>
}
