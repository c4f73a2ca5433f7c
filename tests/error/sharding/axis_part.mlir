// A part that does not divide its axis.
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = sdy.sharding_constraint %x <mesh<["x"=6]>, [{"x":(1)4}, {}]> : tensor<4x4xf32>  // error: expected sizes that divide it
  return %a : tensor<4x4xf32>
}
