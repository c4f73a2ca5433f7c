// Parts whose sizes are beyond any mesh.
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = sdy.sharding_constraint %x <mesh<["x"=4]>, [{"x":(9223372036854775807)2}, {}]> : tensor<4x4xf32>  // error: expected sizes that divide it
  return %a : tensor<4x4xf32>
}
